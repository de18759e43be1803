#!/bin/sh
# The cargo of a release, which `cargo auditable` runs. It sets itself as the wrapper of rustc for the
# crates of the workspace, and cargo hashes the path of that wrapper into their symbols: two
# folders would give two releases. The path of a wrapper for all crates is not hashed.
RUSTC_WRAPPER=$RUSTC_WORKSPACE_WRAPPER
export RUSTC_WRAPPER
unset RUSTC_WORKSPACE_WRAPPER CARGO
exec cargo "$@"
