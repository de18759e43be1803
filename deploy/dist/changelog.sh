#!/usr/bin/env bash
# Prints the section of CHANGELOG.md for the version in Cargo.toml, from the commits since the last
# release: deploy/dist/changelog.sh [SINCE]
#
# A subject is `area: what`; merges and generated files are left out. It is a draft: whoever makes
# the release edits it for users.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
. "$root/deploy/dist/release.sh"
cd "$root"
since=${1:-$(git describe --tags --abbrev=0 --match 'v*' 2>/dev/null || true)}
[ -z "${1:-}" ] || git rev-parse --quiet --verify "$since^{commit}" >/dev/null ||
  fail "\`$since\` is not a commit" "deploy/dist/changelog.sh [SINCE]"
echo "## $(release_version) ($(git log -1 --format=%cs))"
echo
if [ -z "$since" ]; then
  echo "The first release."
  exit 0
fi
git log --no-merges --format=%s "$since..HEAD" |
  grep -v -E '^(Merge|Write the generated|UPDATE|gen:|test)' |
  awk '
    match($0, /^[a-z][a-z -]*: /) { area = substr($0, 1, RLENGTH - 2); text = substr($0, RLENGTH + 1) }
    !match($0, /^[a-z][a-z -]*: /) { area = "other"; text = $0 }
    { lines[area] = lines[area] "- " text "\n"; if (!(area in seen)) { order[++count] = area; seen[area] = 1 } }
    END {
      for (at = 1; at <= count; at++) if (order[at] != "other") printf "### %s\n\n%s\n", order[at], lines[order[at]]
      if ("other" in lines) printf "### other\n\n%s\n", lines["other"]
    }'
