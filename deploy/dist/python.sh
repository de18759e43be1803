#!/usr/bin/env bash
# The packages for PyPI: deploy/dist/python.sh TREE OUT
#
# The SDK as a wheel and a source archive, and a wheel with the programs of the tree. The same
# tree and the same Python give the same bytes.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
. "$root/deploy/dist/release.sh"
release_arguments python.sh "$@"
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct)}
export SOURCE_DATE_EPOCH PYTHONDONTWRITEBYTECODE=1

# A wheel for Linux names the glibc that it needs. pip refuses it on an older system.
case $platform in
  *-unknown-linux-gnu) ;;
  *) fail "there is no wheel for $platform yet" "add its tag to deploy/dist/python.sh" ;;
esac
have objdump || fail "objdump is not installed" "apt-get install binutils"
glibc=$(release_needs_glibc "$tree"/bin/*)
[ -n "$glibc" ] || fail "no program in $tree/bin uses glibc" "the tag of the wheel in deploy/dist/python.sh must change"
tag=manylinux_$(echo "$glibc" | cut -d . -f 1,2 | tr . _)_${platform%%-*}

tools="$root/target/tools/python-dist"
pins="$root/deploy/dist/python/tools.txt"
if ! cmp -s "$pins" "$tools/tools.txt"; then
  say "python: fetching from PyPI into target/tools/python-dist what deploy/dist/python/tools.txt pins"
  rm -rf "$tools"
  python3 -m venv "$tools"
  "$tools/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: --require-hashes -r "$pins" ||
    fail "the build tools for Python could not be fetched" "check the network, and run this again"
  cp "$pins" "$tools/tools.txt"
fi

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
mkdir "$stage/sdk"
# Without its tests: they read files of other folders of the repository.
cp -R "$root"/sdk-python/{pyproject.toml,src} "$root/LICENSE" "$stage/sdk"
find "$stage/sdk" \( -name __pycache__ -o -name '.*_cache' \) -prune -exec rm -rf {} +
release_readme "$root/sdk-python/README.md" >"$stage/sdk/README.md"
sed -i -e "s/^name = .*/name = \"$release_pypi_prefix-sdk\"/" -e "s/^version = .*/version = \"$version\"/" "$stage/sdk/pyproject.toml"
[ -z "$release_source" ] || printf '\n[project.urls]\nSource = "%s"\n' "$release_source" >>"$stage/sdk/pyproject.toml"
(cd "$stage/sdk" && "$tools/bin/python" -m hatchling build -t wheel -t sdist -d "$stage/made" >"$stage/log" 2>&1) ||
  { cat "$stage/log" >&2; fail "the SDK cannot be built"; }

release_readme "$root/deploy/dist/python/README.md" >"$stage/README.md"
cp -R "$tree" "$stage/tree"
release_drop_fleet "$stage/tree"
"$tools/bin/python" "$root/deploy/dist/python/wheel.py" --name "$release_pypi_prefix-bin" --version "$version" --tag "$tag" \
  --readme "$stage/README.md" --source "$release_source" "$stage/tree" "$stage/made"
install -m 644 "$stage"/made/* "$out"
(cd "$stage/made" && say "python: $(du -h --apparent-size -- * | tr '\t\n' '  ')")
