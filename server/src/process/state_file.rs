//! The state file: how a command line finds the daemon of its project.

use std::{
    fs,
    path::{Path, PathBuf},
    time::SystemTime,
};

use serde::Serialize;

use crate::project;
use browse_base::Result;

/// What the state file says.
#[derive(Debug, Serialize)]
pub struct DaemonState<'a> {
    /// Process id of the daemon.
    pub pid: u32,
    /// Address it listens on.
    pub address: String,
    /// The root token.
    pub token: &'a str,
    /// When it started, RFC 3339 in UTC.
    pub started_at: String,
    /// Names the build.
    pub build_id: String,
    /// The browser, once it runs.
    pub browser: Option<StateFileBrowser>,
}

/// The browser of a daemon.
#[derive(Debug, Serialize)]
pub struct StateFileBrowser {
    /// Its process id.
    pub pid: u32,
    /// Its program.
    pub program: PathBuf,
}

/// The file, which goes when this value goes.
#[derive(Debug)]
pub struct StateFile {
    path: PathBuf,
}

/// Whether the file names a process that lives.
pub fn is_daemon_running(file: &Path) -> bool {
    running_since(file).is_some()
}

/// When the process that the file names started, if it lives; the epoch when the file does not
/// say.
pub fn running_since(file: &Path) -> Option<SystemTime> {
    #[derive(serde::Deserialize)]
    struct Named {
        pid: i32,
        #[serde(default)]
        started_at: String,
    }
    let bytes = fs::read(file).ok()?;
    let Named { pid, started_at } = serde_json::from_slice(&bytes).ok()?;
    let is_alive = pid > 0 && nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), None).is_ok();
    is_alive.then(|| humantime::parse_rfc3339(&started_at).unwrap_or(SystemTime::UNIX_EPOCH))
}

impl StateFile {
    /// Writes the file, mode 0600.
    ///
    /// # Errors
    /// `FILE_UNWRITABLE`.
    pub fn write(path: PathBuf, state: &DaemonState<'_>) -> Result<Self> {
        let file = Self { path };
        file.update(state)?;
        Ok(file)
    }

    /// Whether somebody has removed or overwritten it.
    pub fn is_lost(&self) -> bool {
        let own = format!("\"pid\":{},", std::process::id());
        fs::read_to_string(&self.path).map_or(true, |text| !text.contains(&own))
    }

    /// Writes it again.
    ///
    /// # Errors
    /// `FILE_UNWRITABLE`.
    pub fn update(&self, state: &DaemonState<'_>) -> Result<()> {
        let text = serde_json::to_string(state).unwrap_or_default();
        project::write_private(&self.path, &text)
    }
}

impl Drop for StateFile {
    fn drop(&mut self) {
        // Nothing more can be done about a file that does not go; a stale one
        // is recognised by its dead process.
        let _ = fs::remove_file(&self.path);
    }
}
