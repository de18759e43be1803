//! What a run holds in a fleet: a session there, and that its calls are passed on to it.

use std::sync::Arc;

use browse_base::{Result, quote};
use browse_policy::ClientId;

use crate::{
    dispatch::CallContext,
    fleet_gateway::{FleetSignIn, installed_program},
    fleet_relay::{FleetRunParts, OpenFleetRun, RegisteredRun, RunSession},
    skills::manifest::SkillManifest,
};

/// The session of a run in a fleet. Dropping it ends the relay, and closes the session that was
/// opened for the run.
pub struct FleetLease {
    /// It ends first: nothing comes to a session that is being closed.
    _registered: RegisteredRun,
    open: OpenFleetRun,
}

impl FleetLease {
    /// Opens the session in the fleet of the remote, and has the calls of `client` passed on there.
    ///
    /// # Errors
    /// As [`FleetSignIn::open`] and [`OpenFleetRun::open`].
    pub async fn acquire(
        cx: &CallContext,
        remote: &str,
        (manifest, session): (&SkillManifest, RunSession),
        client: &ClientId,
    ) -> Result<Self> {
        let home = cx.settings().home.clone();
        let opening = OpenFleetRun::open(FleetRunParts {
            sign_in: FleetSignIn::open(home, remote.to_owned(), installed_program())?,
            session,
            hosts: manifest.hosts.clone(),
        });
        let runs = cx.daemon().skills().fleet_runs();
        let open = opening.await?;
        let registered = runs.register(client.clone(), Arc::clone(open.run()));
        Ok(Self { _registered: registered, open })
    }

    /// The session that the token of the run names: no session of this daemon can have that name,
    /// so that the token reaches none of them.
    pub fn session_of_token(&self) -> String {
        format!("fleet:{}", self.open.run().session().name())
    }

    /// Closes the session that was opened for the run; answers what its caller has to know.
    pub async fn finish(&mut self) -> Option<String> {
        let error = self.open.close().await.err()?;
        let (name, why) = (self.open.run().session().name(), quote(&error.to_string()));
        Some(format!(
            "note: the session `{name}` of the fleet stays open until it is idle for long: {why}\n"
        ))
    }
}
