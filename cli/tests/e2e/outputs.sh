#!/usr/bin/env bash
# Writes to paths of a system of its own: an overlay over the machine's, in a mount
# namespace, so that nothing of the machine is touched. Reads a path a line, and
# prints `CODE KIND PATH: MESSAGE` for each: KIND is what is there afterwards.
# Usage: outputs.sh BROWSE BROWSED
set -euo pipefail
browse=$1 browsed=$2
base=$(mktemp -d)
mount -t tmpfs tmpfs "$base"
mkdir "$base"/{upper,work,root}
mount -t overlay overlay -o "lowerdir=/,upperdir=$base/upper,workdir=$base/work" "$base/root"
root=$base/root
mount -t proc proc "$root/proc"
mkdir "$root/browse"
mount --bind -o ro "$(dirname "$browse")" "$root/browse"
mount -t tmpfs tmpfs "$root/dev"
mount -t tmpfs tmpfs "$root/run"
mount -t tmpfs tmpfs "$root/tmp"
mkdir -m 1777 "$root/dev/shm"
device() { mknod -m 666 "$root/dev/$1" "${@:2}"; }
device null c 1 3
device zero c 1 5
device full c 1 7
device tty c 5 0
device random c 1 8
device urandom c 1 9
device block b 7 250
ln -s /proc/self/fd "$root/dev/fd"
ln -s /proc/self/fd/1 "$root/dev/stdout"
ln -s /proc/self/fd/2 "$root/dev/stderr"
mkdir -p "$root/h/p/.git"
ln -s /h/.bashrc "$root/h/p/link.csv"
ln -s /dev/block "$root/h/p/disk"
ln -s /dev/null "$root/h/p/nothing"
ln -s report.csv "$root/h/p/latest.csv"
mkfifo "$root/h/p/pipe" "$root/h/p/unread"
ln -s /h/.ssh "$root/h/p/folder"
mkdir -p "$root/h/.ssh"

inside() {
  chroot "$root" /usr/bin/env -i HOME=/h BROWSE_HOME=/h/.bh BROWSE_PROJECT=/h/p TMPDIR=/tmp \
    BROWSE_DAEMON="/browse/$(basename "$browsed")" PATH=/usr/local/bin:/usr/bin:/bin \
    sh -c 'cd /h/p && exec "$@"' - "/browse/$(basename "$browse")" "$@" </dev/null
}
trap 'inside stop >/dev/null 2>&1 || true' EXIT
echo '<h1>page</h1>' >"$root/h/p/page.html"
inside goto file://./page.html >/dev/null

kind() {
  [[ -L $1 ]] && { echo link; return; }
  [[ -e $1 ]] || { echo none; return; }
  case $(stat -c %F "$1") in
    regular*) [[ -n $(find "$1" -newer "$base/begin") ]] && echo written || echo old ;;
    fifo) echo pipe ;;
    block*) echo block ;;
    character*) echo device ;;
    *) echo other ;;
  esac
}

while IFS= read -r path; do
  force=()
  [[ $path == '--force-path '* ]] && force=(--force-path) && path=${path#--force-path }
  mkdir -p "$(dirname "$root$path")" 2>/dev/null || true
  touch "$base/begin"
  command=(download 'data:text/plain,one,two')
  case $path in
    *.png) command=(screenshot) ;;
    *.pdf) command=(pdf) ;;
    */pipe) timeout 20 cat "$root$path" >"$base/piped" & ;;
    */unread) force+=(--timeout 2s) ;;
  esac
  code=0
  message=$(inside "${command[@]}" "$path" "${force[@]}" 2>&1) || code=$?
  echo "$code $(kind "$root$path") $path: ${message//$'\n'/ }"
done
[[ -s $base/piped ]] && echo "piped $(cat "$base/piped")"
# What was written and is not a path of the list: drafts, say.
find "$base/upper" -name '.*.*-*-[0-9]*' -newer "$root/h/p/pipe" -type f | sed "s,^$base/upper,left ,"
