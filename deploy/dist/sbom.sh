#!/usr/bin/env bash
# Adds the list of the crates in each program to the tree of a release, in CycloneDX 1.5:
# deploy/dist/sbom.sh TREE
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
. "$root/deploy/dist/release.sh"
[ $# -eq 1 ] || fail "a folder is needed" "deploy/dist/sbom.sh TREE"
have cargo-cyclonedx || fail "cargo-cyclonedx is not installed" "\`make dist\` installs it"
tree=$1
cd "$root"
platform=$(rustc -vV | sed -n 's/^host: //p')
made() { git ls-files --others --ignored --exclude='*_bin.cdx.json' '*_bin.cdx.json' ':!target'; }
# It writes beside each manifest.
trap 'made | xargs -r rm -f' EXIT
cargo cyclonedx --quiet --format json --spec-version 1.5 --describe binaries --target "$platform" --no-build-deps >&2
for program in $release_programs; do
  file=$(made | grep "/${program}_bin\.cdx\.json$") || fail "there is no list for $program" "cargo cyclonedx --describe binaries"
  # The place of the checkout is of no use to anybody else.
  sed "s|path+file://$root/|path+file:///browse/|g" "$file" >"$tree/share/doc/browse/$program.cdx.json"
done
chmod 644 "$tree"/share/doc/browse/*.cdx.json
