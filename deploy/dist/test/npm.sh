#!/usr/bin/env bash
# Tries the packages for npm as a new user does: deploy/dist/test/npm.sh DIST
#
# npm installs them from a registry on loopback that has nothing else. The launcher is tried by
# itself and with each Node on PATH: a newer one becomes the program, an older one starts it as a
# child.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../../lib.sh"
. "$root/deploy/dist/release.sh"
[ $# -eq 1 ] || fail "a folder is needed" "deploy/dist/test/npm.sh DIST"
dist=$(cd "$1" && pwd)
. "$root/deploy/dist/test/site.sh"
scope=$release_npm_scope version=$(release_version)

# What is packed, without surprises.
for package in browse sdk; do
  archive=$(release_file "$dist" "${scope#@}-$package-$version.tgz")
  tar -tzf "$archive" | grep -vE '^package/(package.json|README.md|LICENSE|launch\.sh|(launch|browse|browse-mcp)\.js|man/browse[a-z-]*\.1|dist/browse\.(js|d\.ts))$' >"$scratch/stray" || true
  [ ! -s "$scratch/stray" ] || fail "$archive has more files than it should: $(tr '\n' ' ' <"$scratch/stray")"
  tar -xzOf "$archive" package/package.json | grep -E '"(private|scripts|devDependencies)"' >&2 && fail "$archive has a manifest for development"
done

node "$root/deploy/dist/npm/registry.mjs" "$dist" >"$scratch/address" &
registry=$!
for _ in $(seq 100); do
  [ ! -s "$scratch/address" ] || break
  sleep 0.1
done
printf 'registry=%s\naudit=false\nfund=false\nupdate-notifier=false\nloglevel=error\n' "$(cat "$scratch/address")" >"$HOME/.npmrc"

# For the user: one global installation.
global="$scratch/global"
mkdir "$global"
started=$(now)
npm install -g --prefix "$global" "$scope/browse" >/dev/null
installed=$(since "$started")
own_path=$PATH
export PATH="$global/bin:$PATH"
browse="$global/bin/browse"
first_page npm "$started" "$installed"
browse skill list >"$scratch/printed"
expect "$scratch/printed" page-to-markdown "browse skill list"
man -M "$global/share/man" -w browse-click >/dev/null || fail "there is no man page"
try_programs "$root/deploy/dist/npm/README.md"

# The launcher under each Node: arguments, input, exit codes and signals.
mapfile -t nodes < <(type -ap node | xargs -n 1 readlink -f | awk '!seen[$0]++')
launcher="$global/lib/node_modules/$scope/browse/browse.js"
program=$(echo "$global/lib/node_modules/$scope/browse/node_modules/$scope"/browse-*/bin/browse)
call_time() {
  local begin
  begin=$(date +%s%N)
  for _ in $(seq 30); do "$@" --version >/dev/null; done
  awk -v a="$begin" -v b="$(date +%s%N)" 'BEGIN { printf "%.1f ms", (b - a) / 30e6 }'
}
say "npm: a call of the program itself takes $(call_time "$program")"
browse goto "$site" >/dev/null
for runner in /bin/sh "${nodes[@]}"; do
  [ "$runner" = /bin/sh ] && way="a shell" || way=$("$runner" -p '"Node " + process.version + ", which " + (process.execve ? "becomes the program" : "starts a child")')
  [ "$("$runner" "$launcher" --version)" = "browse $version" ] || fail "the launcher prints another version with $way"
  printf '["url"]' | "$runner" "$launcher" chain >"$scratch/printed"
  expect "$scratch/printed" "$site" "browse chain"
  status=0
  "$runner" "$launcher" klick >"$scratch/printed" 2>&1 || status=$?
  [ $status -eq 2 ] || fail "exit code $status instead of 2 with $way"
  ! grep -q Warning "$scratch/printed" || fail "Node prints a warning: $(cat "$scratch/printed")"
  # The child of a launcher that gets SIGKILL goes on.
  signals="TERM INT"
  [[ $way = *child ]] || signals="$signals KILL"
  for signal in $signals; do
    # Without job control a shell lets its background ignore SIGINT.
    env --default-signal=INT "$runner" "$launcher" wait 'text=never' --timeout 20s </dev/null >/dev/null 2>&1 &
    waiting=$!
    for _ in $(seq 100); do
      ! pgrep -f "^$program wait" >/dev/null || break
      sleep 0.05
    done
    kill -"$signal" $waiting
    status=0
    wait $waiting 2>/dev/null || status=$?
    [ $status -gt 128 ] || fail "exit code $status after SIG$signal with $way"
    ! pgrep -f "^$program wait" >/dev/null || fail "the program goes on after SIG$signal with $way"
  done
  say "npm: with $way, a call takes $(call_time "$runner" "$launcher")"
done
browse stop >/dev/null
npm uninstall -g --prefix "$global" "$scope/browse" >/dev/null
browse=""
[ -z "$(find "$global" -not -type d)" ] || fail "npm left files: $(find "$global" -not -type d)"
export PATH=$own_path

# In a project: the SDK's examples, with its types, beside the programs.
project="$scratch/project"
npm init -y >/dev/null
npm pkg set type=module >/dev/null
npm install "$scope/browse" "$scope/sdk" >/dev/null
browse="$project/node_modules/.bin/browse"
"$browse" goto about:blank >/dev/null
for number in 1 2; do
  example <(release_readme "$root/sdk-ts/README.md") ts "$number" >"example$number.ts"
  cp "example$number.ts" "example$number.mjs"
  # The first example is plain JavaScript as well, and so is the second.
  node "example$number.mjs" >"$scratch/printed" 2>&1 || { cat "$scratch/printed" >&2; fail "example $number of the SDK failed"; }
  [ "$number" = 1 ] && expected="200 Example Domain" || expected="Welcome ada@example.com"
  expect "$scratch/printed" "$expected" "example $number"
done
[ -s page.png ] || fail "example 2 made no page.png"
"$root/sdk-ts/node_modules/.bin/tsc" --noEmit --strict --target es2022 --module nodenext --types node \
  --typeRoots "$root/sdk-ts/node_modules/@types" example1.ts example2.ts || fail "the examples do not compile with the types of the package"
npx --no-install browse --version >/dev/null
"$browse" stop >/dev/null
browse=""
[ "$(cd "$scratch" && npx -y "$scope/browse" --version)" = "browse $version" ] || fail "npx does not run the program"

# Without the package of the platform, the launcher names the next step.
refuses() {
  local status=0
  "${@:2}" >"$scratch/printed" 2>&1 || status=$?
  [ $status -eq 4 ] || fail "exit code $status instead of 4"
  expect "$scratch/printed" "$1" "${*:2}"
  expect "$scratch/printed" "hint: " "${*:2}"
}
npm uninstall "$scope/browse" "$scope/sdk" >/dev/null
npm install --omit=optional "$scope/browse" >/dev/null
refuses "optional dependencies were left out" node_modules/.bin/browse --version
npm uninstall "$scope/browse" >/dev/null
npm install --libc=musl "$scope/browse" >/dev/null
refuses "with the programs is not installed" node_modules/.bin/browse --version
refuses "browse has no package for plan9-mips" node -e "
  Object.defineProperty(process, 'platform', { value: 'plan9' });
  Object.defineProperty(process, 'arch', { value: 'mips' });
  require('./node_modules/$scope/browse/launch.js')('browse')"
say "npm: all is well"
