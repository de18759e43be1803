//! The most recent act of each client in each session: the documents that its pages
//! request belong to it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{client_taint::ClientTaint, outgoing::Outgoing};
use browse_policy::{ClientId, Grant};

/// Acts that are kept: one for each client of each session.
const MAX_RECENT_ACTIONS: usize = 64;

/// The most recent act of each client in each session.
#[derive(Default)]
pub struct RecentActions(Mutex<Vec<RecentAction>>);

/// An act whose documents are checked.
#[derive(Clone)]
pub struct RecentAction {
    /// The name of its session.
    pub session: String,
    /// Its command.
    pub command: &'static str,
    /// What its caller may do.
    pub grant: Arc<Grant>,
    /// What it sends.
    pub outgoing: Arc<Outgoing>,
    /// What its caller has read; none for a skill, which reads raw data and is limited
    /// by its hosts.
    pub taint: Option<Arc<ClientTaint>>,
}

impl RecentActions {
    /// Adds an act, and returns the one of the same client and session that it
    /// replaces.
    pub fn replace(&self, act: RecentAction) -> Option<RecentAction> {
        let mut all = self.lock();
        let is_same =
            |other: &RecentAction| other.session == act.session && other.client() == act.client();
        let replaced = all.iter().position(is_same).map(|at| all.remove(at));
        if all.len() >= MAX_RECENT_ACTIONS {
            all.remove(0);
        }
        all.push(act);
        replaced
    }

    /// The acts in `session`.
    pub fn of_session(&self, session: &str) -> Vec<RecentAction> {
        self.lock().iter().filter(|act| act.session == session).cloned().collect()
    }

    /// The acts of `client` whose calls have ended.
    pub fn finished(&self, client: &ClientId) -> Vec<Arc<Outgoing>> {
        let all = self.lock();
        let of_client = all.iter().filter(|act| act.client() == client).map(|act| &act.outgoing);
        // A call that runs holds it, too.
        of_client.filter(|outgoing| Arc::strong_count(outgoing) == 1).map(Arc::clone).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<RecentAction>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RecentAction {
    fn client(&self) -> &ClientId {
        &self.grant.capability().client
    }
}
