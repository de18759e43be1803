#!/usr/bin/env bash
# Builds the binaries: deploy/build.sh [dev|release|fleet]. The dev profile is for the demo, the
# pictures and the applications, which run `browse` and `browsed` only; `fleet` builds the gateway
# beside the programs of `release`.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$root/deploy/setup/rust.sh"
check_rust

profile=${1:-dev}
# A release builds through `cargo auditable`, which writes the list of crates into the programs.
read -ra cargo <<<"${BROWSE_CARGO:-cargo}"
built=$(binaries "$profile")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Whether a small program can be linked statically with these flags, and runs:
# one that has an address to correct when it starts.
links() {
  printf 'static const char *w[] = {"a"}; int main(int c, char **v) { (void)v; return w[c - 1][0] != 97; }' |
    cc -x c -static-pie "$@" -o "$scratch/probe" - 2>/dev/null && "$scratch/probe"
}

# The flags with which `browse` is linked here; without any it is dynamic.
flags_of_command() {
  local packed=-Wl,-z,pack-relative-relocs
  [ "$(uname -s)" = Linux ] || return 0
  if links "$packed"; then
    echo "-C target-feature=+crt-static -C link-arg=$packed"
  elif links; then
    echo "-C target-feature=+crt-static"
  fi
}

# The program `browse` for daily use, by itself: built together with the others
# it would carry the features that they want of its libraries. `browse url` took
# 3.6 ms so, 3.0 by itself and 2.3 linked statically: no libraries to find, and
# fewer pages of its own to write to.
build_command() {
  local flags new
  flags=$(flags_of_command)
  [ -n "$flags" ] || say "build: no static programs can be linked here, so browse is linked dynamically"
  # shellcheck disable=SC2086 # They are words.
  "${cargo[@]}" rustc --locked --profile command -p browse-cli --bin browse -- $flags >&2
  # In one step: the program may be running.
  mkdir -p "$built"
  new=$(mktemp "$built/.browse.XXXXXX")
  cp "$(binaries command)/browse" "$new"
  chmod 755 "$new"
  "$new" help >/dev/null || fail "the new browse does not run"
  mv -f "$new" "$built/browse"
}

cd "$root"
case $profile in
  release)
    # The page of the dashboard is part of the daemon; a build without it works.
    if have node; then
      deploy/dashboard.sh || say "build: without the dashboard, whose page could not be built"
    else
      say "build: without the dashboard, because Node is missing"
    fi
    # Beside each other: both end with steps that keep one core busy, and cargo locks a profile.
    build_command &
    command=$!
    trap 'kill "$command" 2>/dev/null || true; rm -rf "$scratch"' EXIT
    "${cargo[@]}" build --locked --profile release -p browse-server -p browse-mcp -p browse-onnx -p browse-ngrok >&2
    wait "$command" || fail "browse was not built"
    ;;
  # By itself, so that the programs for one machine have no features that it wants of their libraries.
  fleet)
    "${cargo[@]}" build --locked --profile release -p browse-gate >&2
    built=$(binaries release)
    ;;
  *) "${cargo[@]}" build --locked --profile "$profile" -p browse-cli -p browse-server >&2 ;;
esac
say "build: the programs are in $built"
