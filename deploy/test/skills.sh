#!/usr/bin/env bash
# Runs the tests of the skills in Python and in Rust, each in its own folder:
# that is where a run puts it. Those in TypeScript run with the SDK, which has
# the compiler.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

failed=()
for skill in $(skills_with script.py); do
  (cd "$skill" && python3 -B -m unittest) || failed+=("$(basename "$skill")")
done
# Their own target: the SDK is compiled once for each, and nothing is fetched.
for skill in $(skills_with Cargo.toml); do
  cargo test --quiet --offline --locked --manifest-path "$skill/Cargo.toml" \
    --target-dir "${CARGO_TARGET_DIR:-$root/target}/skills" || failed+=("$(basename "$skill")")
done
[ ${#failed[@]} -eq 0 ] || fail "the tests of these skills failed: ${failed[*]}"
