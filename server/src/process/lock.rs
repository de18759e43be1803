//! One daemon per project: a lock on the project's folder itself, so that no
//! lock file is ever left behind.

use std::{
    fs::File,
    path::Path,
    time::{Duration, Instant},
};

use browse_proto::Reason;

use browse_base::{Error, Result};

/// Time after which a lock is another daemon's. One that was killed while it
/// started a process leaves its lock with that process, until that has become
/// a program of its own.
const LOCK_TIMEOUT: Duration = Duration::from_secs(1);

const LOCK_RETRY_INTERVAL: Duration = Duration::from_millis(10);

/// Held for the life of the daemon; the kernel lets go when the process ends,
/// however it ends.
#[derive(Debug)]
pub struct ProjectLock {
    _folder: File,
}

impl ProjectLock {
    /// Locks `project`; `None` when another daemon has it, which `lives` knows
    /// as soon as that one has reported it.
    ///
    /// # Errors
    /// The folder cannot be opened.
    pub fn acquire(project: &Path, lives: impl Fn() -> bool) -> Result<Option<Self>> {
        let unreadable = |error: std::io::Error| {
            let message = format!("the project `{}` cannot be used: {error}", project.display());
            Error::new(Reason::FileUnreadable, message).with("path", project.display())
        };
        let folder = File::open(project).map_err(unreadable)?;
        let end = Instant::now() + LOCK_TIMEOUT;
        loop {
            match folder.try_lock() {
                Ok(()) => return Ok(Some(Self { _folder: folder })),
                Err(std::fs::TryLockError::WouldBlock) if lives() || Instant::now() > end => {
                    return Ok(None);
                }
                Err(std::fs::TryLockError::WouldBlock) => std::thread::sleep(LOCK_RETRY_INTERVAL),
                Err(std::fs::TryLockError::Error(error)) => return Err(unreadable(error)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_dead_daemon_leaves_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let take = |lives: bool| ProjectLock::acquire(folder.path(), || lives).unwrap();
        let first = take(false).expect("nobody has it");
        assert!(take(true).is_none());
        std::thread::scope(|scope| {
            let second = scope.spawn(|| take(false));
            drop(first);
            assert!(second.join().unwrap().is_some());
        });
    }
}
