#!/usr/bin/env bash
# Tries the packages for PyPI as a new user does: deploy/dist/test/python.sh DIST
#
# They are installed from the folder alone; only `cryptography` of the extra `remote`, and the
# tools that check, come from PyPI.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../../lib.sh"
. "$root/deploy/dist/release.sh"
[ $# -eq 1 ] || fail "a folder is needed" "deploy/dist/test/python.sh DIST"
dist=$(cd "$1" && pwd)

. "$root/deploy/dist/test/site.sh"
checks=$(python_environment python-checks "$root/deploy/dist/python/checks.txt")
bin_name=$release_pypi_prefix-bin sdk_name=$release_pypi_prefix-sdk
bin_wheel=$(release_file "$dist" "${bin_name//-/_}-*.whl")
sdk_wheel=$(release_file "$dist" "${sdk_name//-/_}-*.whl")
source_archive=$(release_file "$dist" "${sdk_name//-/_}-*.tar.gz")

"$checks/bin/twine" check --strict "$bin_wheel" "$sdk_wheel" "$source_archive" >&2
# auditwheel finds the same tag in the programs.
"$checks/bin/auditwheel" show "$bin_wheel" >"$scratch/audit"
tag=$(basename "$bin_wheel" .whl)
expect "$scratch/audit" "\"${tag##*-}\"" "auditwheel show"

pip_install() { "$1/bin/pip" install --quiet --disable-pip-version-check --no-index --find-links "$dist" "${@:2}"; }
# pip removes files, and leaves some empty folders.
files_of() { (cd "$1" && find . -not -type d -not -name '*.pyc' | sort); }

python3 -m venv "$scratch/env"
files_of "$scratch/env" >"$scratch/before"
started=$(now)
pip_install "$scratch/env" "$bin_name" "$sdk_name"
installed=$(since "$started")
export PATH="$scratch/env/bin:$PATH"
browse="$scratch/env/bin/browse"
[ "$(command -v browse)" = "$browse" ] || fail "pip put no browse into bin"
first_page python "$started" "$installed"
[ "$(browse --version)" = "browse $(release_version)" ] || fail "browse --version prints another version" "$(browse --version)"
browse skill list >"$scratch/printed"
expect "$scratch/printed" page-to-markdown "browse skill list"
browse skill trust page-to-markdown >/dev/null
browse skill run page-to-markdown --arg "url=$site" >"$scratch/printed" 2>&1 || { cat "$scratch/printed" >&2; fail "a bundled skill does not run"; }
expect "$scratch/printed" "Example Domain" "browse skill run"
man -M "$scratch/env/share/man" -w browse-click >/dev/null || fail "there is no man page"

# The examples, each as a file of its own.
for number in 1 2; do
  example "$root/sdk-python/README.md" python "$number" >"example$number.py"
  "$scratch/env/bin/python" "example$number.py" >"$scratch/printed" 2>&1 || { cat "$scratch/printed" >&2; fail "example $number of the SDK failed"; }
  [ "$number" = 1 ] && expected="200 Example Domain" || expected="Welcome ada@example.com"
  expect "$scratch/printed" "$expected" "example $number"
done
[ -s page.png ] || fail "example 2 made no page.png"
rm page.png
try_programs "$root/deploy/dist/python/README.md"

# Types are found in the installed package, and the source archive gives the same wheel.
. "$root/deploy/setup/python.sh"
fetch_python_tools
"$root/target/tools/python/bin/mypy" --strict --python-executable "$scratch/env/bin/python" --cache-dir "$scratch/mypy" example1.py >"$scratch/printed" 2>&1 ||
  { cat "$scratch/printed" >&2; fail "mypy does not find the types"; }
mkdir "$scratch/source"
tar -xzf "$source_archive" -C "$scratch/source" --strip-components 1
(cd "$scratch/source" && SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct)} \
  "$root/target/tools/python-dist/bin/python" -m hatchling build -t wheel -d "$scratch/again" >/dev/null 2>&1)
cmp "$scratch/again/$(basename "$sdk_wheel")" "$sdk_wheel" || fail "the source archive gives another wheel"

# The extra: what it needs comes from the registry, and ours from the folder.
python3 -m venv "$scratch/remote"
HOME=$own_home "$scratch/remote/bin/pip" install --quiet --disable-pip-version-check "cryptography>=42"
pip_install "$scratch/remote" "${sdk_name}[remote]"
"$scratch/remote/bin/python" -c 'import browse_sdk, cryptography'
"$scratch/remote/bin/pip" check --quiet

"$scratch/env/bin/pip" uninstall --quiet --disable-pip-version-check --yes "$bin_name" "$sdk_name"
browse=""
[ -z "$(find "$scratch/env/share" "$scratch"/env/lib/python3*/site-packages/browse* -type f 2>/dev/null)" ] || fail "files are left after the removal"
files_of "$scratch/env" | diff "$scratch/before" - >&2 || fail "something is left after the removal"
say "python: all is well"
