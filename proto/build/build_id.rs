//! The id of a build of the daemon: a hash of everything that it is made of.
//!
//! Shared by the build scripts of the daemon and of the command line, so that
//! a command can tell whether the running daemon is of its own build. It is no
//! part of this crate's own build: that would compile the generated code again
//! at every edit of the daemon. The sources of the command line are left out,
//! because they make no daemon stale.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
};

const SOURCES: &[&str] =
    &["Cargo.lock", "proto/Cargo.toml", "proto/browse", "proto/build", "proto/src", "server"];

/// What no daemon is built from: the generator of the docs, and tests.
const OTHER: &[&str] = &["proto/src/bin", "server/tests"];

/// Sets `BROWSE_BUILD_ID` for the crate whose build script calls it.
///
/// # Errors
/// A source that cannot be read.
pub fn emit() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("..");
    let mut files = Vec::new();
    for source in SOURCES {
        println!("cargo:rerun-if-changed=../{source}");
        collect(&root, &root.join(source), &mut files)?;
    }
    files.sort();
    let mut hash = Fnv::default();
    for name in ["PROFILE", "TARGET"] {
        hash.add(env::var(name).unwrap_or_default().as_bytes());
    }
    for file in files {
        hash.add(file.to_string_lossy().as_bytes());
        hash.add(&fs::read(root.join(&file))?);
    }
    println!("cargo:rustc-env=BROWSE_BUILD_ID={:016x}", hash.0);
    Ok(())
}

fn collect(root: &Path, path: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    let relative = path.strip_prefix(root).unwrap_or(path);
    if OTHER.iter().any(|other| relative == Path::new(other)) {
        return Ok(());
    }
    if !path.is_dir() {
        files.push(relative.to_owned());
        return Ok(());
    }
    for entry in fs::read_dir(path)? {
        collect(root, &entry?.path(), files)?;
    }
    Ok(())
}

/// FNV-1a, 64 bits: it tells builds apart, and guards nothing.
/// <https://datatracker.ietf.org/doc/html/draft-eastlake-fnv>.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    /// Adds `bytes` and their length, so that no two lists of parts run
    /// together.
    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes.iter().chain(&(bytes.len() as u64).to_le_bytes()) {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}
