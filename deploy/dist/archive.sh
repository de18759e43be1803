#!/usr/bin/env bash
# The archive of a release, and the install.sh that installs it: deploy/dist/archive.sh TREE OUT
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
. "$root/deploy/dist/release.sh"
release_arguments archive.sh "$@"
name=$(basename "$tree")
tar --sort=name --mtime="@${SOURCE_DATE_EPOCH:-0}" --owner=0 --group=0 --numeric-owner --format=gnu \
  -C "$(dirname "$tree")" -cf - "$name" | gzip -9n >"$out/$name.tar.gz"
sed -e "s|^release_url=\"\"\$|release_url=\"$release_url\"|" -e "s|^release_key=\"\"\$|release_key=\"$release_key\"|" \
  "$root/install.sh" >"$out/install.sh"
chmod 755 "$out/install.sh"
