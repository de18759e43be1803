//! The messages on disk: one file, and one for each picture. Nobody else may read them.

use std::{
    fs::{self, DirBuilder},
    io,
    os::unix::{ffi::OsStrExt as _, fs::DirBuilderExt as _},
    path::{Path, PathBuf},
};

use sha2::{Digest as _, Sha256};

use browse_base::{Result, read_private};

use super::StoredMessage;
use crate::project::{unwritable, write_private};

/// Bytes of the file that are read.
const MAX_FILE_BYTES: u64 = 64 << 20;

/// How a JPEG begins.
const JPEG_START: &[u8] = &[0xff, 0xd8, 0xff];

/// The folder of a project's messages, in the home of browse: what lies in a project may have come
/// with it from somebody else, and the agent would take it for words of the person.
pub fn talk_folder(home: &Path, project: &Path) -> PathBuf {
    let hash = Sha256::digest(project.as_os_str().as_bytes());
    home.join("talk").join(browse_base::hex(&hash[..16]))
}

/// Where messages are kept.
pub(super) struct Storage {
    folder: PathBuf,
}

impl Storage {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// The messages of the daemon before. A file that cannot be read is set aside.
    pub(super) fn load(&self) -> Vec<StoredMessage> {
        let path = self.path();
        let read = || -> io::Result<Vec<StoredMessage>> {
            Ok(serde_json::from_slice(&read_private(&path, MAX_FILE_BYTES)?)?)
        };
        read().unwrap_or_else(|error| {
            if error.kind() != io::ErrorKind::NotFound {
                let aside = self.folder.join("messages.damaged");
                tracing::warn!(%error, aside = %aside.display(), "messages cannot be read");
                let _ = fs::rename(&path, aside);
            }
            Vec::new()
        })
    }

    /// Writes all messages.
    ///
    /// # Errors
    /// `FILE_UNWRITABLE`.
    pub(super) fn save(&self, messages: &[&StoredMessage]) -> Result<()> {
        let path = self.path();
        if messages.is_empty() {
            return match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    Err(unwritable(&path, &error))
                }
                _ => Ok(()),
            };
        }
        self.make_folder()?;
        let text = serde_json::to_vec(messages)
            .map_err(|error| unwritable(&path, &io::Error::other(error)))?;
        write_private(&path, text)
    }

    /// Writes the picture of a note.
    ///
    /// # Errors
    /// `FILE_UNWRITABLE`.
    pub(super) fn write_picture(&self, id: u64, picture: &[u8]) -> Result<()> {
        self.make_folder()?;
        write_private(&self.picture_path(id), picture)
    }

    pub(super) fn read_picture(&self, id: u64) -> Option<Vec<u8>> {
        read_private(&self.picture_path(id), MAX_FILE_BYTES)
            .ok()
            .filter(|bytes| bytes.starts_with(JPEG_START))
    }

    pub(super) fn remove_picture(&self, id: u64) {
        let _ = fs::remove_file(self.picture_path(id));
    }

    fn make_folder(&self) -> Result<()> {
        let made = DirBuilder::new().recursive(true).mode(0o700).create(&self.folder);
        made.map_err(|error| unwritable(&self.folder, &error))
    }

    fn path(&self) -> PathBuf {
        self.folder.join("messages.json")
    }

    fn picture_path(&self, id: u64) -> PathBuf {
        self.folder.join(format!("{id}.jpg"))
    }
}
