# shellcheck shell=bash disable=SC2034,SC2154 # sourced: variables are set or used by the others
# Rust and a C compiler are expected: they are what builds everything else.

check_rust() {
  if ! have cargo && [ -x "$HOME/.cargo/bin/cargo" ]; then
    export PATH="$HOME/.cargo/bin:$PATH"
  fi
  have cargo || fail "Rust is not installed" "install it as https://rustup.rs says, then run this again"
  find_toolchains
  cargo --version >/dev/null 2>&1 \
    || fail "cargo does not run: $(cargo --version 2>&1 | head -n 1)" "run \`rustup toolchain install stable\`"
  have cc || fail "no C compiler: Rust needs one to link" "apt-get install gcc libc6-dev (macOS: xcode-select --install)"
}

# rustup looks for its toolchains under HOME. Where HOME is not the one that it
# was installed under, they lie beside the cargo that PATH names.
find_toolchains() {
  local beside
  [ -z "${RUSTUP_HOME:-}" ] && [ ! -d "$HOME/.rustup/toolchains" ] || return 0
  beside=$(dirname "$(dirname "$(dirname "$(command -v cargo)")")")/.rustup
  [ ! -d "$beside/toolchains" ] || export RUSTUP_HOME="$beside"
}
