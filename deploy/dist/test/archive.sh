#!/usr/bin/env bash
# Tries the archive of a release as a new user does, from a server on loopback:
# deploy/dist/test/archive.sh DIST
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../../lib.sh"
. "$root/deploy/dist/release.sh"
[ $# -eq 1 ] || fail "a folder is needed" "deploy/dist/test/archive.sh DIST"
dist=$(cd "$1" && pwd)
. "$root/deploy/dist/test/site.sh"
checks=$(python_environment sbom-checks "$root/deploy/dist/test/sbom.txt")
version=$(release_version)

(cd "$dist" && sha256sum --quiet -c SHA256SUMS)
# The folders of a server of releases, below the site that is served already.
mkdir "$scratch/site/releases"
ln -s "$dist" "$scratch/site/releases/latest"
ln -s "$dist" "$scratch/site/releases/$version"

# Completions and manual pages as each shell and man find them, below a folder.
try_shells() {
  local prefix=$1
  man -M "$prefix/share/man" browse >"$scratch/printed" 2>&1 || fail "\`man browse\` fails: $(cat "$scratch/printed")"
  expect "$scratch/printed" "BROWSE(1)" "man browse"
  # shellcheck disable=SC2016 # It is for the other bash.
  bash -c '. "$1/share/bash-completion/completions/browse"; COMP_LINE="browse snap"; COMP_POINT=${#COMP_LINE}
    _browse; printf "%s\n" "${COMPREPLY[@]}"' - "$prefix" >"$scratch/printed"
  expect "$scratch/printed" snapshot "completion in bash"
  if have fish; then
    fish -c "set -p fish_complete_path '$prefix/share/fish/vendor_completions.d'; complete -C 'browse snap'" >"$scratch/printed"
    expect "$scratch/printed" snapshot "completion in fish"
  else
    say "archive: fish is not installed, so its completions were not tried"
  fi
  if have zsh; then
    # Typed into a real zsh: its completion works in a terminal only.
    TERM=dumb ZDOTDIR="$scratch" python3 "$root/deploy/dist/test/zsh.py" "$prefix/share/zsh/site-functions" >"$scratch/printed"
    expect "$scratch/printed" snapshot "completion in zsh"
  else
    say "archive: zsh is not installed, so its completions were not tried"
  fi
}

prefix="$HOME/.local"
started=$(now)
sh "$dist/install.sh" --from "$site/releases" >"$scratch/printed" 2>&1 || { cat "$scratch/printed" >&2; fail "install.sh failed"; }
expect "$scratch/printed" "installed browse $version" "install.sh"
installed=$(since "$started")
export PATH="$prefix/bin:$PATH"
browse="$prefix/bin/browse"
first_page archive "$started" "$installed"
browse skill trust page-to-markdown >/dev/null
browse skill run page-to-markdown --arg "url=$site" --raw >"$scratch/printed" 2>&1 || { cat "$scratch/printed" >&2; fail "a bundled skill failed"; }
expect "$scratch/printed" "Example Domain" "browse skill run page-to-markdown"
printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}' |
  timeout 20 browse mcp >"$scratch/printed" 2>/dev/null || true
expect "$scratch/printed" '"protocolVersion"' "browse mcp"
try_shells "$prefix"
"$checks/bin/python" "$root/deploy/dist/test/sbom.py" "$prefix"/lib/browse/current/share/doc/browse/*.cdx.json || fail "an SBOM is not valid"
"$prefix/lib/browse/current/bin/browse-gate" --version >"$scratch/printed"
expect "$scratch/printed" "browse-gate $version" "browse-gate --version"
browse doctor >"$scratch/printed" || true
expect "$scratch/printed" "browse and browsed $version" "browse doctor"
browse upgrade >"$scratch/printed" 2>&1 || true
grep -q -e "no key built in" -e "newest release" -e "could be fetched" "$scratch/printed" || fail "browse upgrade: $(cat "$scratch/printed")"
browse stop >/dev/null
browse=""
sh "$dist/install.sh" --uninstall >/dev/null
rm -rf "$BROWSE_HOME"
# What rustup, which `doctor` asks, and fish leave in a new HOME is theirs.
left=$(find "$HOME" -type f -not -path "$HOME/.cache/*" -not -path "$HOME/.rustup/*" -not -path '*/fish/*' | head -n 5)
[ -z "$left" ] || fail "the removal left files: $left"
say "archive: removed, nothing is left"
