//! By which means the daemon confines untrusted skills: `confinement` is what holds their
//! processes.
//!
//! Which means a machine has is found out by a real try, once for a daemon.

mod backend;
mod probe;
mod session;

use std::sync::{Arc, OnceLock};

use browse_proto::Reason;
use tokio::sync::Mutex;

use super::process_plan::Purpose;
use browse_base::{Error, Result};

pub use backend::{SandboxBackend, SandboxMode};
pub use probe::SandboxProbe;
pub use session::{SandboxSession, SkillSocket, TrustLevel};

/// The sandbox of a daemon.
#[derive(Debug)]
pub struct SkillSandbox {
    mode: SandboxMode,
    socket: OnceLock<(SkillSocket, u16)>,
    probe: Mutex<Option<Arc<SandboxProbe>>>,
}

impl SkillSandbox {
    /// A sandbox that is made of these means.
    pub fn new(wanted: SandboxMode) -> Self {
        Self { mode: wanted, socket: OnceLock::new(), probe: Mutex::new(None) }
    }

    /// Says where confined skills find the daemon: at its door, or at this port
    /// of 127.0.0.1. Reported once.
    pub fn set_socket(&self, door: SkillSocket, port: u16) {
        let _ = self.socket.set((door, port));
    }

    /// The means of this machine. What does not work is tried again each time.
    pub async fn probe(&self) -> Arc<SandboxProbe> {
        let mut known = self.probe.lock().await;
        if let Some(found) = known.as_ref() {
            return Arc::clone(found);
        }
        let (door, port) = match self.socket.get() {
            Some((door, port)) => (Some(door), *port),
            None => (None, 0),
        };
        let found = Arc::new(SandboxProbe::run(self.mode, door, port).await);
        if found.backend.is_some() {
            *known = Some(Arc::clone(&found));
        }
        found
    }

    /// What a process of the skill is held to.
    ///
    /// # Errors
    /// `SANDBOX_UNAVAILABLE`: nothing works here, and the skill is not spared.
    pub async fn confine(
        &self,
        purpose: Purpose,
        trust: TrustLevel,
        skill: &str,
    ) -> Result<SandboxSession> {
        let port = self.socket.get().map_or(0, |(_, port)| *port);
        if trust == TrustLevel::Trusted {
            return Ok(SandboxSession::unconfined(port));
        }
        let found = self.probe().await;
        if let (Some(means), Some((door, port))) = (found.backend, self.socket.get()) {
            return SandboxSession::with_backend(&found, means, purpose, door, *port).map_err(
                |error| {
                    let message = format!("the skill `{skill}` has no scratch: {error}");
                    Error::new(Reason::SkillFailed, message).with("skill", skill)
                },
            );
        }
        if trust == TrustLevel::UnsandboxedAllowed {
            let note = format!(
                "`{skill}` runs without a sandbox: your files and your network are in its reach"
            );
            return Ok(SandboxSession::unconfined_with_notice(port, note));
        }
        let why = found.failures.join("; ");
        let message = format!("the skill `{skill}` is not trusted, and nothing confines it: {why}");
        Err(Error::new(Reason::SandboxUnavailable, message).with("skill", skill))
    }
}
