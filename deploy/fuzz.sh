#!/usr/bin/env bash
# Feeds nonsense to the parsers of arguments, batches, targets and steps:
# FUZZ_SECONDS for each, 150 when it is not set. Fails with the smallest input
# that makes one of them panic.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$root/deploy/setup/rust.sh"
check_rust

cd "$root"
export FUZZ_SECONDS="${FUZZ_SECONDS:-150}"
cargo test --locked -p browse-cli -p browse-server --test fuzz -- --ignored --nocapture --test-threads 2
