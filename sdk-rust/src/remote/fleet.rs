//! A fleet that was signed in to with `browse login`: its token changes, so that the
//! gateway is asked for with each call.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::credential_store::read_fleet;
use super::fleet_state::FleetState;
use super::gateway::gateway_peer;
use super::renewal::renew_by_program;
use crate::client::{DaemonEndpoint, EndpointSource, RemotePeer};
use crate::error::{Error, Result};

/// The fleets of this process by their files: the clients of one share its token.
static FLEETS: Mutex<BTreeMap<PathBuf, Arc<Fleet>>> = Mutex::new(BTreeMap::new());

/// A fleet, for the clients of this process that call it.
pub struct Fleet {
    name: String,
    path: PathBuf,
    /// The program that renews tokens, when it is not `browse` of the path.
    program: Option<OsString>,
    current: Mutex<CurrentGateway>,
    /// Renewals that have ended.
    renewals: AtomicU64,
    /// Held during a renewal: why the last one failed. Its outcome is that of all calls
    /// that wait for it.
    renewal: Mutex<Option<Error>>,
}

/// What the file of a fleet holds, and how calls go there.
#[derive(Clone)]
struct CurrentGateway {
    state: FleetState,
    peer: Arc<RemotePeer>,
    endpoint: Arc<DaemonEndpoint>,
}

impl CurrentGateway {
    fn new(name: &str, state: FleetState) -> Result<Self> {
        let peer = Arc::new(gateway_peer(name, &state)?);
        Ok(Self { endpoint: endpoint_of(&state, &peer), state, peer })
    }
}

impl Fleet {
    /// The fleet `name` of the file at `path`, which holds `state`.
    ///
    /// # Errors
    /// `CERTIFICATE_UNUSABLE`.
    pub fn shared(name: &str, path: &Path, state: FleetState) -> Result<Arc<Self>> {
        let mut fleets = lock(&FLEETS);
        if let Some(known) = fleets.get(path) {
            known.take(state)?;
            return Ok(Arc::clone(known));
        }
        let program = std::env::var_os("BROWSE_CLI").filter(|program| !program.is_empty());
        let fleet = Arc::new(Self::new(name, path, state, program)?);
        fleets.insert(path.to_owned(), Arc::clone(&fleet));
        Ok(fleet)
    }

    fn new(name: &str, path: &Path, state: FleetState, program: Option<OsString>) -> Result<Self> {
        Ok(Self {
            name: name.to_owned(),
            path: path.to_owned(),
            program,
            current: Mutex::new(CurrentGateway::new(name, state)?),
            renewals: AtomicU64::new(0),
            renewal: Mutex::new(None),
        })
    }

    /// The gateway with the token as it is.
    pub fn stored_endpoint(&self) -> Arc<DaemonEndpoint> {
        Arc::clone(&lock(&self.current).endpoint)
    }

    /// Takes over what the file holds by now.
    fn take(&self, state: FleetState) -> Result<()> {
        let old = lock(&self.current).clone();
        if old.state == state {
            return Ok(());
        }
        // The token goes to the gateway that the same file names.
        let is_same = old.state.origin == state.origin && old.state.ca == state.ca;
        let next = if is_same {
            let endpoint = endpoint_of(&state, &old.peer);
            CurrentGateway { state, peer: old.peer, endpoint }
        } else {
            CurrentGateway::new(&self.name, state)?
        };
        *lock(&self.current) = next;
        Ok(())
    }

    /// Reads the file again, and has the program renew the token when that is still
    /// `refused`, or about to end.
    fn renew(&self, refused: Option<&str>) -> Result<()> {
        let seen = self.renewals.load(Ordering::Acquire);
        let mut failure = lock(&self.renewal);
        if self.renewals.load(Ordering::Acquire) != seen {
            return failure.clone().map_or(Ok(()), Err);
        }
        let outcome = self.read_or_renew(refused);
        *failure = outcome.clone().err();
        self.renewals.fetch_add(1, Ordering::Release);
        outcome
    }

    fn read_or_renew(&self, refused: Option<&str>) -> Result<()> {
        let mut state = read_fleet(&self.name, &self.path)?;
        let is_stale = refused.map_or_else(|| state.is_due(), |token| state.token == token);
        if is_stale && state.is_renewable {
            let login = state.login_command(&self.name);
            renew_by_program(self.program.as_deref(), &self.name, &login, refused)?;
            state = read_fleet(&self.name, &self.path)?;
        }
        self.take(state)
    }

    fn has_token(&self, token: &str) -> bool {
        lock(&self.current).state.token == token
    }
}

impl EndpointSource for Fleet {
    fn endpoint(&self) -> Result<Arc<DaemonEndpoint>> {
        let is_due = lock(&self.current).state.is_due();
        if is_due {
            let outcome = self.renew(None);
            // Its last seconds may do.
            if lock(&self.current).state.has_ended() {
                outcome?;
            }
        }
        Ok(self.stored_endpoint())
    }

    fn renewed(&self, refused: &str) -> Option<Arc<DaemonEndpoint>> {
        if self.has_token(refused) {
            // What was answered counts, and not why there is no other token.
            self.renew(Some(refused)).ok()?;
        }
        if self.has_token(refused) { None } else { Some(self.stored_endpoint()) }
    }
}

fn endpoint_of(state: &FleetState, peer: &Arc<RemotePeer>) -> Arc<DaemonEndpoint> {
    DaemonEndpoint::new(&state.origin.address, &state.token, Some(Arc::clone(peer)))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
