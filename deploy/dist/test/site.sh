# shellcheck shell=bash disable=SC2154,SC2164 # sourced after lib.sh, with set -e
# What the tests of the packages for registries share: a scratch folder that is also HOME and the
# project, a site on loopback, and the examples of a README. Sourced after lib.sh.

scratch=$(mktemp -d)
# shellcheck disable=SC2034 # for what must be cached
own_home=$HOME
browse=""
server=""

# Ends the daemon and the site of this test, and removes its files.
end_test() {
  [ -z "$browse" ] || (cd "$scratch/project" && "$browse" stop >/dev/null 2>&1) || true
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  [ -z "${registry:-}" ] || kill "$registry" 2>/dev/null || true
  rm -rf "$scratch"
}
trap end_test EXIT

forget_callers_daemon
mkdir -p "$scratch"/{home,project,site/sign-in}
export HOME="$scratch/home" BROWSE_HOME="$scratch/home/.browse" BROWSE_IDLE_TIMEOUT=2m
# Caches and settings of the caller's other tools.
unset XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME PYTHONPATH VIRTUAL_ENV NODE_PATH NODE_OPTIONS

cat >"$scratch/site/index.html" <<'HTML'
<!doctype html><title>Example Domain</title>
<main><h1>Example Domain</h1><a href="/sign-in/">Sign in</a></main>
HTML
cat >"$scratch/site/sign-in/index.html" <<'HTML'
<!doctype html><title>Sign in</title>
<main><form><label>Email <input name="email"></label><button>Sign in</button></form></main>
<script>
  document.querySelector('form').onsubmit = (event) => {
    event.preventDefault();
    document.querySelector('main').textContent = `Welcome ${new FormData(event.target).get('email')}`;
  };
</script>
HTML
python3 -u -m http.server --bind 127.0.0.1 --directory "$scratch/site" 0 >"$scratch/served" 2>/dev/null &
server=$!
for _ in $(seq 100); do
  grep -q 'port [0-9]' "$scratch/served" && break
  sleep 0.1
done
site=http://127.0.0.1:$(sed -n 's/.* port \([0-9]*\) .*/\1/p' "$scratch/served")

# Prints a block of a README by its language and number; it opens this site where the README
# has example.com.
example() {
  awk -v language="$2" -v wanted="$3" '
    /^```/ { if (inside) inside = 0; else if ($0 ~ "^```" language) inside = ++count == wanted; else inside = 0; other = !other; next }
    inside' "$1" | sed "s|https://example.com|$site|g" >"$scratch/example"
  [ -s "$scratch/example" ] || fail "$1 has no block $3 of $2"
  cat "$scratch/example"
}

# Fails unless a file has a line with a text.
expect() {
  grep -qF -- "$2" "$1" || { cat "$1" >&2; fail "\`$2\` is missing in this output: $3"; }
}

# Milliseconds, and what passed since as seconds.
now() { date +%s%3N; }
since() { awk -v a="$1" -v b="$(now)" 'BEGIN { printf "%.1f s", (b - a) / 1000 }'; }

# The one file of a release that a pattern names.
release_file() {
  local found
  mapfile -t found < <(compgen -G "$1/$2")
  [ "${#found[@]}" -eq 1 ] || fail "$1 must have one file $2" "make it with \`make dist\`"
  echo "${found[0]}"
}

# An environment with what a file pins, from PyPI, cached in target/tools: its folder is printed.
python_environment() {
  local folder="$root/target/tools/$1" pins=$2
  if ! cmp -s "$pins" "$folder/pins.txt"; then
    rm -rf "$folder"
    python3 -m venv "$folder"
    HOME=$own_home "$folder/bin/pip" install --quiet --disable-pip-version-check -r "$pins" >&2
    cp "$pins" "$folder/pins.txt"
  fi
  echo "$folder"
}

# The first page with the `browse` on PATH that was just installed: `first_page NAME STARTED INSTALLED`.
first_page() {
  cd "$scratch/project"
  browse goto "$site" >/dev/null
  browse snapshot -i >"$scratch/printed"
  expect "$scratch/printed" '@e1 link "Sign in"' "browse snapshot -i"
  say "$1: installed in $3, first snapshot $(since "$2") after the start of the installation"
}

# Runs the commands of a README of the programs, and checks what they print.
try_programs() {
  example "$1" sh 1 >"$scratch/commands"
  (cd "$scratch/project" && bash -euo pipefail "$scratch/commands") >"$scratch/printed" 2>&1 ||
    { cat "$scratch/printed" >&2; fail "the commands of $1 failed"; }
  expect "$scratch/printed" 'link "Sign in"' "$1"
  [ -s "$scratch/project/page.png" ] || fail "$1 made no page.png"
  rm "$scratch/project/page.png"
}
