#!/usr/bin/env bash
# Sets up, builds, starts a daemon of its own and prints the 30 stories of Hacker
# News as JSON. Standard output is that JSON and nothing else.
#
# The dev profile: it takes about half the time of a release build, and this is
# about seeing the thing work. Its speed is `make bench`'s subject.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
"$root/deploy/setup.sh" >&2
. "$root/deploy/lib.sh"
say "demo: building in the dev profile (quick to build, not quick to run)"
"$root/deploy/build.sh" dev
exec node "$root/deploy/demo/demo.mjs" "$(binaries dev)"
