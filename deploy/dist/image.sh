#!/usr/bin/env bash
# The OCI image of a release, without a container engine, and the list of its packages:
# deploy/dist/image.sh TREE OUT
#
# The same tree and the same packages of Debian give the same bytes. deploy/image/Containerfile
# makes the image from a checkout, with an engine.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
. "$root/deploy/dist/release.sh"
release_arguments image.sh "$@"
for tool in mmdebstrap umoci dpkg-deb; do
  have "$tool" || fail "\`$tool\` is missing, which makes the image" "apt-get install mmdebstrap umoci"
done
name=$(basename "$tree")
case $name in
  *-x86_64-*-linux-gnu) architecture=amd64 ;;
  *-aarch64-*-linux-gnu) architecture=arm64 ;;
  *) fail "there is no image of \`$name\`" "an image is of a release for Linux with glibc, x86_64 or aarch64" ;;
esac
here=$(dpkg --print-architecture)
[ "$here" = "$architecture" ] || fail "an image for $architecture cannot be made on $here" "run this on a machine of $architecture"
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-0}
umask 022
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# A second user builds without root.
chmod 755 "$scratch"

# Chromium requires desktop tools that it calls only with a window: see the file.
mkdir -p "$scratch/package/DEBIAN"
cp "$root/deploy/image/no-desktop.control" "$scratch/package/DEBIAN/control"
dpkg-deb --root-owner-group -b "$scratch/package" "$scratch/no-desktop.deb" >/dev/null

say "image: installing $release_debian with Chromium"
mirror=http://deb.debian.org
if ! mmdebstrap --quiet --variant=essential --architectures="$architecture" --format=tar --skip=cleanup/apt \
  --dpkgopt="$root/deploy/image/dpkg.cfg" \
  --hook-dir=/usr/share/mmdebstrap/hooks/merged-usr \
  --include=usr-is-merged \
  --essential-hook="cp $scratch/no-desktop.deb \"\$1/tmp/\" && chroot \"\$1\" dpkg -i /tmp/no-desktop.deb && rm \"\$1/tmp/no-desktop.deb\"" \
  --include="$(sed -e '/^#/d' "$root/deploy/image/packages.txt" | paste -s -d ,)" \
  --customize-hook="$root/deploy/image/rootfs.sh \"\$1\"" \
  --customize-hook="rm \"\$1/etc/hostname\" \"\$1/etc/resolv.conf\"" \
  --customize-hook="dpkg-query --admindir=\"\$1/var/lib/dpkg\" -W -f '\${Package} \${Version} \${Architecture}\n' >$scratch/packages.txt" \
  "$release_debian" "$scratch/debian.tar" \
  "deb $mirror/debian $release_debian main" \
  "deb $mirror/debian $release_debian-updates main" \
  "deb $mirror/debian-security $release_debian-security main" >"$scratch/log" 2>&1; then
  tail -n 30 "$scratch/log" >&2
  fail "Debian was not installed into the image" "see the lines above; it needs $mirror, and root or subordinate ids"
fi

layer() {
  tar --sort=name --mode=u+rw,go=rX --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --format=gnu -C "$1" -cf "$2" "${@:3}"
}
programs="$scratch/programs/usr/local"
mkdir -p "$programs/share"
cp -R "$tree/bin" "$programs/bin"
for script in serve health; do
  install -m 755 "$root/deploy/image/$script.sh" "$programs/bin/browse-$script"
done
cp -R "$tree/share/browse" "$tree/share/doc" "$programs/share/"
layer "$scratch/programs" "$scratch/programs.tar" usr

say "image: packing it"
created=$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)
image="$scratch/layout:$version"
umoci init --layout "$scratch/layout"
umoci new --image "$image"
umoci raw add-layer --image "$image" --history.created "$created" --history.created_by "Debian $release_debian" "$scratch/debian.tar"
umoci raw add-layer --image "$image" --history.created "$created" --history.created_by "browse $version" "$scratch/programs.tar"
umoci config --image "$image" --no-history --created "$created" --os linux --architecture "$architecture" \
  --config.user 1000:1000 --config.workingdir /work --config.cmd browse-serve \
  --config.env PATH=/usr/local/bin:/usr/bin:/bin --config.env BROWSE_PROJECT=/work \
  --config.env HOME=/home/browse --config.env LANG=C.UTF-8 \
  --config.label org.opencontainers.image.title=browse --config.label "org.opencontainers.image.version=$version"
umoci gc --layout "$scratch/layout"
# Names the image where `docker load` and `podman load` look.
sed -i "s|\"org.opencontainers.image.ref.name\":|\"io.containerd.image.name\":\"docker.io/library/browse:$version\",&|" "$scratch/layout/index.json"

layer "$scratch/layout" "$out/$name.oci.tar" blobs index.json oci-layout
mv "$scratch/packages.txt" "$out/$name.packages.txt"
chmod 644 "$out/$name.oci.tar" "$out/$name.packages.txt"
say "image: $(($(stat -c %s "$scratch/debian.tar" "$scratch/programs.tar" | paste -s -d +) >> 20)) MiB unpacked, $(($(stat -c %s "$out/$name.oci.tar") >> 20)) MiB as $name.oci.tar"
