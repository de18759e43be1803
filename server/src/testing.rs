//! What tests of several modules need.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::Command,
};

/// Writes a program that can be run at once. A file that is open for writing
/// cannot, and whatever another test starts meanwhile holds our open files for a
/// moment: so another process writes it.
pub fn write_program(path: &Path, script: &str) {
    let text = path.with_extension("text");
    fs::write(&text, script).expect("a file");
    fs::set_permissions(&text, fs::Permissions::from_mode(0o755)).expect("a mode");
    let copied = Command::new("cp").arg("-p").args([&text, path]).status().expect("cp runs");
    assert!(copied.success());
    fs::remove_file(text).expect("it is there");
}

/// The node that setup fetched, or else the one on the PATH.
pub fn node() -> PathBuf {
    let fetched = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/tools/node/bin/node");
    if fetched.is_file() { fetched } else { PathBuf::from("node") }
}
