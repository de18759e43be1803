#!/usr/bin/env bash
# Builds the page of the dashboard, which the daemon then has built in.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
have node || fail "Node is missing" "run \`make setup\` first"
cd "$root/server/dashboard"
# The lock file that node_modules was made from.
if ! cmp -s package-lock.json node_modules/.from-lock; then
  npm ci --no-audit --no-fund --loglevel=error >&2
  cp package-lock.json node_modules/.from-lock
fi
npm run --silent build >&2
