#!/usr/bin/env bash
# The Debian package of a release: deploy/dist/deb.sh TREE OUT
#
# What the package holds is laid out in target/deb. cargo-deb makes the package of it, by the
# table [package.metadata.deb] in server/Cargo.toml.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
# shellcheck source=release.sh
. "$root/deploy/dist/release.sh"
release_arguments deb.sh "$@"
here=$(rustc -vV | sed -n 's/^host: //p')
[ "$platform" = "$here" ] ||
  fail "$tree is not a release of browse $version for $here" "deploy/dist/tree.sh PROGRAMS target/dist-tree/browse-$version-$here makes one"
have dpkg-shlibdeps || fail "dpkg-shlibdeps is missing: it finds which libraries the programs need" "apt-get install dpkg-dev"
folder="$tools/cargo-cargo-deb-$release_cargo_deb"
PATH="$folder/bin:$PATH"
have cargo-deb || fail "cargo-deb is missing" "cargo install --locked --root $folder --version $release_cargo_deb cargo-deb"

SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct 2>/dev/null || echo 0)}
export SOURCE_DATE_EPOCH
# A pre-release, 1.0.0-rc.1, is older than 1.0.0: Debian writes that with a tilde.
deb_version=${version/-/\~}
source="$root/deploy/dist/deb"
stage="$root/target/deb"
umask 022

rm -rf "$stage"
mkdir -p "$stage/usr/bin" "$stage/usr/libexec/browse" "$stage/usr/share/man/man1"
for program in $release_programs; do
  [[ " $release_fleet_programs " != *" $program "* ]] || continue
  case $program in
    browse | browse-mcp) install -m 755 "$tree/bin/$program" "$stage/usr/bin/" ;;
    *) install -m 755 "$tree/bin/$program" "$stage/usr/libexec/browse/" ;;
  esac
done
# The daemon finds the programs that it starts beside its own file, and nobody else runs those.
ln -s ../libexec/browse/browsed "$stage/usr/bin/browsed"

cp -R "$tree/share/browse" "$stage/usr/share/"
install -D -m 644 -t "$stage/usr/share/bash-completion/completions" "$tree"/share/bash-completion/completions/*
install -D -m 644 -t "$stage/usr/share/zsh/vendor-completions" "$tree"/share/zsh/site-functions/*
install -D -m 644 -t "$stage/usr/share/fish/vendor_completions.d" "$tree"/share/fish/vendor_completions.d/*
install -m 644 "$tree"/share/man/man1/*.1 "$source/browsed.1" "$stage/usr/share/man/man1/"
install -D -m 644 "$source/units/browsed.service" "$stage/usr/lib/systemd/system/browsed.service"
install -D -m 644 "$source/units/browsed@.service" "$stage/usr/lib/systemd/user/browsed@.service"
install -D -m 644 "$source/browse.sysusers" "$stage/usr/lib/sysusers.d/browse.conf"
install -D -m 644 "$source/lintian-overrides" "$stage/usr/share/lintian/overrides/browse"

doc="$stage/usr/share/doc/browse"
install -D -m 644 -t "$doc" "$tree"/share/doc/browse/*
# Debian has the text of this licence in every system.
rm -f "$doc/LICENSE"
for program in $release_fleet_programs; do rm -f "$doc/$program.cdx.json"; done
printf 'browse (%s) unstable; urgency=medium\n\n  * Release %s.\n\n -- %s  %s\n' "$deb_version" "$version" \
  "$release_maintainer" "$(LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH")" >"$doc/changelog"
gzip -9n "$doc/changelog" "$doc/LICENCES.txt" "$stage"/usr/share/man/man1/*

arch=$(dpkg --print-architecture)
file="$out/browse_${deb_version}_$arch.deb"
rm -f "$file"
(
  cd "$root"
  # Flags of the programs of a release are not for this.
  unset RUSTFLAGS CFLAGS CXXFLAGS CARGO_TARGET_DIR
  cargo-deb deb --quiet --locked --no-build --no-strip --package browse-server --deb-version "$deb_version" \
    --maintainer "$release_maintainer" --output "$file" >&2
)
[ -s "$file" ] || fail "cargo-deb made no package" "run its command in deploy/dist/deb.sh without --quiet"
say "deb: $file"
