#!/usr/bin/env bash
# Installs what browse needs besides Rust: a Chromium, fonts, Node, Python and
# openssl. Asks nothing, says what it installs and from where before it does so,
# and does nothing when everything is there.
#
#   --bench     also what `make bench` needs
#   --tests     also a model that the tests run
#   --no-build  only what running a release needs: no Rust, no packages of the SDK
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$root/deploy/setup/rust.sh"
. "$root/deploy/setup/packages.sh"
. "$root/deploy/setup/chromium.sh"
. "$root/deploy/setup/node.sh"
. "$root/deploy/setup/models.sh"
. "$root/deploy/setup/other.sh"

bench=no tests=no build=yes
for argument in "$@"; do
  case "$argument" in
    --bench) bench=yes ;;
    --tests) tests=yes ;;
    --no-build) build=no ;;
    *) fail "unknown argument \`$argument\`" "deploy/setup.sh [--bench] [--tests] [--no-build]" ;;
  esac
done

[ "$build" = no ] || check_rust

case "$(uname -s)" in
  Linux) system=$(linux_system) ;;
  Darwin) system=macos ;;
  *) system=other ;;
esac

case "$system" in
  debian | ubuntu)
    want ca-certificates openssl python3
    want_fonts
    want_screen
    want_chromium "$system"
    want_node
    [ "$bench" = no ] || want hyperfine
    # The tests redeem a pairing block with the extra `remote` of the Python SDK.
    [ "$tests" = no ] || python3 -c 'import cryptography' 2>/dev/null || want python3-cryptography
    # The Python client of MCP is installed into an environment of its own.
    [ "$tests" = no ] || python3 -c 'import ensurepip, venv' 2>/dev/null || want python3-venv
    install_wanted
    finish_chromium "$system"
    finish_node
    ;;
  macos) check_macos "$bench" ;;
  *) check_elsewhere ;;
esac

[ "$build" = no ] || install_node_modules
[ "$tests" = no ] || install_models
