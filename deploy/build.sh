#!/usr/bin/env bash
# Builds the binaries: deploy/build.sh [dev|release]
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$root/deploy/setup/rust.sh"
check_rust

profile=${1:-dev}
cd "$root"
cargo build --locked --profile "$profile" -p browse-cli -p browse-server -p browse-onnx -p browse-ngrok >&2
say "build: $(binaries "$profile")/browse, browsed, browse-onnx and browse-ngrok"
