#!/usr/bin/env bash
# Writes the generated files; with --check, fails when one is stale; with --dist,
# writes what the package of TypeScript is compiled from.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$root/deploy/setup/rust.sh"
check_rust

cd "$root"
cargo run --quiet --locked -p browse-proto --bin browse-gen -- "$@"
