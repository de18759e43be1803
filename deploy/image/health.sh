#!/bin/bash
# Exits with 0 when the daemon of this container serves: browse-health
#
# Calls grpc.health.v1.Health/Check over gRPC-Web. That needs no token, starts no daemon and
# does not count as a call, so that an idle daemon still stops. `browse status` does count.
set -uo pipefail
state=${BROWSE_STATE_FILE:-${BROWSE_PROJECT:-$PWD}/.browse/daemon.json}

unhealthy() {
  echo "unhealthy: $1" >&2
  exit 1
}

[ -r "$state" ] || unhealthy "no daemon runs: $state is missing"
[[ $(<"$state") =~ \"address\":\ *\"(http://)?127\.0\.0\.1:([0-9]+) ]] || unhealthy "$state names no address"
port=${BASH_REMATCH[2]}
{ exec 3<>"/dev/tcp/127.0.0.1/$port"; } 2>/dev/null || unhealthy "nothing listens on 127.0.0.1:$port"
# The body is an empty message: one byte of flags, four of length.
printf 'POST /grpc.health.v1.Health/Check HTTP/1.1\r\nhost: 127.0.0.1:%s\r\ncontent-type: application/grpc-web+proto\r\nconnection: close\r\ncontent-length: 5\r\n\r\n\0\0\0\0\0' "$port" >&3
# The answer is a message of two bytes: field 1 is 1, SERVING.
timeout 3 cat <&3 | tr -d '\0' | LC_ALL=C grep -q -a $'\x02\x08\x01' || unhealthy "127.0.0.1:$port does not answer that it serves"
