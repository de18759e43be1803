#!/usr/bin/env bash
# Tries the crate as a new user does: deploy/dist/test/crate.sh DIST
#
# DIST also has the archive, for the programs. Without the feature `remote` cargo works offline
# with an empty home; with it, dependencies come from crates.io.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../../lib.sh"
. "$root/deploy/dist/release.sh"
. "$root/deploy/setup/rust.sh"
check_rust
[ $# -eq 1 ] || fail "a folder is needed" "deploy/dist/test/crate.sh DIST"
dist=$(cd "$1" && pwd)
own_cargo=${CARGO_HOME:-$HOME/.cargo} own_rustup=${RUSTUP_HOME:-$HOME/.rustup}
. "$root/deploy/dist/test/site.sh"
export CARGO_HOME="$scratch/cargo" RUSTUP_HOME=$own_rustup CARGO_TARGET_DIR="$scratch/target"
unset RUSTFLAGS

crate=$(release_file "$dist" "browse-sdk-*.crate")
mkdir "$scratch/programs" "$scratch/crate"
tar -xzf "$(release_file "$dist" "browse-*.tar.gz")" -C "$scratch/programs" --strip-components 1
tar -xzf "$crate" -C "$scratch/crate" --strip-components 1
tar -tzf "$crate" | grep -vE '/(Cargo\.(toml|toml\.orig|lock)|\.cargo_vcs_info\.json|LICENSE|README\.md|(src|examples)/[a-z0-9_/]+\.rs)$' && fail "the crate has more files than it should"
! grep -n 'path = "\.\.' "$scratch/crate/Cargo.toml" || fail "the manifest names a path outside of the crate"
cmp "$root/LICENSE" "$scratch/crate/LICENSE"

started=$(now)
cd "$scratch/project"
cargo init --quiet --name example --vcs none
printf 'browse-sdk = "%s"\n[patch.crates-io]\nbrowse-sdk = { path = "../crate" }\n' "$(release_version)" >>Cargo.toml
mkdir src/bin
for number in 1 2; do
  example "$root/sdk-rust/README.md" rust,no_run "$number" >"src/bin/example$number.rs"
done
cargo build --quiet --offline
built=$(since "$started")
browse="$scratch/programs/bin/browse"
"$browse" goto about:blank >/dev/null
for number in 1 2; do
  "$CARGO_TARGET_DIR/debug/example$number" >"$scratch/printed" 2>&1 || { cat "$scratch/printed" >&2; fail "example $number failed"; }
  [ "$number" = 1 ] && expected="Some(200) Example Domain" || expected="Welcome ada@example.com"
  expect "$scratch/printed" "$expected" "example $number"
  [ "$number" = 2 ] || say "crate: built in $built, first snapshot $(since "$started") after the start"
done
[ -s page.png ] || fail "example 2 made no page.png"
"$browse" stop >/dev/null
browse=""

# Its own lock file and examples, and the feature.
export CARGO_HOME=$own_cargo
(cd "$scratch/crate" && cargo build --quiet --locked --examples)
sed -i 's/^browse-sdk = "\(.*\)"/browse-sdk = { version = "\1", features = ["remote"] }/' Cargo.toml
cargo tree --quiet | grep -q rustls || fail "the feature remote brings no rustls"
cargo build --quiet
say "crate: all is well"
