#!/usr/bin/env bash
# The crate of the Rust SDK, as crates.io takes it: deploy/dist/crate.sh TREE OUT
#
# The crate has no file of the tree; the folder is accepted so that all of these scripts are
# called alike.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
. "$root/deploy/dist/release.sh"
release_arguments crate.sh "$@"
cd "$root"
package="browse-sdk-$version.crate"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The manifest of a crate must not name a path outside of it; cargo writes one that does not, and
# compiles the crate from its file. `deploy/dist.sh` has reported changes that are not committed.
umask 022
cargo package --quiet --locked --allow-dirty -p browse-sdk --target-dir "$work"
install -m 644 "$work/package/$package" "$out"
say "crate: $(du -h --apparent-size "$out/$package" | cut -f 1) $package"
