#!/usr/bin/env bash
# Makes docs/browse.png, the picture in the README, and the pictures of the dashboard in
# docs/dashboard/, from real runs.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
"$root/deploy/dashboard.sh"
"$root/deploy/build.sh" dev
node "$root/deploy/picture/picture.mjs" "$(binaries dev)" "$root/docs/browse.png"
exec node "$root/deploy/picture/dashboard.mjs" "$(binaries dev)" "$root/docs/dashboard"
