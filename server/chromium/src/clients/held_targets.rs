//! Targets that a client has stop before their first script. They run when the daemon
//! and every client that stopped them have let them.

use std::collections::HashMap;

use crate::connection::params::NoParams;
use crate::connection::session::CdpSession;
use crate::ids::TargetId;

/// Lets a target run on the session of the daemon.
pub(crate) type ResumeTarget = Box<dyn FnOnce() + Send>;

/// The targets that are held.
#[derive(Default)]
pub(super) struct HeldTargets(HashMap<TargetId, HeldTarget>);

/// A target that the daemon has set up.
pub(super) struct HeldTarget {
    resume: ResumeTarget,
    /// Whether every client that is attached to it is known.
    is_settled: bool,
    /// Sessions of clients that have let it run.
    let_by: Vec<CdpSession>,
}

impl HeldTargets {
    pub(super) fn insert(&mut self, target: &TargetId, resume: ResumeTarget) {
        let held = HeldTarget { resume, is_settled: false, let_by: Vec::new() };
        self.0.insert(target.clone(), held);
    }

    pub(super) fn contains(&self, target: &TargetId) -> bool {
        self.0.contains_key(target)
    }

    /// Notes that its clients are known from now on.
    pub(super) fn settle(&mut self, target: &TargetId) {
        if let Some(held) = self.0.get_mut(target) {
            held.is_settled = true;
        }
    }

    /// Notes that a client lets it run; false when it is not held.
    pub(super) fn let_run(&mut self, target: &TargetId, session: CdpSession) -> bool {
        self.0.get_mut(target).map(|held| held.let_by.push(session)).is_some()
    }

    /// The target, when it is to run: its clients are known and `is_stopped` by none.
    pub(super) fn take_if(&mut self, target: &TargetId, is_stopped: bool) -> Option<HeldTarget> {
        let ready = !is_stopped && self.0.get(target)?.is_settled;
        ready.then(|| self.0.remove(target)).flatten()
    }

    pub(super) fn forget(&mut self, target: &TargetId) {
        self.0.remove(target);
    }

    pub(super) fn all(&self) -> Vec<TargetId> {
        self.0.keys().cloned().collect()
    }
}

impl HeldTarget {
    /// Lets it run, for the daemon and then for its clients.
    pub(super) fn run(self) {
        (self.resume)();
        for session in self.let_by {
            session.send("Runtime.runIfWaitingForDebugger", &NoParams);
        }
    }
}
