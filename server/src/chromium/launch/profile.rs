//! The one directory that holds everything Chromium writes.

use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::chromium::error::{Error, Result};

/// Below this much room Chromium's shared memory does not work reliably.
const MIN_SHARED_MEMORY: u64 = 64 * 1024 * 1024;

/// A profile directory; a temporary one is removed when this is dropped.
pub(crate) struct Profile {
    path: PathBuf,
    temporary: Option<tempfile::TempDir>,
}

impl Profile {
    /// Makes a temporary profile, or opens the one the user named.
    pub(crate) fn open(named: Option<&Path>) -> Result<Self> {
        let fail = |error: std::io::Error| Error::system("the profile directory", error);
        let profile = match named {
            Some(path) => {
                std::fs::DirBuilder::new()
                    .recursive(true)
                    .mode(0o700)
                    .create(path)
                    .map_err(fail)?;
                Self {
                    path: path.to_owned(),
                    temporary: None,
                }
            }
            None => {
                let folder = tempfile::Builder::new()
                    .prefix("browse-profile-")
                    .permissions(std::fs::Permissions::from_mode(0o700))
                    .tempdir()
                    .map_err(fail)?;
                Self {
                    path: folder.path().to_owned(),
                    temporary: Some(folder),
                }
            }
        };
        for folder in [profile.scratch(), profile.downloads()] {
            std::fs::DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(folder)
                .map_err(fail)?;
        }
        Ok(profile)
    }

    /// Where it lies.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it goes away with the browser.
    pub(crate) fn is_temporary(&self) -> bool {
        self.temporary.is_some()
    }

    /// Where downloads land, 0700.
    pub(crate) fn downloads(&self) -> PathBuf {
        self.path.join("browse-downloads")
    }

    /// TMPDIR, HOME and the XDG folders of the browser: killed browsers leave
    /// files in all of them.
    fn scratch(&self) -> PathBuf {
        self.path.join("browse-home")
    }

    /// The variables that keep Chromium inside the directory.
    pub(crate) fn environment(&self) -> Vec<(&'static str, PathBuf)> {
        [
            "HOME",
            "TMPDIR",
            "XDG_CONFIG_HOME",
            "XDG_CACHE_HOME",
            "XDG_DATA_HOME",
        ]
        .into_iter()
        .map(|name| (name, self.scratch()))
        .collect()
    }
}

/// Why /dev/shm cannot be used, when it cannot.
#[cfg(target_os = "linux")]
pub(crate) fn shared_memory_problem() -> Option<String> {
    let place = Path::new("/dev/shm");
    let room = match nix::sys::statvfs::statvfs(place) {
        Ok(stat) => stat.blocks_available() * stat.fragment_size(),
        Err(error) => return Some(format!("/dev/shm cannot be used: {error}")),
    };
    if room < MIN_SHARED_MEMORY {
        return Some(format!("/dev/shm has only {} MiB free", room / 1024 / 1024));
    }
    match tempfile::tempfile_in(place) {
        Ok(_) => None,
        Err(error) => Some(format!("/dev/shm cannot be written: {error}")),
    }
}

/// Only Linux has it.
#[cfg(not(target_os = "linux"))]
pub(crate) fn shared_memory_problem() -> Option<String> {
    let _ = MIN_SHARED_MEMORY;
    None
}
