#!/usr/bin/env bash
# Starts systemd in a Debian: machine.sh BASE SCRATCH [SHOWN…], as the first process of namespaces
# of its own (mount, pid, cgroup, uts, ipc). Changes go to SCRATCH; the files SHOWN are in /srv.
set -euo pipefail
base=$1 scratch=$2
shift 2
top="$scratch/root"
mkdir -p "$scratch/upper" "$scratch/work" "$top"
mount -t overlay -o "lowerdir=$base,upperdir=$scratch/upper,workdir=$scratch/work" overlay "$top"

mount -t proc proc "$top/proc"
mount -t sysfs -o ro sysfs "$top/sys"
mount -t tmpfs -o mode=755 tmpfs "$top/run"
mount -t tmpfs -o mode=755,nosuid tmpfs "$top/dev"
for device in null zero full random urandom tty; do
  touch "$top/dev/$device"
  mount --bind "/dev/$device" "$top/dev/$device"
done
mkdir "$top/dev/pts" "$top/dev/shm"
mount -t devpts -o newinstance,mode=620,ptmxmode=666 devpts "$top/dev/pts"
ln -s pts/ptmx "$top/dev/ptmx"
mount -t tmpfs -o mode=1777,nosuid,nodev tmpfs "$top/dev/shm"
# The group of this process is the root of the tree that systemd sees.
mount -t cgroup2 cgroup2 "$top/sys/fs/cgroup"
cp -L /etc/resolv.conf "$top/etc/resolv.conf"
echo debian >"$top/etc/hostname"
echo "127.0.1.1 debian" >>"$top/etc/hosts"
for file; do
  touch "$top/srv/$(basename "$file")"
  mount --bind "$file" "$top/srv/$(basename "$file")"
done

# What would set up the machine around us.
for unit in systemd-sysctl systemd-modules-load systemd-udevd systemd-udev-trigger systemd-timesyncd systemd-networkd \
  systemd-resolved systemd-remount-fs systemd-random-seed systemd-binfmt systemd-tmpfiles-setup-dev getty@tty1 console-getty; do
  ln -sf /dev/null "$top/etc/systemd/system/$unit.service"
done
# Not a chroot, in which the kernel refuses user namespaces.
cd "$top"
mkdir -p mnt/before
pivot_root . mnt/before
exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin container=test \
  sh -c 'umount -l /mnt/before && rmdir /mnt/before && exec /lib/systemd/systemd --unit=multi-user.target' </dev/null
