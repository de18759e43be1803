#!/usr/bin/env bash
# Drives the MCP server with the Python package `mcp`, a client of another maker:
# deploy/test/mcp.sh FOLDER-OF-THE-BINARIES
#
# The package is installed into target/tools, at pinned versions. Skipped by name where
# the registry cannot be reached and nothing is installed.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

binaries=${1:?the folder of the binaries}
wanted="$root/deploy/test/mcp/requirements.txt"
venv="$tools/mcp-client"

if ! cmp -s "$wanted" "$venv/installed.txt"; then
  rm -rf "$venv"
  if ! { python3 -m venv "$venv" && "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$wanted"; }; then
    rm -rf "$venv"
    say "skipped: the Python package \`mcp\` cannot be installed (is python3-venv there, and the registry reachable?)"
    exit 0
  fi
  cp "$wanted" "$venv/installed.txt"
fi
BROWSE_TEST_BINARIES=$binaries "$venv/bin/python" -B -m unittest discover -s "$root/deploy/test/mcp"
