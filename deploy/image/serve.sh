#!/bin/bash
# The process of the container: serves the project until its daemon ends. browse-serve
#
# `browsed` alone would do, but for three things. The first process has to wait for orphans. A
# command that is faster than it starts a daemon of its own. And `browse stop` has to get its
# answer before the container is gone.
set -uo pipefail
project=${BROWSE_PROJECT:-$PWD}

fail() {
  printf 'error: %s\nhint: %s\n' "$1" "$2" >&2
  exit 1
}

[ -w "$project" ] || fail "user $(id -u) cannot write to the project $project" \
  "change its owner (chown $(id -u)), or run the container as its owner (--user $(stat -c %u "$project"):0)"
[ -w "${TMPDIR:-/tmp}" ] || fail "${TMPDIR:-/tmp} cannot be written" "add --tmpfs /tmp"

browsed &
daemon=$!
trap 'kill "$daemon" 2>/dev/null || browse stop >/dev/null 2>&1' TERM INT
wait "$daemon"
code=$?
# A signal ends `wait` before the daemon.
while kill -0 "$daemon" 2>/dev/null; do
  wait "$daemon"
  code=$?
done

# The daemon holds this lock. It is taken when a command was faster than we, or by another container.
serves() { ! flock --shared --nonblock "$project" true; }
for _ in {1..50}; do
  ! serves || browse-health 2>/dev/null || { sleep 0.2; continue; }
  break
done
if serves; then
  browse-health 2>/dev/null || fail "a daemon outside of this container serves $project" "stop it, or mount another project"
  flock --shared "$project" true &
  wait $!
fi
sleep 0.5
exit "$code"
