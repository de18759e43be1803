#!/usr/bin/env bash
# Prepares the file system of the image for its user: deploy/image/rootfs.sh ROOT
set -euo pipefail
[ $# -eq 1 ] || { echo "usage: deploy/image/rootfs.sh ROOT" >&2; exit 2; }
root=${1%/}
echo 'browse:x:1000:' >>"$root/etc/group"
echo 'browse:x:1000:1000::/home/browse:/bin/bash' >>"$root/etc/passwd"
# With /tmp the only places that must be writable: by whatever user the container is given,
# and a tmpfs in their place inherits the mode.
install -d -m 1777 "$root/home/browse" "$root/work"
# Caches, and what differs at each build.
rm -rf "$root"/var/lib/apt/lists/* "$root"/var/cache/{apt,debconf,ldconfig}/* "$root"/var/log/*
rm -f "$root"/etc/machine-id "$root"/var/lib/dbus/machine-id "$root"/etc/{passwd,group,shadow}- "$root"/var/lib/dpkg/*-old
