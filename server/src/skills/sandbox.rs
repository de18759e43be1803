//! What untrusted skills are held to, so that they can do nothing but their
//! job: no file of the user, no network but the daemon, no process of others.
//!
//! Which means a machine has is found out by a real try, once for a daemon.

mod found;
mod hold;
mod means;
mod seatbelt;

#[cfg(target_os = "linux")]
mod start;

#[cfg(target_os = "linux")]
mod namespaces;
#[cfg(target_os = "linux")]
mod root;

#[cfg(target_os = "linux")]
mod limits;
#[cfg(target_os = "linux")]
mod privileges;
#[cfg(target_os = "linux")]
mod rules;

#[cfg(target_os = "linux")]
mod calls_by_name;
#[cfg(target_os = "linux")]
mod system_calls;

mod profile;

use std::sync::{Arc, OnceLock};

use browse_proto::Reason;
use tokio::sync::Mutex;

use super::process::Purpose;
use crate::error::{Error, Result};

pub use found::Found;
pub use hold::{Door, Hold, Trust};
pub use means::{Confinement, Means, Wanted};
#[cfg(not(target_os = "linux"))]
pub use seatbelt::{begin, start};
#[cfg(target_os = "linux")]
pub use start::{begin, start};

/// Where the daemon is found inside namespaces.
pub const SOCKET: &str = "/run/browse.sock";

/// The folder that can be written inside namespaces.
pub const SCRATCH: &str = "/tmp";

/// What a probe answers where the limit of processes does not hold.
const PROBE_UNBOUND: u8 = 10;

/// The sandbox of a daemon.
#[derive(Debug)]
pub struct Sandbox {
    wanted: Wanted,
    door: OnceLock<(Door, u16)>,
    found: Mutex<Option<Arc<Found>>>,
}

impl Sandbox {
    /// A sandbox that is made of these means.
    pub fn new(wanted: Wanted) -> Self {
        Self { wanted, door: OnceLock::new(), found: Mutex::new(None) }
    }

    /// Says where confined skills find the daemon: at its door, or at this port
    /// of 127.0.0.1. Said once.
    pub fn open(&self, door: Door, port: u16) {
        let _ = self.door.set((door, port));
    }

    /// The means of this machine. What does not work is tried again each time.
    pub async fn found(&self) -> Arc<Found> {
        let mut known = self.found.lock().await;
        if let Some(found) = known.as_ref() {
            return Arc::clone(found);
        }
        let (door, port) = match self.door.get() {
            Some((door, port)) => (Some(door), *port),
            None => (None, 0),
        };
        let found = Arc::new(Found::look(self.wanted, door, port).await);
        if found.means.is_some() {
            *known = Some(Arc::clone(&found));
        }
        found
    }

    /// What a process of the skill is held to.
    ///
    /// # Errors
    /// `SANDBOX_UNAVAILABLE`: nothing works here, and the skill is not spared.
    pub async fn hold(&self, purpose: Purpose, trust: Trust, skill: &str) -> Result<Hold> {
        let port = self.door.get().map_or(0, |(_, port)| *port);
        if trust == Trust::Trusted {
            return Ok(Hold::none(port));
        }
        let found = self.found().await;
        if let (Some(means), Some((door, port))) = (found.means, self.door.get()) {
            return Hold::by(&found, means, purpose, door, *port).map_err(|error| {
                let message = format!("the skill `{skill}` has no scratch: {error}");
                Error::new(Reason::SkillFailed, message).with("skill", skill)
            });
        }
        if trust == Trust::Allowed {
            let note = format!(
                "`{skill}` runs without a sandbox: your files and your network are in its reach"
            );
            return Ok(Hold::told(port, note));
        }
        let why = found.troubles.join("; ");
        let message = format!("the skill `{skill}` is not trusted, and nothing confines it: {why}");
        Err(Error::new(Reason::SandboxUnavailable, message).with("skill", skill))
    }
}
