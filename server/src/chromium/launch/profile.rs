//! The one directory that holds everything Chromium writes.

use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use crate::chromium::error::{Error, Result};

/// Below this much room Chromium's shared memory does not work reliably.
const MIN_SHARED_MEMORY: u64 = 64 * 1024 * 1024;

/// A profile directory; a temporary one is removed when this is dropped.
pub(crate) struct Profile {
    path: PathBuf,
    temporary: bool,
}

impl Profile {
    /// Makes a temporary profile, or opens the one the user named. `announce`
    /// hears of a temporary one before it exists, so that it is removed
    /// whenever we die.
    pub(crate) fn open(named: Option<&Path>, announce: impl FnOnce(&Path)) -> Result<Self> {
        let fail = |error: std::io::Error| Error::system("the profile directory", error);
        let private = |recursive: bool, path: &Path| {
            std::fs::DirBuilder::new()
                .recursive(recursive)
                .mode(0o700)
                .create(path)
                .map_err(fail)
        };
        let profile = match named {
            Some(path) => {
                private(true, path)?;
                Self {
                    path: path.to_owned(),
                    temporary: false,
                }
            }
            None => {
                let name = format!("browse-profile-{:032x}", rand::random::<u128>());
                let path = std::env::temp_dir().join(name);
                announce(&path);
                // Fails if it exists: nobody can have prepared it for us.
                private(false, &path)?;
                Self {
                    path,
                    temporary: true,
                }
            }
        };
        private(true, &profile.scratch())?;
        private(true, &profile.downloads())?;
        Ok(profile)
    }

    /// Where it lies.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it goes away with the browser.
    pub(crate) fn is_temporary(&self) -> bool {
        self.temporary
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

impl Drop for Profile {
    fn drop(&mut self) {
        if self.temporary {
            remove(&self.path);
        }
    }
}

/// Removes a tree. The children of a browser die a moment after it and may
/// still write, so a failure is retried for a little while.
fn remove(path: &Path) {
    for _ in 0..100 {
        match std::fs::remove_dir_all(path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
            _ => return,
        }
    }
    tracing::warn!(path = %path.display(), "a temporary profile could not be removed");
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
