# shellcheck shell=bash disable=SC2034,SC2154 # sourced: variables are set or used by the others
# The tools that look over the Python SDK: fetched from PyPI at pinned versions
# into target/, used by `make check`, and by `make test-dist` for the types.

fetch_python_tools() {
  local tools=$root/target/tools/python
  if ! "$tools/bin/mypy" --version 2>/dev/null | grep -q "mypy 2.4.1"; then
    say "setup: fetching mypy and ruff from PyPI into target/tools/python"
    python3 -m venv "$tools"
    "$tools/bin/pip" install --quiet --disable-pip-version-check mypy==2.4.1 ruff==0.17.6
  fi
}

check_python() {
  local tools=$root/target/tools/python
  fetch_python_tools
  (cd "$root/sdk-python" && "$tools/bin/ruff" format --quiet --check . && "$tools/bin/mypy" --no-error-summary --cache-dir "$root/target/mypy")
}

# The skills: formatting and lints of those in Python, whose SDK is checked with
# the SDK, and of those in Rust; those in TypeScript are checked with the SDK.
check_skills() {
  local skill
  for skill in $(skills_with script.py); do
    "$root/target/tools/python/bin/ruff" format --quiet --check --config "$root/sdk-python/pyproject.toml" --exclude _lib "$skill"
    (cd "$skill" && "$root/target/tools/python/bin/mypy" --no-error-summary --cache-dir "$root/target/mypy/$(basename "$skill")" --check-untyped-defs --explicit-package-bases .)
  done
  for skill in $(skills_with Cargo.toml); do
    rustfmt --check --edition 2021 --config-path "$root" "$skill"/src/main.rs
    cargo clippy --quiet --offline --locked --manifest-path "$skill/Cargo.toml" --all-targets \
      --target-dir "${CARGO_TARGET_DIR:-$root/target}/skills" -- -D warnings
  done
}
