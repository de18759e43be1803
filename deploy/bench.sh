#!/usr/bin/env bash
# Measures browse against its peers, and writes docs/benchmarks.md. Arguments go
# to deploy/bench/bench.mjs; PAGES names a folder of HTML files to add.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
"$root/deploy/setup.sh" --bench
. "$root/deploy/lib.sh"
"$root/deploy/build.sh" release
exec node "$root/deploy/bench/bench.mjs" --binaries "$(binaries release)" ${PAGES:+--pages "$PAGES"} "$@"
