# What a release is called and made with, and what it holds: the one list. Sourced, not run.

# The compiler of releases. Another one gives other bytes.
release_rust=1.95.0
# The oldest glibc that a release for Linux runs on; a newer symbol fails the build.
release_glibc=2.36
# Where install.sh looks for releases, and the key that signs them. Empty until there is a
# server: install.sh then asks for --from.
release_url=${RELEASE_URL:-}
release_key=${RELEASE_KEY:-}

release_programs="browse browsed browse-mcp browse-onnx browse-ngrok"
release_documents="LICENSE THIRD-PARTY.md README.md"

# The version, which Cargo.toml alone holds.
release_version() {
  sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' "$root/Cargo.toml"
}
