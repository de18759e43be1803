#!/usr/bin/env bash
# Lays out what a release holds below a folder: deploy/dist/tree.sh PROGRAMS TREE, with the
# folder of the built programs. Every package is made from this tree.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
. "$root/deploy/dist/release.sh"
[ $# -eq 2 ] || fail "two folders are needed" "deploy/dist/tree.sh PROGRAMS TREE"
programs=$1 tree=$2
cd "$root"

rm -rf "$tree"
mkdir -p "$tree/bin" "$tree/share/doc/browse" "$tree/share/browse" "$tree/share/bash-completion/completions" \
  "$tree/share/zsh/site-functions" "$tree/share/fish/vendor_completions.d"
for program in $release_programs; do
  install -m 755 "$programs/$program" "$tree/bin/$program"
done
for document in $release_documents; do
  install -m 644 "$document" "$tree/share/doc/browse/"
done
platform=$(rustc -vV | sed -n 's/^host: //p')
cargo metadata --format-version 1 --locked --filter-platform "$platform" | python3 deploy/dist/licences.py >"$tree/share/doc/browse/LICENCES.txt"
"$programs/browse" completions bash >"$tree/share/bash-completion/completions/browse"
"$programs/browse" completions zsh >"$tree/share/zsh/site-functions/_browse"
"$programs/browse" completions fish >"$tree/share/fish/vendor_completions.d/browse.fish"
node deploy/dist/man.mjs "$programs/browse" "$tree/share/man/man1"
# What git holds of the skills, and the SDK that the build put into them.
cp -R browser-skills "$tree/share/browse/browser-skills"
find "$tree/share/browse" \( -name target -o -name __pycache__ -o -name node_modules \) -prune -exec rm -rf {} +
find "$tree" -type d -exec chmod 755 {} +
find "$tree/share" -type f -exec chmod u=rw,go=r {} +
find "$tree/share/browse/browser-skills" -type f -name run -exec chmod 755 {} +
