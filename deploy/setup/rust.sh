# Rust and a C compiler are expected: they are what builds everything else.

check_rust() {
  if ! have cargo && [ -x "$HOME/.cargo/bin/cargo" ]; then
    export PATH="$HOME/.cargo/bin:$PATH"
  fi
  have cargo || fail "Rust is not installed" "install it as https://rustup.rs says, then run this again"
  have cc || fail "no C compiler: Rust needs one to link" "apt-get install gcc libc6-dev (macOS: xcode-select --install)"
}
