# shellcheck shell=bash disable=SC2034,SC2154 # sourced: variables are set or used by the others
# What the scripts of this folder share. Sourced, not run.
#
# Node from `deploy/setup.sh` goes first on PATH when setup had to fetch one, so
# that the scripts and the daemon they start find it.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
tools="$root/target/tools"

# The tools that setup keeps inside the checkout.
if [ -x "$tools/node/bin/node" ]; then
  export PATH="$tools/node/bin:$PATH"
fi

# Everything that is not a result goes to standard error.
say() { printf '%s\n' "$*" >&2; }

fail() {
  say "error: $1"
  [ $# -lt 2 ] || say "hint: $2"
  exit 1
}

have() { command -v "$1" >/dev/null 2>&1; }

# The oldest Node that strips types without a flag. Of Node 23 that is 23.6.
node_least=22.18

# Whether the node on PATH runs TypeScript: an older one lacks the feature, or has it behind a flag.
node_strips_types() {
  have node && [ "$(node -p 'process.features.typescript' 2>/dev/null)" = strip ]
}

# Prints the skills of this tree whose program is the file $1: what is bundled,
# and what the benchmark compares.
skills_with() {
  local skill
  for skill in "$root"/browser-skills/* "$root"/deploy/bench/skills/*; do
    [ ! -f "$skill/$1" ] || echo "$skill"
  done
}

# Prints the folder where cargo puts the binaries of a profile.
binaries() {
  local folder=$1
  [ "$folder" != dev ] || folder=debug
  echo "${CARGO_TARGET_DIR:-$root/target}/$folder"
}

# Forgets settings of the caller that would lead to a daemon of theirs.
forget_callers_daemon() {
  unset BROWSE_PROJECT BROWSE_HOME BROWSE_SESSION BROWSE_TOKEN BROWSE_ADDR BROWSE_PORT \
    BROWSE_STATE_FILE BROWSE_DAEMON BROWSE_CDP_URL BROWSE_BUNDLED_SKILLS BROWSE_NO_BROWSER \
    BROWSE_IDLE_TIMEOUT BROWSE_SKILL_TOKEN BROWSE_SKILL_ARGS
}
