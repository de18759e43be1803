//! The folder of states. Files are replaced whole: whoever reads one while it
//! is written reads the old one, and so does a machine that loses power.

use std::{
    fs::{self, DirBuilder},
    io::{self, Write as _},
    os::unix::fs::{DirBuilderExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
    time::SystemTime,
};

use browse_proto::Reason;

use super::{KeyLocation, MAX_STATE_BYTES, StateName, seal};
use browse_base::{Error, Result};

/// Ending of the files.
const FILE_SUFFIX: &str = ".state";

/// The folder of the states, in the home of browse.
const STATES_FOLDER: &str = "state";

/// The folder of sessions that are kept, below that of the states.
const SESSIONS_FOLDER: &str = "sessions";

/// The states of a home of browse.
pub struct StateStore {
    folder: PathBuf,
}

/// A file of the store.
pub struct StateFileInfo {
    /// Name of the state.
    pub name: StateName,
    /// When it was written, as RFC 3339 in UTC.
    pub saved: String,
    /// Its size.
    pub bytes: u64,
}

impl StateStore {
    /// The states of the home of browse `home`.
    ///
    /// # Errors
    /// `FILE_UNWRITABLE`.
    pub fn in_home(home: &Path) -> Result<Self> {
        Self::open(home.join(STATES_FOLDER))
    }

    /// The sessions that are kept in the same home. Their keys are those of the states.
    ///
    /// # Errors
    /// `FILE_UNWRITABLE`.
    pub fn sessions(&self) -> Result<Self> {
        Self::open(self.folder.join(SESSIONS_FOLDER))
    }

    /// The folder of the sessions that are kept in the home of browse `home`; it need not exist.
    pub fn sessions_folder(home: &Path) -> PathBuf {
        home.join(STATES_FOLDER).join(SESSIONS_FOLDER)
    }

    /// The store in `folder`, which is made for the user alone.
    ///
    /// # Errors
    /// `FILE_UNWRITABLE`.
    pub fn open(folder: PathBuf) -> Result<Self> {
        let make = || {
            DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
            fs::set_permissions(&folder, fs::Permissions::from_mode(0o700))
        };
        make().map_err(|error| unwritable(&folder, &error))?;
        Ok(Self { folder })
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where a key is that is in no keychain.
    pub fn key_file(&self) -> PathBuf {
        self.folder.join("key")
    }

    /// Writes a state, in place of one of the same name.
    ///
    /// # Errors
    /// `FILE_UNWRITABLE`.
    pub async fn write(&self, name: &StateName, sealed: &[u8]) -> Result<()> {
        let (folder, path) = (self.folder.clone(), self.path(name));
        let bytes = sealed.to_vec();
        let shown = path.clone();
        let write = move || {
            // Temp files of this kind have mode 0600.
            let mut file = tempfile::NamedTempFile::new_in(&folder)?;
            file.write_all(&bytes)?;
            file.as_file().sync_all()?;
            file.persist(&path).map_err(|error| error.error)?;
            fs::File::open(&folder)?.sync_all()
        };
        run_blocking(write).await.map_err(|error| unwritable(&shown, &error))
    }

    /// Reads a state as it lies there.
    ///
    /// # Errors
    /// `STATE_NOT_FOUND`, `STATE_CORRUPT`.
    pub async fn read(&self, name: &StateName) -> Result<Vec<u8>> {
        let path = self.path(name);
        let read = move || {
            if fs::metadata(&path)?.len() > 2 * MAX_STATE_BYTES as u64 {
                return Err(io::Error::other("it is too large for a state"));
            }
            fs::read(&path)
        };
        run_blocking(read).await.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => not_found(name),
            _ => {
                let message = format!("the state `{name}` cannot be read: {error}");
                Error::new(Reason::StateCorrupt, message).with("name", name)
            }
        })
    }

    /// Where the key of a state is.
    ///
    /// # Errors
    /// As [`Store::read`].
    pub async fn key_location(&self, name: &StateName) -> Result<KeyLocation> {
        Ok(seal::read_header(&self.read(name).await?, name)?.location)
    }

    /// Whether there is a state, or a session that is kept, whose key is in `place`.
    pub async fn has_state_with_key_in(&self, place: KeyLocation) -> Result<bool> {
        for store in [self, &self.sessions()?] {
            for file in store.list().await? {
                if store.key_location(&file.name).await.is_ok_and(|found| found == place) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// When a state was written; none when there is none.
    pub fn saved_at(&self, name: &StateName) -> Option<SystemTime> {
        Self::saved_at_in(&self.folder, name)
    }

    /// The same for a folder that need not exist.
    pub fn saved_at_in(folder: &Path, name: &StateName) -> Option<SystemTime> {
        fs::metadata(path_in(folder, name)).and_then(|about| about.modified()).ok()
    }

    /// The states, by name.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub async fn list(&self) -> Result<Vec<StateFileInfo>> {
        let folder = self.folder.clone();
        let list = move || {
            let mut files: Vec<_> =
                fs::read_dir(&folder)?.flatten().filter_map(state_file_info).collect();
            files.sort_by(|a, b| a.name.cmp(&b.name));
            Ok(files)
        };
        run_blocking(list).await.map_err(|error| unwritable(&self.folder, &error))
    }

    /// Removes a state.
    ///
    /// # Errors
    /// `STATE_NOT_FOUND`, `FILE_UNWRITABLE`.
    pub async fn remove(&self, name: &StateName) -> Result<()> {
        let path = self.path(name);
        fs::remove_file(&path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => not_found(name),
            _ => unwritable(&path, &error),
        })
    }

    fn path(&self, name: &StateName) -> PathBuf {
        path_in(&self.folder, name)
    }
}

fn path_in(folder: &Path, name: &StateName) -> PathBuf {
    folder.join(format!("{name}{FILE_SUFFIX}"))
}

fn state_file_info(entry: fs::DirEntry) -> Option<StateFileInfo> {
    let name = entry.file_name().into_string().ok()?;
    let name = name.strip_suffix(FILE_SUFFIX)?.parse().ok()?;
    let found = entry.metadata().ok().filter(fs::Metadata::is_file)?;
    let saved = found.modified().unwrap_or(SystemTime::UNIX_EPOCH);
    let saved = humantime::format_rfc3339_seconds(saved).to_string();
    Some(StateFileInfo { name, saved, bytes: found.len() })
}

async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| Err(io::Error::other(error)))
}

fn not_found(name: &StateName) -> Error {
    Error::new(Reason::StateNotFound, format!("there is no state `{name}`")).with("name", name)
}

/// What cannot be written, or read, in the home of browse.
pub fn unwritable(path: &Path, error: &io::Error) -> Error {
    let message = format!("`{}`: {error}", path.display());
    Error::new(Reason::FileUnwritable, message).with("path", path.display())
}
