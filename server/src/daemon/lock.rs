//! One daemon per project: a lock on the project's folder itself, so that no
//! lock file is ever left behind.

use std::{fs::File, path::Path};

use browse_proto::Reason;

use crate::error::{Error, Result};

/// Held for the life of the daemon; the kernel lets go when the process ends,
/// however it ends.
#[derive(Debug)]
pub struct Lock {
    _folder: File,
}

impl Lock {
    /// Locks `project`; `None` when another daemon has it.
    ///
    /// # Errors
    /// The folder cannot be opened.
    pub fn take(project: &Path) -> Result<Option<Self>> {
        let unreadable = |error: std::io::Error| {
            let message = format!("the project `{}` cannot be used: {error}", project.display());
            Error::new(Reason::FileUnreadable, message).with("path", project.display())
        };
        let folder = File::open(project).map_err(unreadable)?;
        match folder.try_lock() {
            Ok(()) => Ok(Some(Self { _folder: folder })),
            Err(std::fs::TryLockError::WouldBlock) => Ok(None),
            Err(std::fs::TryLockError::Error(error)) => Err(unreadable(error)),
        }
    }
}
