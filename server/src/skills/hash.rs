//! The content hash of a skill: what trust and the caches hold on to.
//!
//! This file uses nothing of the crate: the build script reads it too, for the
//! hashes of the bundled skills.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

/// Most files that a skill may have.
const MAX_FILES: usize = 20_000;

/// Most bytes that its files may have.
const MAX_TOTAL_BYTES: u64 = 512 << 20;

/// The files of a skill, relative to it, sorted.
///
/// # Errors
/// A symbolic link or other special file: what it leads to is not the skill's.
pub fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    if !fs::symlink_metadata(folder)?.is_dir() {
        return Err(invalid("its folder is a symbolic link"));
    }
    let (mut found, mut bytes) = (Vec::new(), 0);
    let mut open = vec![PathBuf::new()];
    while let Some(inner) = open.pop() {
        for entry in fs::read_dir(folder.join(&inner))? {
            let entry = entry?;
            let path = inner.join(entry.file_name());
            let kind = entry.file_type()?;
            if kind.is_dir() {
                open.push(path);
            } else if kind.is_file() {
                bytes += entry.metadata()?.len();
                found.push(path);
            } else {
                return Err(invalid(&format!(
                    "`{}` is neither a file nor a folder",
                    path.display()
                )));
            }
        }
        if found.len() > MAX_FILES || open.len() > MAX_FILES {
            return Err(invalid("it has too many files"));
        }
        if bytes > MAX_TOTAL_BYTES {
            return Err(invalid("its files are too large"));
        }
    }
    found.sort();
    Ok(found)
}

fn invalid(problem: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, problem)
}

/// The hash of a skill in the making: its files are added in the order of [`files`].
#[derive(Default)]
pub struct ContentHasher(Sha256);

impl ContentHasher {
    /// Begins the file `path`, whose content follows in pieces of `length` bytes in all.
    pub fn begin(&mut self, path: &Path, executable: bool, length: u64) {
        let name = path.as_os_str().as_encoded_bytes();
        self.0.update((name.len() as u64).to_le_bytes());
        self.0.update(name);
        self.0.update([u8::from(executable)]);
        self.0.update(length.to_le_bytes());
    }

    /// Adds a piece of the content.
    pub fn update(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }

    /// The hash, in hexadecimal digits.
    pub fn finish(self) -> String {
        self.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// SHA-256 over name, mode and content of every file.
pub fn hash(folder: &Path) -> io::Result<String> {
    let mut hasher = ContentHasher::default();
    for path in files(folder)? {
        let whole = folder.join(&path);
        let executable = fs::metadata(&whole)?.permissions().mode() & 0o111 != 0;
        let content = fs::read(whole)?;
        hasher.begin(&path, executable, content.len() as u64);
        hasher.update(&content);
    }
    Ok(hasher.finish())
}
