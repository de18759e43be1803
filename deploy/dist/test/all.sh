#!/usr/bin/env bash
# Installs and uses every package of target/dist: deploy/dist/test/all.sh [PART…]
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../../lib.sh"
. "$root/deploy/dist/release.sh"
dist="$root/target/dist"
[ -f "$dist/SHA256SUMS" ] || fail "there is no release in target/dist" "run \`make dist\` first"
read -ra parts <<<"${*:-$release_parts}"
failed=()
for part in "${parts[@]}"; do
  say "test-dist: $part"
  "$root/deploy/dist/test/$part.sh" "$dist" || failed+=("$part")
done
[ ${#failed[@]} -eq 0 ] || fail "these failed: ${failed[*]}"
