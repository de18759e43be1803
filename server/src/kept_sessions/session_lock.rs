//! One daemon at a time has a kept session: a lock on a file beside it, which also lists the
//! projects that keep it.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io,
    os::unix::fs::{FileExt as _, MetadataExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
    time::Duration,
};

use browse_proto::Reason;
use serde::{Deserialize, Serialize};
use tokio::time::{Instant, sleep};

use crate::session_state::{StateName, unwritable};
use browse_base::{Error, HINT_KEY, Result};

/// Ending of the files.
const LOCK_SUFFIX: &str = ".lock";

/// Time after which a lock is another daemon's. One that was killed while it started a process
/// leaves its lock with that process for a moment.
const LOCK_TIMEOUT: Duration = Duration::from_secs(1);

const LOCK_RETRY_INTERVAL: Duration = Duration::from_millis(10);

/// Projects that a file lists; those that used the session the longest ago fall out.
const MAX_PROJECTS: usize = 100;

/// Held while the session is open here; the kernel lets go when the process ends, however it
/// ends.
pub(super) struct KeptSessionLock {
    file: File,
    path: PathBuf,
    projects: Vec<String>,
}

/// What the file holds.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct LockContents {
    /// Folders of projects that keep the session, the one that opened it last first.
    projects: Vec<String>,
}

impl KeptSessionLock {
    /// Takes the lock of the session `name`, whose file lies in `folder`.
    ///
    /// # Errors
    /// `SESSION_KEPT_BY_ANOTHER`, `FILE_UNWRITABLE`.
    pub async fn acquire(folder: &Path, name: &StateName) -> Result<Self> {
        let path = folder.join(format!("{name}{LOCK_SUFFIX}"));
        let end = Instant::now() + LOCK_TIMEOUT;
        loop {
            let file = open_file(&path).map_err(|error| unwritable(&path, &error))?;
            match file.try_lock() {
                Ok(()) if is_at(&file, &path) => {
                    let projects = read_projects(&path);
                    return Ok(Self { file, path, projects });
                }
                // The daemon before has removed it: the next one is another file.
                Ok(()) => {}
                Err(TryLockError::WouldBlock) if Instant::now() > end => {
                    return Err(kept_by_another(name, &read_projects(&path)));
                }
                Err(TryLockError::WouldBlock) => sleep(LOCK_RETRY_INTERVAL).await,
                Err(TryLockError::Error(error)) => return Err(unwritable(&path, &error)),
            }
        }
    }

    /// Notes that `project` keeps the session.
    ///
    /// # Errors
    /// `FILE_UNWRITABLE`.
    pub fn add_project(&mut self, project: &str) -> Result<()> {
        self.projects.retain(|known| known != project);
        self.projects.insert(0, project.to_owned());
        self.projects.truncate(MAX_PROJECTS);
        let contents = LockContents { projects: self.projects.clone() };
        let write = || -> io::Result<()> {
            let text = serde_json::to_vec(&contents)?;
            self.file.write_all_at(&text, 0)?;
            self.file.set_len(text.len() as u64)
        };
        write().map_err(|error| unwritable(&self.path, &error))
    }

    /// Refuses to forget the session for `project` when only other projects keep it, unless
    /// their folders are all gone.
    ///
    /// # Errors
    /// `SESSION_KEPT_BY_ANOTHER`.
    pub fn check_forgettable(&self, name: &StateName, project: &str) -> Result<()> {
        if self.projects.iter().any(|known| known == project) {
            return Ok(());
        }
        // One that cannot be asked about may be there.
        let exists = |project: &&String| Path::new(project.as_str()).try_exists().unwrap_or(true);
        let Some(other) = self.projects.iter().find(exists) else { return Ok(()) };
        let message = format!("the session `{name}` is kept by the project `{other}`");
        let hint = format!("Run `browse session close {name} --forget` in `{other}`");
        let error = Error::new(Reason::SessionKeptByAnother, message).with("session", name);
        Err(error.with("project", other).with(HINT_KEY, hint))
    }

    /// Removes the file, and with it the list of projects.
    ///
    /// # Errors
    /// `FILE_UNWRITABLE`.
    pub fn remove(self) -> Result<()> {
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(unwritable(&self.path, &error))
            }
            _ => Ok(()),
        }
    }
}

