#!/usr/bin/env bash
# Starts a daemon of its own and prints the 30 stories of Hacker News as JSON. Standard output is
# that JSON and nothing else.
#
# The programs are those of a release of this version when one is there: on PATH, or unpacked in
# this folder or beside it. Otherwise this sets up a compiler's needs and builds the dev profile,
# which takes about half the time of a release build.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$root/deploy/dist/release.sh"

# Prints the folder of the programs of a release; nothing when there is none.
released() {
  local version candidate folder
  version=$(release_version)
  for candidate in "$(command -v browse || true)" "$root"/browse-"$version"-*/bin/browse "$root"/../browse-"$version"-*/bin/browse; do
    [ -x "$candidate" ] || continue
    candidate=$(readlink -f "$candidate")
    folder=$(dirname "$candidate")
    # What was built here may be older than what is being worked on.
    case $folder in "$root"/target/*) continue ;; esac
    [ -x "$folder/browsed" ] || continue
    [ "$("$candidate" --version 2>/dev/null)" = "browse $version" ] || continue
    echo "$folder"
    return
  done
}

programs=$(released)
if [ -n "$programs" ]; then
  say "demo: using the release in $programs"
  "$root/deploy/setup.sh" --no-build >&2
else
  "$root/deploy/setup.sh" >&2
  say "demo: building in the dev profile (quick to build, not quick to run)"
  "$root/deploy/build.sh" dev
  programs=$(binaries dev)
fi
# Setup may have installed Node.
. "$root/deploy/lib.sh"
exec node "$root/deploy/demo/demo.mjs" "$programs"
