//! A run whose session is open in the fleet, or is about to be. It is closed at the end of the run,
//! however that comes about.

use std::sync::Arc;

use browse_base::{Error, Result};
use browse_proto::Reason;

use super::fleet_run::{FleetRun, FleetRunParts};

/// A run with its session. Dropping it closes the session that was opened for the run.
pub struct OpenFleetRun {
    run: Arc<FleetRun>,
    /// Whether a task closes it.
    is_closing: bool,
}

impl OpenFleetRun {
    /// Opens the session, and checks that the fleet holds the skill to its hosts. When the caller goes
    /// away meanwhile, the session is closed.
    ///
    /// # Errors
    /// `FLEET_DENIED`: the fleet is of an older version. `SESSION_DENIED`: the token of the sign-in
    /// is for one session. Those of the gateway.
    pub async fn open(parts: FleetRunParts) -> Result<Self> {
        let mut run = Self { run: Arc::new(FleetRun::new(parts)?), is_closing: false };
        let Err(error) = run.run.open().await else { return Ok(run) };
        // It may be open, and nobody is to use it.
        if let Err(left) = run.close().await {
            tracing::debug!(error = %left, "a session of a fleet is left open");
        }
        Err(error)
    }

    /// The run.
    pub fn run(&self) -> &Arc<FleetRun> {
        &self.run
    }

    /// Closes the session that was opened for the run, also when the caller goes away meanwhile.
    ///
    /// # Errors
    /// `SCOPE_DENIED`: the token of the sign-in does not close sessions. Those of the gateway.
    pub async fn close(&mut self) -> Result<()> {
        let run = Arc::clone(&self.run);
        let closing = tokio::spawn(async move { run.close().await });
        self.is_closing = true;
        let broken = |error| Error::new(Reason::Bug, format!("a session was not closed: {error}"));
        closing.await.map_err(broken)?
    }
}

impl Drop for OpenFleetRun {
    fn drop(&mut self) {
        let runtime = tokio::runtime::Handle::try_current();
        if let (false, Ok(runtime)) = (self.is_closing, runtime) {
            runtime.spawn(close_logged(Arc::clone(&self.run)));
        }
    }
}

async fn close_logged(run: Arc<FleetRun>) {
    if let Err(error) = run.close().await {
        let session = run.session().name();
        tracing::debug!(%error, session, "the session of a skill in a fleet stays open");
    }
}
