//! Which sessions the pod holds, and until when.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use browse_base::{Error, Lock, Result};
use browse_fleet::{PodUid, Tenant};
use browse_proto::Reason;
use browse_sessions::Sessions;
use object_store::UpdateVersion;
use tokio::{sync::watch, time::Instant};

use super::{RestoredSession, StateObjects, object::ObjectName};
use crate::session_state::StateKey;

/// Intervals between saves for which a session is held after the last one that succeeded.
const HOLD_INTERVALS: u32 = 4;

/// How long the pod refuses a session that another pod has taken over: a call that was on its way
/// must not take it back.
const MOVED_TIME: Duration = Duration::from_secs(60);

/// The sessions of the pod.
pub struct FleetSessions {
    pub(super) parts: FleetSessionsParts,
    tenant: OnceLock<Tenant>,
    held: Lock<BTreeMap<String, Arc<HeldSession>>>,
    drain: watch::Sender<DrainState>,
    failures: AtomicU64,
}

/// What they are made of.
pub struct FleetSessionsParts {
    /// The sessions of the daemon.
    pub sessions: Arc<Sessions>,
    /// The store.
    pub objects: StateObjects,
    /// The key of the fleet.
    pub key: StateKey,
    /// The uid of the pod.
    pub pod: PodUid,
    /// Time between two saves of a session, and between two checks that the pod still holds it.
    pub interval: Duration,
}

/// How far the pod is with its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DrainState {
    /// It serves.
    Serving,
    /// Running calls end, and later ones wait.
    Draining,
    /// All is saved.
    Saved,
}

/// A session of the pod.
pub(super) struct HeldSession {
    pub name: ObjectName,
    pub key: StateKey,
    /// Held while it is opened, saved or closed.
    pub progress: tokio::sync::Mutex<FleetSaveProgress>,
    hold: Lock<Hold>,
    /// What it has from before, until a response has reported it.
    restored: Lock<Option<RestoredSession>>,
}

/// Whether the pod may act on a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hold {
    /// Not before it is opened.
    None,
    /// Until then.
    Until(Instant),
    /// Another pod may. This one refuses it until then, or for good.
    Moved(Option<Instant>),
}

/// How far a session is saved.
#[derive(Default)]
pub(super) struct FleetSaveProgress {
    /// The epoch of the object.
    pub epoch: u64,
    /// The version of the object; none before the first write.
    pub version: Option<UpdateVersion>,
    /// The version of the snapshot that was saved.
    pub snapshot: Option<u64>,
    /// The hash of what was saved.
    pub hash: Option<[u8; 32]>,
}

impl FleetSessions {
    /// No session yet, of no tenant.
    pub fn new(parts: FleetSessionsParts) -> Arc<Self> {
        Arc::new(Self {
            parts,
            tenant: OnceLock::new(),
            held: Lock::default(),
            drain: watch::Sender::new(DrainState::Serving),
            failures: AtomicU64::new(0),
        })
    }

    /// Sets whose the sessions are, once.
    pub fn set_tenant(&self, tenant: &Tenant) {
        let _ = self.tenant.set(tenant.clone());
    }

    /// Times that a session was not saved, or that it was not known whether the pod holds it.
    pub fn failures(&self) -> u64 {
        self.failures.load(Ordering::Relaxed)
    }

    /// Lets calls wait from now on: the pod is about to end.
    pub fn start_draining(&self) {
        self.drain.send_if_modified(|state| {
            let is_serving = *state == DrainState::Serving;
            if is_serving {
                *state = DrainState::Draining;
            }
            is_serving
        });
    }

    /// Lets a call in that uses the session `name`. While the pod drains, it waits until the
    /// session is saved.
    ///
    /// # Errors
    /// `SESSION_MOVED`: nothing was done, and another pod can restore it.
    pub async fn admit(&self, name: &str) -> Result<()> {
        let mut drain = self.drain.subscribe();
        if *drain.borrow_and_update() != DrainState::Serving {
            // The sender lives in `self`.
            let _ = drain.wait_for(|state| *state == DrainState::Saved).await;
            return Err(moved(name));
        }
        match self.known(name).map(|held| held.hold()) {
            Some(Hold::Moved(until)) if is_before(until) => Err(moved(name)),
            _ => Ok(()),
        }
    }

