#!/usr/bin/env bash
# Drives browse against real applications from npm, as an agent would. Arguments
# go to deploy/apps/apps.mjs; BROWSE_TEST_BINARIES names a folder with binaries
# that are there already.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
if [ -z "${BROWSE_TEST_BINARIES:-}" ]; then
  "$root/deploy/setup.sh" >&2
  . "$root/deploy/lib.sh"
  "$root/deploy/build.sh" dev
  BROWSE_TEST_BINARIES=$(binaries dev)
fi
exec node "$root/deploy/apps/apps.mjs" --binaries "$BROWSE_TEST_BINARIES" "$@"
