//! The state file: where the daemon of a project listens, and its root token.
//!
//! A process that can write it receives our calls, and the environment that a trusted
//! skill gets. So it counts only when it is ours alone: a checkout of a
//! repository that carries one never has its mode.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{self, Read as _},
    net::SocketAddr,
    os::unix::fs::{MetadataExt as _, OpenOptionsExt as _},
    path::Path,
};

use browse_proto::Reason;
use rustix::{
    fs::OFlags,
    process::{Pid, geteuid, test_kill_process},
};
use serde_json::Value;

use crate::{
    failure::{Failure, Result},
    io_failure,
    project::ProjectPaths,
};

/// What the daemon says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunningDaemon {
    /// Its process.
    pub pid: i32,
    /// Where it listens, on this machine.
    pub address: SocketAddr,
    /// The root token.
    pub token: String,
    /// The build that it is of.
    pub build_id: String,
    /// When it started; a restarted daemon keeps its process id.
    pub started_at: String,
}

impl RunningDaemon {
    /// Reads the state file; `None` when there is none.
    pub fn read(path: &Path) -> Result<Option<Self>> {
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32;
        let file = match OpenOptions::new().read(true).custom_flags(flags).open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => return Ok(None),
            Err(error) => return Err(invalid_state_file(path, &io_failure::error_text(&error))),
        };
        let text = read_private_text(file).map_err(|fault| invalid_state_file(path, &fault))?;
        Self::parse(&text).map(Some).map_err(|fault| invalid_state_file(path, fault))
    }

    fn parse(text: &str) -> Result<Self, &'static str> {
        let value: Value = serde_json::from_str(text).map_err(|_| "it is not JSON")?;
        let string = |key| value.get(key).and_then(Value::as_str).unwrap_or_default();
        let pid = value.get("pid").and_then(Value::as_i64).and_then(|pid| i32::try_from(pid).ok());
        let address = string("address").trim_start_matches("http://").trim_end_matches('/');
        let address: SocketAddr = address.parse().map_err(|_| "it holds no address")?;
        if !address.ip().is_loopback() {
            return Err("its address is not on this machine");
        }
        if string("token").is_empty() {
            return Err("it holds no token");
        }
        Ok(Self {
            pid: pid.filter(|pid| *pid > 0).ok_or("it holds no process id")?,
            address,
            token: string("token").to_owned(),
            build_id: string("build_id").to_owned(),
            started_at: string("started_at").to_owned(),
        })
    }

    /// Whether the daemon that wrote it lives: its process exists, and its lock
    /// is held, which no other process can inherit together with the id.
    pub fn is_alive(&self, project: &ProjectPaths) -> bool {
        let exists = Pid::from_raw(self.pid).is_some_and(|pid| test_kill_process(pid).is_ok());
        exists && is_locked(&project.root)
    }
}

/// Whether a daemon holds the lock of the project at `root`.
pub fn is_locked(root: &Path) -> bool {
    let Ok(folder) = File::open(root) else {
        return false;
    };
    match folder.try_lock_shared() {
        Ok(()) => false,
        // A file system without locks leaves the question to the process id.
        Err(TryLockError::WouldBlock | TryLockError::Error(_)) => true,
    }
}

fn read_private_text(mut file: File) -> Result<String, String> {
    let about = file.metadata().map_err(|error| io_failure::error_text(&error))?;
    if !about.is_file() {
        return Err("it is not a plain file".to_owned());
    }
    if about.uid() != geteuid().as_raw() {
        return Err("it belongs to another user".to_owned());
    }
    if about.mode() & 0o077 != 0 {
        return Err(format!("others may open it (mode {:o})", about.mode() & 0o777));
    }
    let mut text = String::new();
    file.read_to_string(&mut text).map_err(|error| io_failure::error_text(&error))?;
    Ok(text)
}

fn invalid_state_file(path: &Path, fault: &str) -> Failure {
    let shown = path.display().to_string();
    let message = format!("the state file `{shown}` cannot be used: {fault}");
    Failure::with_values(Reason::StateFileInvalid, message, [("path", shown)])
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt as _};

    use super::*;

    const GOOD: &str =
        r#"{"pid": 7, "address": "127.0.0.1:4567", "token": "t", "build_id": "b", "new": 1}"#;

    fn read(text: &str, mode: u32) -> Result<Option<RunningDaemon>> {
        let folder = tempfile::tempdir().expect("a temp dir");
        let path = folder.path().join("daemon.json");
        fs::write(&path, text).expect("it writes");
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("its mode is set");
        RunningDaemon::read(&path)
    }

    #[test]
    fn a_good_file_is_read() {
        let state = read(GOOD, 0o600).expect("it is good").expect("it is there");
        assert_eq!((state.pid, state.address.port(), state.token.as_str()), (7, 4567, "t"));
    }

    #[test]
    fn a_file_that_others_may_open_is_refused() {
        for mode in [0o644, 0o640, 0o602] {
            assert!(
                read(GOOD, mode).expect_err("it is foreign").has_reason(Reason::StateFileInvalid)
            );
        }
    }

    #[test]
    fn damaged_files_are_refused() {
        for text in ["", "{", "[]", r#"{"pid": 7, "address": "192.0.2.1:80", "token": "t"}"#] {
            let failure = read(text, 0o600).expect_err("it is damaged");
            assert!(failure.has_reason(Reason::StateFileInvalid), "{text}");
        }
    }

    #[test]
    fn a_link_is_not_followed() {
        let folder = tempfile::tempdir().expect("a temp dir");
        let (file, link) = (folder.path().join("other"), folder.path().join("daemon.json"));
        fs::write(&file, GOOD).expect("it writes");
        std::os::unix::fs::symlink(&file, &link).expect("it links");
        assert!(
            RunningDaemon::read(&link).expect_err("a link").has_reason(Reason::StateFileInvalid)
        );
    }

    #[test]
    fn no_file_is_no_daemon() {
        assert_eq!(RunningDaemon::read(Path::new("/nowhere/daemon.json")), Ok(None));
    }
}
