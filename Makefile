# Thin: the work is done by the scripts in deploy/, and by cargo.

.DEFAULT_GOAL := help
.PHONY: help setup dashboard build dist release-check demo test test-apps test-cdp test-dist test-fleet test-recordings fuzz check gen bench bench-fleet picture clean clean-tools

help: ## Lists the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Installs what is missing: Chromium, fonts, Node, Python, openssl
	@deploy/setup.sh

dashboard: ## Builds the page of the dashboard, which the next build puts into browsed
	@deploy/dashboard.sh

build: ## Builds browse, browsed and what lies beside it for daily use (target/release)
	@deploy/build.sh release

dist: ## Makes a release for this platform in target/dist
	@deploy/dist.sh $(PARTS)

release-check: ## Says what is missing for a release
	@deploy/dist/check.sh

demo: ## Prints the 30 stories of Hacker News as JSON
	@deploy/demo.sh

test: ## Runs all tests of all languages
	@deploy/test.sh

test-apps: ## Drives browse against real applications from npm; not part of test
	@deploy/apps.sh

test-cdp: ## Drives a session with playwright-core and puppeteer-core from npm; not part of test
	@deploy/cdp.sh
	@deploy/cdp.sh --plain

test-fleet: ## Runs the chart in a real Kubernetes 1.20 made here, as root; not part of test
	@deploy/fleet-test.sh

test-recordings: ## Records eleven flows and runs their skills in three languages; not part of test
	@deploy/recordings.sh

test-dist: ## Installs and uses each package of target/dist; not part of test
	@deploy/dist/test/all.sh

fuzz: ## Feeds nonsense to the parsers for ten minutes; not part of test
	@deploy/fuzz.sh

check: ## Formatting, lints, types, and whether generated files are up to date
	@deploy/check.sh

gen: ## Writes the generated files: docs/commands.md, docs/errors.md, the SDK
	@deploy/gen.sh

bench: ## Measures browse against its peers, and writes docs/benchmarks.md
	@deploy/bench.sh

bench-fleet: ## Measures what the gateway of a fleet costs, for docs/fleet.md
	@deploy/gateway-cost.sh

picture: ## Makes the pictures of the README and of docs/dashboard.md from real runs
	@deploy/picture.sh

clean: ## Removes what was built
	@cargo clean
	@rm -rf sdk-ts/node_modules

clean-tools: ## Removes what was fetched: Node, the benchmark's peers, the applications, the clients
	@rm -rf target/tools target/bench target/apps target/cdp
