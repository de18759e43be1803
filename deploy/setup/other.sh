# shellcheck shell=bash disable=SC2034,SC2154 # sourced: variables are set or used by the others
# macOS and systems that setup does not install on: says what is missing.

check_macos() {
  local missing=()
  node_strips_types || missing+=("brew install node")
  have openssl || missing+=("brew install openssl")
  have python3 || missing+=("brew install python")
  mac_browser || missing+=("brew install --cask google-chrome")
  [ "$1" = no ] || have hyperfine || missing+=("brew install hyperfine")
  [ ${#missing[@]} -gt 0 ] || return 0
  say "error: some tools are missing"
  say "hint: run the following, then try again"
  printf '  %s\n' "${missing[@]}" >&2
  exit 1
}

mac_browser() {
  local name
  [ -z "${BROWSE_CHROMIUM:-}" ] || return 0
  for name in Chromium "Google Chrome" "Microsoft Edge"; do
    [ ! -x "/Applications/$name.app/Contents/MacOS/$name" ] || return 0
  done
  return 1
}

check_elsewhere() {
  local tool
  for tool in node npm openssl python3; do
    have "$tool" || fail "setup installs on Debian and Ubuntu only, and \`$tool\` is missing here" \
      "install Node $node_least or newer, Python 3, openssl and Chromium, then run this again"
  done
  node_strips_types || fail "Node $(node --version) is too old" "install Node $node_least or newer"
  chromium_present || fail "no Chromium was found" "install it, or set BROWSE_CHROMIUM to its program"
}
