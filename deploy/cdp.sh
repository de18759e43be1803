#!/usr/bin/env bash
# Drives a session with playwright-core and puppeteer-core from npm, by the address of
# `browse cdp-url`. Arguments go to deploy/cdp/cdp.mjs; BROWSE_TEST_BINARIES names a
# folder with binaries that are there already.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
if [ -z "${BROWSE_TEST_BINARIES:-}" ]; then
  "$root/deploy/setup.sh" >&2
  . "$root/deploy/lib.sh"
  "$root/deploy/build.sh" dev
  BROWSE_TEST_BINARIES=$(binaries dev)
fi
exec node "$root/deploy/cdp/cdp.mjs" --binaries "$BROWSE_TEST_BINARIES" "$@"
