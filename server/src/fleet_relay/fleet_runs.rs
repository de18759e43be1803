//! The runs of skills that drive the browser of a fleet, by the name of their client.

use std::{collections::HashMap, sync::Arc};

use browse_base::Lock;
use browse_policy::ClientId;

use super::fleet_run::FleetRun;

type RunTable = Lock<HashMap<ClientId, Arc<FleetRun>>>;

/// The runs.
#[derive(Default)]
pub struct FleetRuns(Arc<RunTable>);

/// A run whose calls are passed on. Dropping it ends that.
pub struct RegisteredRun {
    runs: Arc<RunTable>,
    client: ClientId,
}

impl FleetRuns {
    /// The run of `client`; none of a skill that drives the browser of this daemon.
    pub fn get(&self, client: &ClientId) -> Option<Arc<FleetRun>> {
        self.0.lock().get(client).cloned()
    }

    /// Has the calls of `client` passed on.
    pub fn register(&self, client: ClientId, run: Arc<FleetRun>) -> RegisteredRun {
        self.0.lock().insert(client.clone(), run);
        RegisteredRun { runs: Arc::clone(&self.0), client }
    }
}

impl Drop for RegisteredRun {
    fn drop(&mut self) {
        self.runs.lock().remove(&self.client);
    }
}