/// The sessions in `folder` that `project` keeps, by name.
pub(super) fn sessions_of(folder: &Path, project: &str) -> Vec<StateName> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let kept = entries.filter_map(|entry| {
        let file = entry.file_name().into_string().ok()?;
        let name = file.strip_suffix(LOCK_SUFFIX)?.parse().ok()?;
        let is_kept = read_projects(&entry.path()).iter().any(|known| known == project);
        is_kept.then_some(name)
    });
    let mut kept: Vec<_> = kept.collect();
    kept.sort();
    kept
}

fn open_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(path)
}

/// Whether `file` is the one that lies at `path`.
fn is_at(file: &File, path: &Path) -> bool {
    let (Ok(own), Ok(found)) = (file.metadata(), fs::metadata(path)) else { return false };
    (own.dev(), own.ino()) == (found.dev(), found.ino())
}

fn read_projects(path: &Path) -> Vec<String> {
    let text = fs::read(path).unwrap_or_default();
    serde_json::from_slice::<LockContents>(&text).unwrap_or_default().projects
}

fn kept_by_another(name: &StateName, projects: &[String]) -> Error {
    let project = projects.first().map_or("another project", String::as_str);
    let message = format!("the session `{name}` is open in the project `{project}`");
    let error = Error::new(Reason::SessionKeptByAnother, message);
    error.with("session", name).with("project", project)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn name() -> StateName {
        "work".parse().expect("a name")
    }

    #[tokio::test]
    async fn one_daemon_at_a_time_has_a_kept_session() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut first = KeptSessionLock::acquire(folder.path(), &name()).await.expect("free");
        first.add_project("/a/longer/path").expect("written");
        first.add_project("/b").expect("written");
        let refused = KeptSessionLock::acquire(folder.path(), &name()).await;
        let error = refused.map(drop).expect_err("it is taken");
        assert_eq!(error.reason(), Reason::SessionKeptByAnother);
        assert_eq!(error.metadata().get("project").map(String::as_str), Some("/b"));
        drop(first);
        let second = KeptSessionLock::acquire(folder.path(), &name()).await.expect("free again");
        assert_eq!(second.projects, ["/b", "/a/longer/path"]);
        let about = fs::metadata(&second.path).expect("it is there");
        assert_eq!(about.permissions().mode() & 0o777, 0o600);
    }

    #[tokio::test]
    async fn a_project_finds_the_sessions_that_it_keeps() {
        let folder = tempfile::tempdir().expect("a folder");
        for (session, project) in [("work", "/a"), ("mail", "/a"), ("other", "/b")] {
            let name = session.parse().expect("a name");
            let mut lock = KeptSessionLock::acquire(folder.path(), &name).await.expect("free");
            lock.add_project(project).expect("written");
        }
        fs::write(folder.path().join("odd.lock"), "not JSON").expect("a file");
        let found = sessions_of(folder.path(), "/a");
        assert_eq!(found.iter().map(StateName::as_str).collect::<Vec<_>>(), ["mail", "work"]);
        assert!(sessions_of(folder.path(), "/c").is_empty());
        assert!(sessions_of(&folder.path().join("missing"), "/a").is_empty());
    }

    #[tokio::test]
    async fn what_another_project_keeps_is_not_forgotten() {
        let folder = tempfile::tempdir().expect("a folder");
        let other = tempfile::tempdir().expect("a project");
        let there = other.path().to_str().expect("a path");
        let mut lock = KeptSessionLock::acquire(folder.path(), &name()).await.expect("free");
        lock.check_forgettable(&name(), "/a").expect("nobody keeps it");
        lock.add_project(there).expect("written");
        lock.add_project("/no/such/folder").expect("written");
        let error = lock.check_forgettable(&name(), "/a").expect_err("it is the other's");
        assert_eq!(error.reason(), Reason::SessionKeptByAnother);
        assert_eq!(error.metadata().get("project").map(String::as_str), Some(there));
        lock.check_forgettable(&name(), there).expect("it is its own");
        drop(other);
        lock.check_forgettable(&name(), "/a").expect("the other is gone");
    }

    #[tokio::test]
    async fn a_lock_on_a_file_that_was_removed_is_worth_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let first = KeptSessionLock::acquire(folder.path(), &name()).await.expect("free");
        let old = open_file(&first.path).expect("the same file");
        first.remove().expect("removed");
        old.try_lock().expect("nobody has it");
        assert!(!is_at(&old, &folder.path().join("work.lock")));
        KeptSessionLock::acquire(folder.path(), &name()).await.expect("another file");
    }
}
