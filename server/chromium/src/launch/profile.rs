//! The one directory that holds everything Chromium writes.
//!
//! Killed browsers leave files in TMPDIR, HOME and the XDG folders; so all of
//! those lie in the same directory as the profile, and it goes as a whole. A
//! profile that the user named stays; the rest goes as ever.

use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// Below this much room Chromium's shared memory does not work reliably.
const MIN_SHARED_MEMORY: u64 = 64 * 1024 * 1024;
/// Chromium makes a socket below TMPDIR, and a socket's path is at most 104
/// bytes long on macOS. This is what is left for the system's own TMPDIR.
const MAX_TEMP_PATH_BYTES: usize = 32;

/// What the folders for downloads that are not whole yet begin with.
pub const PARTIAL_DIR_PREFIX: &str = ".partial-";

/// The directories of one browser; the temporary ones go when this is dropped.
pub(crate) struct ProfileDirs {
    root: PathBuf,
    user_data_dir: PathBuf,
    downloads: PathBuf,
    is_persistent: bool,
}

impl ProfileDirs {
    /// Makes the directories, that of the downloads in `downloads` when that is
    /// given. `announce` hears of the temporary ones before they exist, so that
    /// they are removed whenever we die.
    pub(crate) fn open(
        named: Option<&Path>,
        downloads: Option<&Path>,
        announce: impl Fn(&Path),
    ) -> Result<Self> {
        let private = |recursive: bool, path: &Path| {
            let mut builder = std::fs::DirBuilder::new();
            let made = builder.recursive(recursive).mode(0o700).create(path);
            made.map_err(|error| Error::system("the profile directory", error))
        };
        let number = rand::random::<u64>();
        let root = short_temp_dir().join(format!("browse-{number:016x}"));
        announce(&root);
        // Fails if it exists: nobody can have prepared it for us.
        private(false, &root)?;
        let profile = Self {
            user_data_dir: named.map_or_else(|| root.join("profile"), Path::to_owned),
            downloads: match downloads {
                Some(folder) => folder.join(format!("{PARTIAL_DIR_PREFIX}{number:016x}")),
                None => root.join("downloads"),
            },
            is_persistent: named.is_some(),
            root,
        };
        if downloads.is_some() {
            announce(&profile.downloads);
        }
        for folder in [&profile.user_data_dir, &profile.home_dir(), &profile.uploads()] {
            private(true, folder)?;
        }
        // The folder around it is the caller's, which has made it.
        private(false, &profile.downloads)?;
        Ok(profile)
    }

    /// The user data directory.
    pub(crate) fn user_data_dir(&self) -> &Path {
        &self.user_data_dir
    }

    /// Whether the user data directory outlives the browser.
    pub(crate) fn is_persistent(&self) -> bool {
        self.is_persistent
    }

    /// The temporary directory around everything.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Where downloads land.
    pub(crate) fn downloads(&self) -> &Path {
        &self.downloads
    }

    /// Where files lie that pages are given.
    pub(crate) fn uploads(&self) -> PathBuf {
        self.root.join("uploads")
    }

    fn home_dir(&self) -> PathBuf {
        self.root.join("h")
    }

    /// The variables that keep Chromium inside the directory.
    pub(crate) fn environment(&self) -> Vec<(&'static str, PathBuf)> {
        ["HOME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"]
            .into_iter()
            .map(|name| (name, self.home_dir()))
            .collect()
    }
}

/// The temporary directory, or a shorter one when its path is too long.
fn short_temp_dir() -> PathBuf {
    let temp = std::env::temp_dir();
    let usual = PathBuf::from("/tmp");
    if temp.as_os_str().len() > MAX_TEMP_PATH_BYTES && usual.is_dir() { usual } else { temp }
}

impl Drop for ProfileDirs {
    fn drop(&mut self) {
        remove_dir_with_retries(&self.root);
        if !self.downloads.starts_with(&self.root) {
            remove_dir_with_retries(&self.downloads);
        }
    }
}

/// Removes a tree. The children of a browser die a moment after it and may
/// still write, so a failure is retried for a little while.
fn remove_dir_with_retries(path: &Path) {
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
