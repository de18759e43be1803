# shellcheck shell=bash disable=SC2034,SC2154 # sourced: variables are set or used by the others
# What a release is called and made with, and what it holds: the one list. Sourced, not run.

# The compiler of releases. Another one gives other bytes.
release_rust=1.95.0
# The oldest glibc that a release for Linux runs on; a program that needs a newer one fails the
# build.
release_glibc=2.34
# Where install.sh looks for releases, and the key that signs them. Empty until there is a
# server: install.sh then asks for --from.
release_url=${RELEASE_URL:-}
release_key=${RELEASE_KEY:-}

# The tools that make it.
release_cargo_auditable=0.7.7
release_cargo_cyclonedx=0.5.9

# What is made of the tree, each by its script in this folder; `image` is made by itself, because it
# needs root.
release_parts="archive deb python npm crate"

release_programs="browse browsed browse-mcp browse-onnx browse-ngrok browse-gate"
# Those of a fleet: the archive and the image have them, the packages for one machine do not.
release_fleet_programs="browse-gate"
release_documents="LICENSE THIRD-PARTY.md README.md"

# Removes what is of a fleet alone from a copy of the tree of a release.
release_drop_fleet() {
  local program
  for program in $release_fleet_programs; do
    rm -f "$1/bin/$program" "$1/share/doc/browse/$program.cdx.json"
  done
}

# Reads the words of a script of this folder that makes a package, `NAME.sh TREE OUT`: sets tree, out,
# version and platform.
release_arguments() {
  local script=$1
  shift
  [ $# -eq 2 ] || fail "two folders are needed" "deploy/dist/$script TREE OUT"
  [ -x "$1/bin/browse" ] || fail "$1 has no bin/browse" "deploy/dist/tree.sh PROGRAMS TREE makes the tree of a release"
  mkdir -p "$2"
  tree=$(cd "$1" && pwd) out=$(cd "$2" && pwd)
  version=$(release_version)
  platform=$(basename "$tree")
  platform=${platform#"browse-$version-"}
}

# Prints the glibc that programs need: that of their newest symbol, or 2.36 where the dynamic loader
# has to know packed relocations (`-z pack-relative-relocs`, server/build/link.rs).
release_needs_glibc() {
  local program
  for program in "$@"; do
    objdump -T "$program" 2>/dev/null | grep -o 'GLIBC_[0-9][0-9.]*' || true
    ! objdump -p "$program" 2>/dev/null | grep -q GLIBC_ABI_DT_RELR || echo GLIBC_2.36
  done | sed 's/GLIBC_//' | sort -V | tail -n 1
}

# The version, which Cargo.toml alone holds.
release_version() {
  sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' "$root/Cargo.toml"
}

# Names in registries. On npm the name `browse` belongs to others, and on PyPI `browse` and
# `browse-cli` do. The crate is named by sdk-rust/Cargo.toml.
release_npm_scope=${RELEASE_NPM_SCOPE:-@browse}
release_pypi_prefix=${RELEASE_PYPI_PREFIX:-browse}
# The platforms of a release. The launcher on npm has an optional dependency for each.
release_platforms="x86_64-unknown-linux-gnu"
# Where the files of this repository are on the web, such as https://example.com/browse/blob/main.
# Without it a README in a registry names other documents and has no links to them.
release_source=${RELEASE_SOURCE:-}

# Prints a README as a registry shows it: under the names above, with links that lead somewhere.
release_readme() {
  local link='\1'
  [ -z "$release_source" ] || link="[\\1]($release_source/\\3)"
  sed -E -e "s|@browse/|$release_npm_scope/|g" -e "s/\bbrowse-(bin|sdk)\b/$release_pypi_prefix-\1/g" \
    -e "s|\[([^]]*)\]\((\.\./)+([^)]*)\)|$link|g" "$1"
}

# The release of Debian that the image is made of.
release_debian=bookworm

# What makes the Debian package, and who answers for it.
release_cargo_deb=3.8.0
release_maintainer=${RELEASE_MAINTAINER:-The maintainers of browse <browse@lists.invalid>}
