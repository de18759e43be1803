# The tools that look over the Python SDK: fetched from PyPI at pinned versions
# into target/, used by `make check` alone.

check_python() {
  local tools=$root/target/tools/python
  if ! "$tools/bin/mypy" --version 2>/dev/null | grep -q "mypy 2.4.1"; then
    say "setup: fetching mypy and ruff from PyPI into target/tools/python"
    python3 -m venv "$tools"
    "$tools/bin/pip" install --quiet --disable-pip-version-check mypy==2.4.1 ruff==0.17.6
  fi
  (cd "$root/sdk-python" && "$tools/bin/ruff" format --quiet --check . && "$tools/bin/mypy" --no-error-summary)
}
