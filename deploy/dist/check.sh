#!/usr/bin/env bash
# Says what is missing for a release of this checkout, and fails when something is.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
. "$root/deploy/dist/release.sh"
cd "$root"
version=$(release_version)
missing=0

# item NAME STEP COMMAND…: what is checked, and what to do when the command fails.
item() {
  local name=$1 step=$2
  shift 2
  if "$@" >/dev/null 2>&1; then
    echo "ok       $name"
  else
    echo "missing  $name: $step"
    missing=$((missing + 1))
  fi
}

# holds FILE PATTERN
holds() { grep -q -E "$2" "$1"; }
clean() { [ -z "$(git status --porcelain)" ]; }
tagged() { [ "$(git describe --tags --exact-match --match 'v*' 2>/dev/null)" = "v$version" ]; }
signing_key() { [ -f "${MINISIGN_KEY:-}" ] && have minisign; }
toolchain() { [ "$(rustc --version | cut -d ' ' -f 2)" = "$release_rust" ]; }
# The URL is built into the programs, so users cannot be led elsewhere by a mistake in it.
https() { [[ $release_url = https://* ]]; }
made() { (cd target/dist && sha256sum --quiet -c SHA256SUMS); }
signed() { minisign -V -q -P "$release_key" -m target/dist/SHA256SUMS -x target/dist/SHA256SUMS.minisig; }
of_this_commit() { [ "$(cat target/dist-tree/commit)" = "$(git rev-parse HEAD)" ]; }

echo "browse $version"
number=${version//./\\.}
item "no uncommitted changes" "commit or stash them" clean
item "tag v$version on this commit" "git tag -s v$version" tagged
item "CHANGELOG.md has $version" "deploy/dist/changelog.sh drafts it" holds CHANGELOG.md "^## $number \\(20"
for file in sdk-ts/package.json server.json plugin/.claude-plugin/plugin.json .claude-plugin/marketplace.json; do
  item "$file has $version" "run \`make gen\`, or set it" holds "$file" "\"version\": \"$number\""
done
item "sdk-python/pyproject.toml has $version" "set it" holds sdk-python/pyproject.toml "^version = \"$number\""
item "Rust $release_rust" "RUSTUP_TOOLCHAIN=$release_rust" toolchain
item "RELEASE_URL, an https address" "set it: install.sh and \`browse upgrade\` look there" https
item "RELEASE_KEY, the public key" "set it to the second line of minisign.pub" test -n "$release_key"
item "MINISIGN_KEY, the file of the secret key, and minisign" "set it; apt-get install minisign" signing_key
item "RELEASE_SOURCE, where the files of this repository are" "set it: links of the READMEs in registries" test -n "$release_source"
item "a maintainer with an address" "set RELEASE_MAINTAINER" test "${release_maintainer%.invalid>}" = "$release_maintainer"
item "target/dist is whole" "run \`make dist\`" made
item "target/dist is of this commit" "run \`make dist\`" of_this_commit
item "target/dist is signed by RELEASE_KEY" "run \`make dist\` with MINISIGN_KEY" signed
echo
echo "Not checked here: that the names on npm ($release_npm_scope), PyPI ($release_pypi_prefix-*) and crates.io are ours; \`make test\` and \`make test-dist\`."
[ "$missing" = 0 ] || fail "$missing missing" "each line above has the next step"
