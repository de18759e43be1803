#!/usr/bin/env bash
# Records flows with wrong turns, saves each as a skill in TypeScript, Python and
# Rust, and runs them: one line a skill. The suite does the same in Python alone,
# for eleven programs in Rust take minutes to build.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$root/deploy/setup/rust.sh"
check_rust
forget_callers_daemon

cd "$root"
cargo build --locked -p browse-cli -p browse-server
cargo test --locked -p browse-cli --test e2e -- --ignored --nocapture flows_run_in_each_language
