# shellcheck shell=bash disable=SC2034,SC2154 # sourced: variables are set or used by the others
# The classifier that the tests of the ONNX tier run, and its runtime: two
# packages of PyPI (42 MB) as models.txt pins them, into target/tools/models.

models_source=https://files.pythonhosted.org

# Fetches what is missing. Without a network all goes on without those tests,
# and they say so.
install_models() {
  local folder="$tools/models" system sum path file
  [ "$(getconf GNU_LIBC_VERSION 2>/dev/null)" ] || [ "$(uname -s)" = Darwin ] || return 0
  while read -r system sum path; do
    case "$system" in
      any | "$(uname -s)-$(uname -m)") ;;
      *) continue ;;
    esac
    file="$folder/$(basename "$path")"
    [ ! -f "$file" ] || continue
    mkdir -p "$folder"
    say "setup: fetching from PyPI into target/tools/models: $(basename "$path")"
    if ! fetch_model "$models_source$path" "$sum" "$file"; then
      say "warning: $(basename "$path") could not be fetched; the tests of the ONNX tier are left out"
    fi
  done < <(grep -v '^#' "$root/deploy/setup/models.txt")
}

# Fetches $1 into the file $3 when its SHA-256 is $2.
fetch_model() {
  python3 - "$@" <<'PYTHON'
import hashlib, os, sys, time, urllib.request

address, wanted, path = sys.argv[1:]
for left in (2, 1, 0):
    try:
        with urllib.request.urlopen(address, timeout=60) as answer:
            found = answer.read()
        break
    except OSError as error:
        print(f"setup: {error}", file=sys.stderr)
        if left == 0:
            sys.exit(1)
        time.sleep(2)
if hashlib.sha256(found).hexdigest() != wanted:
    sys.exit(f"setup: {address} is not what was pinned")
with open(path + ".part", "wb") as part:
    part.write(found)
os.replace(path + ".part", path)
PYTHON
}
