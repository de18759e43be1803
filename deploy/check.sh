#!/usr/bin/env bash
# What a change must pass besides the tests.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"
deploy/setup.sh
. "$root/deploy/lib.sh"
. "$root/deploy/setup/rust.sh"
. "$root/deploy/setup/python.sh"
check_rust

cargo fmt --all --check
cargo clippy --workspace --all-targets --locked -- -D warnings
deploy/gen.sh --check
deploy/gen.sh --dist
if [ -f sdk-ts/package.json ]; then
  npm --prefix sdk-ts run --silent check
  sdk-ts/node_modules/.bin/tsc -p server/engine/src/js
fi
deploy/dashboard.sh
npm --prefix server/dashboard run --silent check
check_python
check_skills
say "check: all is well"
