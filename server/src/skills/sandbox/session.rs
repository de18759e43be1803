//! What one process is held to, for as long as it runs.

use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::{SandboxBackend, SandboxProbe};
use crate::skills::{
    confinement::{SCRATCH, SOCKET},
    environment::Environment,
    process_plan::{Confinement, Purpose},
};

/// Where the daemon meets confined skills: a private folder with its socket,
/// and the scratch of those that see the file system. Dropping it removes it.
#[derive(Debug)]
pub struct SkillSocket {
    folder: TempDir,
    socket: PathBuf,
}

/// How much a skill is spared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrustLevel {
    /// The user trusts it: it is not confined.
    Trusted,
    /// It is confined, or does not run.
    Untrusted,
    /// It is confined where that is possible, and runs where not.
    UnsandboxedAllowed,
}

/// What one process is held to. Dropping it removes its scratch.
#[derive(Debug)]
pub struct SandboxSession {
    confinement: Confinement,
    address: Option<String>,
    notices: Vec<String>,
    scratch: Option<TempDir>,
}

impl SkillSocket {
    /// The door in this folder.
    pub fn new(folder: TempDir, socket: PathBuf) -> Self {
        Self { folder, socket }
    }

    /// The folder, which nothing of the outside may enter.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The socket in it.
    pub fn socket(&self) -> &Path {
        &self.socket
    }
}

impl TrustLevel {
    /// Of a skill that nobody trusts, whose caller allows it to run free.
    pub fn from_allow_unsandboxed(allow_unsandboxed: bool) -> Self {
        if allow_unsandboxed { Self::UnsandboxedAllowed } else { Self::Untrusted }
    }
}

impl SandboxSession {
    /// No confinement at all.
    pub fn unconfined(port: u16) -> Self {
        let address = Some(format!("127.0.0.1:{port}"));
        Self { confinement: Confinement::None, address, notices: Vec::new(), scratch: None }
    }

    /// No confinement, reported to whoever runs it.
    pub fn unconfined_with_notice(port: u16, note: String) -> Self {
        Self { notices: vec![note], ..Self::unconfined(port) }
    }

    /// Confinement by the means that were found.
    ///
    /// # Errors
    /// A scratch cannot be made.
    pub fn with_backend(
        found: &SandboxProbe,
        means: SandboxBackend,
        purpose: Purpose,
        door: &SkillSocket,
        port: u16,
    ) -> io::Result<Self> {
        let may_call = purpose == Purpose::Run;
        let inside = |address: String| may_call.then_some(address);
        let notes = Vec::from_iter(found.gap_notice());
        if means == SandboxBackend::Namespaces {
            let socket = may_call.then(|| door.socket.clone());
            let confinement = Confinement::Namespaces { socket };
            let address = inside(format!("unix:{SOCKET}"));
            return Ok(Self { confinement, address, notices: notes, scratch: None });
        }
        let scratch = tempfile::Builder::new().prefix("scratch-").tempdir_in(door.folder())?;
        let (port_of, path) = (may_call.then_some(port), scratch.path().to_owned());
        let confinement = match means {
            SandboxBackend::Seatbelt => Confinement::Seatbelt { port: port_of, scratch: path },
            _ => Confinement::Landlock { port: port_of, scratch: path },
        };
        let address = inside(format!("127.0.0.1:{port}"));
        Ok(Self { confinement, address, notices: notes, scratch: Some(scratch) })
    }

    /// What to hold the process to.
    pub fn confinement(&self) -> &Confinement {
        &self.confinement
    }

    /// What its caller should know.
    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    /// Tells the process where the daemon is, and where it may write.
    pub fn set_variables(&self, environment: &mut Environment) {
        let scratch = match (&self.scratch, &self.confinement) {
            (Some(scratch), _) => Some(scratch.path()),
            (None, Confinement::Namespaces { .. }) => Some(Path::new(SCRATCH)),
            (None, _) => None,
        };
        // deno writes there before anything else.
        if let (Some(folder), Some(scratch)) = (environment.get_mut("DENO_DIR"), scratch) {
            *folder = scratch.join("deno").to_string_lossy().into_owned();
        }
        if let Some(address) = &self.address {
            environment.insert("BROWSE_ADDR".to_owned(), address.clone());
        }
        if let Some(scratch) = &self.scratch {
            let path = scratch.path().to_string_lossy().into_owned();
            environment.insert("TMPDIR".to_owned(), path);
        }
    }
}