    /// Whether the pod may act on the session `name` now.
    pub fn holds(&self, name: &str) -> bool {
        let hold = self.known(name).map(|held| held.hold());
        matches!(hold, Some(Hold::Until(until)) if Instant::now() < until)
    }

    /// Whether another pod may have the session `name` by now.
    pub fn has_moved(&self, name: &str) -> bool {
        let hold = self.known(name).map(|held| held.hold());
        matches!(hold, Some(Hold::Moved(until)) if is_before(until))
    }

    /// What the session `name` has from before, if no response has reported it yet.
    pub fn restored(&self, name: &str) -> Option<RestoredSession> {
        self.known(name)?.restored.lock().clone()
    }

    /// The same for a response that reports it.
    pub fn take_restored(&self, name: &str) -> Option<RestoredSession> {
        self.known(name)?.restored.lock().take()
    }

    /// The entry of a session, which is made when there is none.
    ///
    /// # Errors
    /// `ARGUMENT_INVALID`: the name is not one of an object.
    pub(super) fn entry(&self, name: &str) -> Result<Arc<HeldSession>> {
        let mut held = self.held.lock();
        if let Some(known) = held.get(name) {
            return Ok(Arc::clone(known));
        }
        let tenant = self.tenant.get().cloned();
        let tenant = tenant.ok_or_else(|| Error::new(Reason::Bug, "the pod has no tenant"))?;
        let name_of_object = ObjectName { tenant, session: name.parse()? };
        let entry = Arc::new(HeldSession {
            key: name_of_object.key(&self.parts.key),
            name: name_of_object,
            progress: tokio::sync::Mutex::default(),
            hold: Lock::new(Hold::None),
            restored: Lock::default(),
        });
        held.insert(name.to_owned(), Arc::clone(&entry));
        Ok(entry)
    }

    /// The entry of a session, where there is one.
    pub(super) fn known(&self, name: &str) -> Option<Arc<HeldSession>> {
        self.held.lock().get(name).cloned()
    }

    /// Whether the pod takes sessions: it does not when it is about to end.
    pub(super) fn is_serving(&self) -> bool {
        *self.drain.borrow() == DrainState::Serving
    }

    /// All entries.
    pub(super) fn entries(&self) -> Vec<Arc<HeldSession>> {
        self.held.lock().values().cloned().collect()
    }

    /// Forgets a session.
    pub(super) fn forget(&self, name: &str) {
        self.held.lock().remove(name);
    }

    /// Notes that the session is the pod's as of `begun`, when the store was asked.
    pub(super) fn renew(&self, held: &HeldSession, begun: Instant) {
        let mut hold = held.hold.lock();
        // It was given up for good meanwhile, because the pod ends.
        if *hold != Hold::Moved(None) {
            *hold = Hold::Until(begun + self.parts.interval * HOLD_INTERVALS);
        }
    }

    /// Notes that another pod has the session, and closes it here.
    pub(super) async fn give_up(&self, held: &HeldSession) {
        let name = held.name.session.as_str();
        held.set_hold(Hold::Moved(Some(Instant::now() + MOVED_TIME)));
        tracing::warn!(session = name, "another pod has taken the session over");
        if let Err(error) = self.parts.sessions.close(name).await {
            tracing::debug!(%error, session = name, "a session that has moved was not open");
        }
    }

    pub(super) fn count_failure(&self) {
        self.failures.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn set_saved(&self) {
        self.drain.send_replace(DrainState::Saved);
    }
}

impl HeldSession {
    pub fn hold(&self) -> Hold {
        *self.hold.lock()
    }

    pub fn set_hold(&self, hold: Hold) {
        *self.hold.lock() = hold;
    }

    pub fn set_restored(&self, restored: Option<RestoredSession>) {
        *self.restored.lock() = restored;
    }

    /// Whether the pod holds it, though perhaps not in time.
    pub fn is_held(&self) -> bool {
        matches!(self.hold(), Hold::Until(_))
    }
}

/// Whether that time is to come; none is for good.
pub(super) fn is_before(until: Option<Instant>) -> bool {
    until.is_none_or(|until| Instant::now() < until)
}

/// The session is another pod's by now.
pub(super) fn moved(name: &str) -> Error {
    let message = format!("the session `{name}` has moved to another pod");
    Error::new(Reason::SessionMoved, message).with("session", name)
}
