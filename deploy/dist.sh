#!/usr/bin/env bash
# Makes a release for this platform in target/dist: archive, packages, SBOM, install.sh and
# SHA256SUMS, with a signature when MINISIGN_KEY names a secret key.
#
#   deploy/dist.sh [PART…]   the parts; all of release_parts in deploy/dist/release.sh when left out
#
# The same commit and compiler give the same bytes, in whatever folder and at whatever hour.
# The image is outside of this: its list of packages is kept instead.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$root/deploy/setup/rust.sh"
. "$root/deploy/dist/release.sh"
check_rust
have node || fail "Node is missing" "run \`make setup\` first"
cd "$root"
umask 022

# RUSTFLAGS and CFLAGS are words apart by blanks.
[[ "$root" != *[[:space:]]* ]] || fail "the path of the checkout has a blank: $root" "move it to a path without one"
deploy/dashboard.sh
read -ra parts <<<"${*:-$release_parts}"
for part in "${parts[@]}"; do
  [ -x "deploy/dist/$part.sh" ] && [[ " $release_parts " = *" $part "* ]] ||
    fail "a release has no part \`$part\`" "the parts are $release_parts"
done
rust=$(rustc --version | cut -d ' ' -f 2)
[ "$rust" = "$release_rust" ] || fail "a release is made with Rust $release_rust, and this is $rust" \
  "rustup toolchain install $release_rust, then RUSTUP_TOOLCHAIN=$release_rust make dist"
version=$(release_version)
platform=$(rustc -vV | sed -n 's/^host: //p')
# The time of everything in the release.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || echo 0)
export SOURCE_DATE_EPOCH
[ -z "$(git status --porcelain 2>/dev/null)" ] || say "dist: the tree has changes, so this is not what the commit gives"

# A tool of the release from crates.io, pinned.
cargo_tool() {
  local folder="$tools/cargo-$1-$2"
  if [ ! -x "$folder/bin/$1" ]; then
    say "dist: building $1 $2"
    # Not for the programs of the release, so without their flags.
    cargo install --quiet --locked --root "$folder" --target-dir "$tools/cargo-build" --version "$2" "$1" >&2
    rm -rf "$tools/cargo-build"
  fi
  export PATH="$folder/bin:$PATH"
}
cargo_tool cargo-auditable "$release_cargo_auditable"
cargo_tool cargo-cyclonedx "$release_cargo_cyclonedx"
cargo_tool cargo-deb "$release_cargo_deb"

# No path of this machine stays in a program. `browse` is linked by flags of its own, so the
# flags of all go by the environment.
cargo_home=${CARGO_HOME:-$HOME/.cargo}
sysroot=$(rustc --print sysroot)
# These flags are part of what a build is made from: a folder of its own keeps daily builds.
(
  export RUSTFLAGS="--remap-path-prefix=$root=/browse --remap-path-prefix=$cargo_home=/cargo --remap-path-prefix=$sysroot=/rust"
  export CFLAGS="-ffile-prefix-map=$root=/browse -ffile-prefix-map=$cargo_home=/cargo"
  # What `browse upgrade` trusts.
  export BROWSE_RELEASE_URL=$release_url BROWSE_RELEASE_KEY=$release_key
  # Without packed relocations a release runs on glibc 2.34 instead of 2.36.
  export BROWSE_OLD_LOADER=1
  export CXXFLAGS=$CFLAGS CARGO_TARGET_DIR="$root/target/release-build" CARGO_INCREMENTAL=0
  CARGO="$root/deploy/dist/cargo.sh" BROWSE_CARGO="cargo-auditable auditable" deploy/build.sh release
  CARGO="$root/deploy/dist/cargo.sh" BROWSE_CARGO="cargo-auditable auditable" deploy/build.sh fleet
)
built="$root/target/release-build/release"

# A newer glibc than is promised.
if [ "$(uname -s)" = Linux ]; then
  # shellcheck disable=SC2086 # They are words.
  newest=$(cd "$built" && release_needs_glibc $release_programs)
  printf '%s\n%s\n' "$newest" "$release_glibc" | sort -V -C ||
    fail "the programs need glibc $newest, and $release_glibc is promised" "build on an older system, or raise release_glibc in deploy/dist/release.sh"
  say "dist: the programs need glibc ${newest:-none}; promised is $release_glibc"
fi
for program in $release_programs; do
  ! have readelf || ! readelf -SW "$built/$program" | grep -q '\.symtab' ||
    fail "$program has symbols, which users do not need" "cargo strips only programs of a package without a profile of its own"
  ! grep -q -a -F -e "$root" -e "$cargo_home" -e "$HOME/" "$built/$program" ||
    fail "$program holds a path of this machine" "\`strings\` shows it; remap it in deploy/dist.sh"
done

name=browse-$version-$platform
tree="$root/target/dist-tree/$name"
dist="$root/target/dist"
deploy/dist/tree.sh "$built" "$tree"
deploy/dist/sbom.sh "$tree"
rm -rf "$dist"
mkdir -p "$dist"
git rev-parse HEAD >"$root/target/dist-tree/commit"
for part in "${parts[@]}"; do
  say "dist: $part"
  "deploy/dist/$part.sh" "$tree" "$dist"
done

(cd "$dist" && find . -maxdepth 1 -type f -printf '%P\n' | LC_ALL=C sort | xargs sha256sum >"$root/target/SHA256SUMS" &&
  mv "$root/target/SHA256SUMS" SHA256SUMS)
if [ -n "${MINISIGN_KEY:-}" ]; then
  have minisign || fail "minisign is not installed" "apt-get install minisign"
  minisign -S -s "$MINISIGN_KEY" -m "$dist/SHA256SUMS" -x "$dist/SHA256SUMS.minisig" >&2
fi
say "dist: $dist has"
(cd "$dist" && du -h -- * >&2)
