# shellcheck shell=bash disable=SC2034 # sourced
# The checks of a test inside of another system: all are made, and the test fails at its end when
# `failed` is 1. Sourced after lib.sh.

failed=0
# expect NAME PATTERN COMMAND…: what the command prints has the pattern.
expect() {
  local name=$1 pattern=$2 printed
  shift 2
  printed=$("$@" 2>&1) || true
  if grep -q -a -e "$pattern" <<<"$printed"; then
    say "  ok    $name"
  else
    say "  FAILS $name: no \`$pattern\` in"
    say "          ${printed//$'\n'/$'\n'          }"
    failed=1
  fi
}

milliseconds() { echo $(($(date +%s%N) / 1000000)); }
