#!/usr/bin/env bash
# Builds the binaries: deploy/build.sh [dev|release]
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$root/deploy/setup/rust.sh"
check_rust

profile=${1:-dev}
built=$(binaries "$profile")

# The program `browse` for daily use, by itself: built together with the others
# it would carry the features that they want of its libraries, and 0.5 ms more
# for each command. Linked statically, where that can be done and the program
# then runs, a command saves 0.8 ms more: no libraries to find, and fewer pages
# of its own to write to.
build_command() {
  local static="-C target-feature=+crt-static" packed="-C link-arg=-Wl,-z,pack-relative-relocs"
  local program flags
  program=$(binaries command)/browse
  for flags in "$static $packed" "$static" ""; do
    # Elsewhere than on Linux no program is linked statically.
    [ -z "$flags" ] || [ "$(uname -s)" = Linux ] || continue
    # shellcheck disable=SC2086 # They are words.
    if cargo rustc --locked --profile command -p browse-cli --bin browse -- $flags >&2 &&
      "$program" help >/dev/null; then
      mkdir -p "$built"
      # In one step: the program may be running.
      cp "$program" "$built/.browse.new"
      mv -f "$built/.browse.new" "$built/browse"
      return
    fi
  done
  fail "browse could not be built"
}

cd "$root"
case $profile in
  release)
    cargo build --locked --profile release -p browse-server -p browse-onnx -p browse-ngrok >&2
    build_command
    ;;
  *) cargo build --locked --profile "$profile" -p browse-cli -p browse-server -p browse-onnx -p browse-ngrok >&2 ;;
esac
say "build: $built/browse, browsed, browse-onnx and browse-ngrok"
