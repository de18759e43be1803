#!/usr/bin/env bash
# Makes docs/browse.png, the picture in the README, from a real run.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
"$root/deploy/build.sh" dev
exec node "$root/deploy/picture/picture.mjs" "$(binaries dev)" "$root/docs/browse.png"
