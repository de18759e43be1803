#!/usr/bin/env bash
# The list of all crates in each program, in CycloneDX, as part of the tree of a release:
# deploy/dist/sbom.sh TREE
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
. "$root/deploy/dist/release.sh"
[ $# -eq 1 ] || fail "a folder is needed" "deploy/dist/sbom.sh TREE"
have cargo-cyclonedx || fail "cargo-cyclonedx is not installed" "\`make dist\` installs it"
tree=$1
cd "$root"
platform=$(rustc -vV | sed -n 's/^host: //p')
# It writes beside each manifest, so the names must be nobody else's.
suffix=release-sbom
remove_all() { git ls-files '*Cargo.toml' | while IFS= read -r manifest; do rm -f "$(dirname "$manifest")"/*."$suffix".json; done; }
trap remove_all EXIT
cargo cyclonedx --quiet --format json --spec-version 1.5 --describe binaries --target "$platform" \
  --override-filename "%.$suffix" 2>/dev/null || true
