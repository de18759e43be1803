#!/usr/bin/env bash
# Runs all tests of all languages, and says at the end how many passed.
#
# The Rust tests drive a real Chromium. Everything runs in the dev profile, with
# a BROWSE_HOME of its own.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"
deploy/setup.sh --tests
. "$root/deploy/lib.sh"
. "$root/deploy/setup/rust.sh"
check_rust
forget_callers_daemon

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export BROWSE_HOME="$scratch/home"
log="$scratch/log"
failed=()

# Runs one suite; the others still run when it fails.
suite() {
  local name=$1
  shift
  say "test: $name"
  "$@" 2>&1 </dev/null | tee -a "$log" || failed+=("$name")
}

# The tests of remote access compile the TypeScript SDK.
[ ! -f sdk-ts/package.json ] || deploy/gen.sh --dist

# The daemon has the page of the dashboard built in, and tests open it.
deploy/dashboard.sh

# The Rust tests run in two lanes: those of the whole product wait for browsers and
# deadlines more than they compute. What is chosen by target keeps the features of the
# workspace, so that nothing is built twice.
PRODUCT_TESTS="e2e leaks"
# What these expect holds only where a tab answers soon, so they run after all others.
TIMED_TESTS="engine_suite/receipts::what_style_alone engine_suite/random::a_page_that engine_suite/random::two_thousand e2e/deadlines:: e2e/flood:: e2e/webmcp::bad_calls daemon_suite/limits::a_ daemon_suite/arrivals:: e2e/mcp_injections:: chromium_suite/trouble::an_endless_loop"
# shellcheck disable=SC2086,SC2046 # They are words.
skip_timed=$(printf -- '--skip %s ' $(printf '%s\n' $TIMED_TESTS | cut -d/ -f2))
other_tests() {
  cargo metadata --no-deps --format-version 1 --locked | python3 -c '
import json, sys
packages = json.load(sys.stdin)["packages"]
names = {t["name"] for p in packages for t in p["targets"] if "test" in t["kind"]}
print(" ".join("--test " + n for n in sorted(names - set(sys.argv[1].split()))))' "$PRODUCT_TESTS"
}
say "test: building the Rust tests"
cargo test --workspace --locked --no-run
others=$(other_tests)
# shellcheck disable=SC2086,SC2046 # They are words.
cargo test --workspace --locked --no-fail-fast $(printf -- '--test %s ' $PRODUCT_TESTS) \
  -- $skip_timed >"$scratch/product.log" 2>&1 </dev/null &
product=$!
trap 'kill "$product" 2>/dev/null || true; rm -rf "$scratch"' EXIT
# shellcheck disable=SC2086 # They are words.
suite "Rust" cargo test --workspace --locked --no-fail-fast --lib --bins $others -- $skip_timed
suite "Rust examples in docs" cargo test --workspace --locked --doc
say "test: Rust, the whole product"
wait "$product" || failed+=("Rust, the whole product")
tee -a "$log" <"$scratch/product.log"
for timed in $TIMED_TESTS; do
  suite "Rust, ${timed##*/}" cargo test --workspace --locked --test "${timed%%/*}" "${timed##*/}"
done
if [ -f sdk-ts/package.json ]; then
  suite "TypeScript SDK and skills" npm --prefix sdk-ts test
fi
suite "Python SDK" env PYTHONPATH=sdk-python/src python3 -B -m unittest discover -s sdk-python/tests -t sdk-python
suite "Python and Rust skills" deploy/test/skills.sh
suite "Demo and benchmark" env BROWSE_TEST_BINARIES="$(binaries dev)" node --test deploy/test/*.test.mjs
suite "MCP with the Python client" deploy/test/mcp.sh "$(binaries dev)"

# Skipped by name where the npm registry cannot be reached and nothing is cached.
suite "Applications" env BROWSE_TEST_BINARIES="$(binaries dev)" deploy/apps.sh --quick
suite "Clients of the DevTools protocol" env BROWSE_TEST_BINARIES="$(binaries dev)" deploy/cdp.sh --quick

# Skipped by name where helm, kubectl and the schemas cannot be fetched.
suite "Chart of the fleet" deploy/kubernetes/test/chart.sh

suite "Dashboard" node server/dashboard/test/run.mjs
suite "Dashboard of a daemon" node server/dashboard/test/daemon.mjs "$(binaries dev)"

# Adds up the closing lines of cargo test, node's test runner and unittest.
awk '
  /^test result:/ { for (i = 2; i <= NF; i++) { if ($i ~ /^passed;/) passed += $(i-1); if ($i ~ /^failed;/) bad += $(i-1) } }
  /^(#|ℹ) pass [0-9]+$/ { passed += $3 }
  /^(#|ℹ) fail [0-9]+$/ { bad += $3 }
  /^[0-9]+ passed, [0-9]+ failed$/ { passed += $1; bad += $3 }
  /^Ran [0-9]+ tests? in/ { ran = $2 }
  /^OK( |$)/ { passed += ran; ran = 0 }
  /^FAILED \(/ { bad += 1 }
  END { printf "\n%d passed, %d failed\n", passed, bad; exit passed == 0 }
' "$log" || failed+=("no test ran")
if [ ${#failed[@]} -gt 0 ]; then
  fail "these suites failed: ${failed[*]}"
fi
