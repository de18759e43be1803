//! What a file or folder looked like when it was read.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// A path and its state then.
pub struct PathStamp {
    path: PathBuf,
    folder: bool,
    state: Option<FileState>,
}

/// Modification and change time, size and inode; a missing file has none.
type FileState = (i64, i64, i64, i64, u64, u64);

impl PathStamp {
    pub fn folder(path: &Path) -> Self {
        Self { path: path.to_owned(), folder: true, state: state(path) }
    }

    pub fn file(path: &Path) -> Self {
        Self { path: path.to_owned(), folder: false, state: state(path) }
    }

    pub fn has_changed(&self) -> bool {
        state(&self.path) != self.state
    }

    /// Whether it is a folder that is there.
    pub fn is_folder(&self) -> bool {
        self.folder && self.state.is_some()
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

fn state(path: &Path) -> Option<FileState> {
    let meta = std::fs::metadata(path).ok()?;
    let (size, inode) = (meta.size(), meta.ino());
    Some((meta.mtime(), meta.mtime_nsec(), meta.ctime(), meta.ctime_nsec(), size, inode))
}
