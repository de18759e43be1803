#!/usr/bin/env bash
# Makes a release for this platform in target/dist: an archive, install.sh, SHA256SUMS, and a
# signature when MINISIGN_KEY names a secret key.
#
# The same commit and compiler give the same bytes, in whatever folder and at whatever hour.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$root/deploy/setup/rust.sh"
. "$root/deploy/dist/release.sh"
check_rust
have node || fail "Node is missing" "run \`make setup\` first"
cd "$root"

rust=$(rustc --version | cut -d ' ' -f 2)
[ "$rust" = "$release_rust" ] || fail "a release is made with Rust $release_rust, and this is $rust" \
  "rustup toolchain install $release_rust, then RUSTUP_TOOLCHAIN=$release_rust make dist"
version=$(release_version)
platform=$(rustc -vV | sed -n 's/^host: //p')
# The time of everything in the release.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || echo 0)
export SOURCE_DATE_EPOCH
[ -z "$(git status --porcelain 2>/dev/null)" ] || say "dist: the tree has changes, so this is not what the commit gives"

# No path of this machine stays in a program. `browse` is linked by flags of its own, so the
# flags of all go by the environment.
cargo_home=${CARGO_HOME:-$HOME/.cargo}
sysroot=$(rustc --print sysroot)
export RUSTFLAGS="--remap-path-prefix=$root=/browse --remap-path-prefix=$cargo_home=/cargo --remap-path-prefix=$sysroot=/rust"
export CFLAGS="-ffile-prefix-map=$root=/browse -ffile-prefix-map=$cargo_home=/cargo"
export CXXFLAGS=$CFLAGS
# These flags are part of what a build is made from: a folder of its own keeps daily builds.
export CARGO_TARGET_DIR="$root/target/release-build" CARGO_INCREMENTAL=0
deploy/build.sh release
built=$(binaries release)

name=browse-$version-$platform
dist="$root/target/dist"
tree="$dist/$name"
rm -rf "$dist"
mkdir -p "$tree/bin" "$tree/share/doc/browse" "$tree/share/browse" "$tree/share/bash-completion/completions" \
  "$tree/share/zsh/site-functions" "$tree/share/fish/vendor_completions.d"
for program in $release_programs; do
  install -m 755 "$built/$program" "$tree/bin/$program"
done
# A symbol of a newer glibc than is promised.
if [ "$(uname -s)" = Linux ]; then
  newest=$(for program in "$tree"/bin/*; do objdump -T "$program" 2>/dev/null || true; done |
    grep -o 'GLIBC_[0-9.]*' | sed 's/GLIBC_//' | sort -V | tail -n 1)
  printf '%s\n%s\n' "$newest" "$release_glibc" | sort -V -C ||
    fail "the programs need glibc $newest, and $release_glibc is promised" "build on an older system, or raise release_glibc in deploy/dist/release.sh"
  say "dist: the programs need glibc ${newest:-none}; promised is $release_glibc"
fi
for document in $release_documents; do
  install -m 644 "$document" "$tree/share/doc/browse/"
done
cargo metadata --format-version 1 --locked --filter-platform "$platform" | python3 deploy/dist/licences.py >"$tree/share/doc/browse/LICENCES.txt"
"$built/browse" completions bash >"$tree/share/bash-completion/completions/browse"
"$built/browse" completions zsh >"$tree/share/zsh/site-functions/_browse"
"$built/browse" completions fish >"$tree/share/fish/vendor_completions.d/browse.fish"
node deploy/dist/man.mjs "$built/browse" "$tree/share/man/man1"
# What git holds of the skills, and the SDK that the build put into them.
cp -R browser-skills "$tree/share/browse/browser-skills"
find "$tree/share/browse" \( -name target -o -name __pycache__ -o -name node_modules \) -prune -exec rm -rf {} +
find "$tree" -type d -exec chmod 755 {} +
find "$tree/share" -type f -exec chmod u=rw,go=r {} +
find "$tree/share/browse/browser-skills" -type f -name run -exec chmod 755 {} +

tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --format=gnu \
  -C "$dist" -cf - "$name" | gzip -9n >"$dist/$name.tar.gz"
rm -rf "$tree"
sed -e "s|^release_url=.*|release_url=\"$release_url\"|" -e "s|^release_key=.*|release_key=\"$release_key\"|" install.sh >"$dist/install.sh"
chmod 755 "$dist/install.sh"
(cd "$dist" && sha256sum "$name.tar.gz" install.sh >SHA256SUMS)
if [ -n "${MINISIGN_KEY:-}" ]; then
  have minisign || fail "minisign is not installed" "apt-get install minisign"
  minisign -S -s "$MINISIGN_KEY" -m "$dist/SHA256SUMS" -x "$dist/SHA256SUMS.minisig" >&2
fi
say "dist: $dist has $(ls "$dist" | tr '\n' ' ')"
