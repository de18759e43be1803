#!/usr/bin/env bash
# Measures what the gateway of a fleet costs: time of a call, calls a second on one core, memory, new
# sessions. Prints tables for docs/fleet.md. Not part of `make test`, which has a small run of it.
#
# Arguments go to the benchmark; `deploy/gateway-cost.sh --help` lists them. A real pod is measured
# too where `make build` has made browsed.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$root/deploy/setup/rust.sh"
check_rust
[ "$(uname -s)" = Linux ] || fail "the figures are read from /proc, which this system lacks" "run it on Linux"
have taskset || fail "\`taskset\` is missing" "apt-get install util-linux"

# The gateway has a connection to each of a thousand pods, which are played here.
files=8192
limit=$(ulimit -Sn)
if [ "$limit" != unlimited ] && [ "$limit" -lt "$files" ]; then
  ulimit -Sn "$files" || fail "$files open files are needed, and $limit are allowed" "raise the hard limit of open files (ulimit -Hn)"
fi

# The last argument of an option wins, so `--browsed` of the caller does.
browsed=$(binaries release)/browsed
pod=()
if [ -x "$browsed" ]; then
  pod=(--browsed "$(cd "$(dirname "$browsed")" && pwd)/browsed")
else
  say "gateway-cost: without a real pod: $browsed does not exist (make build)"
fi
cd "$root"
exec cargo bench --locked -p browse-gate --bench gateway_cost -- "${pod[@]}" "$@"
