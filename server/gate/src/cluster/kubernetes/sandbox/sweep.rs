//! Deletes claims that nobody needs, on the replica that leads: those that got no pod and that no
//! replica waits for, and those whose pod has gone. agent-sandbox makes another pod for a sandbox
//! whose pod has gone; that one is empty, and belongs to nobody.

use std::{collections::HashMap, sync::Arc, time::Duration};

use tokio::{
    sync::watch,
    time::{Instant, sleep},
};

use super::{
    known::KnownClaim,
    store::{ClaimState, SandboxStore},
    writer::ClaimWriter,
};
use crate::cluster::{ClusterError, Leadership, kubernetes::health::CallHealth};

/// Time between two looks when nothing changes.
const INTERVAL: Duration = Duration::from_secs(5);

/// Time between two looks when something changes.
const MIN_INTERVAL: Duration = Duration::from_millis(500);

/// Time for which a pod is missing before it counts as gone: the two watches are apart.
const MISSING_TIME: Duration = Duration::from_secs(5);

/// Looks at the claims while this replica leads.
pub(super) struct ClaimSweep {
    pub(super) writer: Arc<ClaimWriter>,
    pub(super) store: Arc<SandboxStore>,
    pub(super) leadership: watch::Receiver<Leadership>,
    /// How the watches go: while one fails, what it reports is old.
    pub(super) health: Vec<Arc<CallHealth>>,
    /// Time in which a claim has to get a pod.
    pub(super) claim_time: Duration,
}

impl ClaimSweep {
    /// Looks at the claims. Does not end.
    pub(super) async fn run(self) {
        let mut changes = self.store.changes();
        // When a claim was first seen in a state in which it does not stay.
        let mut since: HashMap<(String, ClaimState), Instant> = HashMap::new();
        loop {
            if self.may_delete() {
                self.look(&mut since).await;
            } else {
                since.clear();
            }
            sleep(MIN_INTERVAL).await;
            tokio::select! {
                changed = changes.changed() => if changed.is_err() { return },
                () = sleep(INTERVAL) => {}
            }
        }
    }

    fn may_delete(&self) -> bool {
        let now = Instant::now();
        self.leadership.borrow().is_self
            && self.store.is_synced()
            && !self.health.iter().any(|health| health.is_failing(now))
    }

    async fn look(&self, since: &mut HashMap<(String, ClaimState), Instant>) {
        let now = Instant::now();
        let states = self.store.states();
        let key = |(claim, state): &(KnownClaim, ClaimState)| (claim.uid.clone(), *state);
        let present: HashMap<_, _> = states
            .iter()
            .map(|known| {
                let key = key(known);
                let at = since.get(&key).copied().unwrap_or(now);
                (key, at)
            })
            .collect();
        *since = present;
        for known in &states {
            let (claim, state) = known;
            let age = since.get(&key(known)).map_or(Duration::ZERO, |at| now.duration_since(*at));
            let why = match state {
                ClaimState::Waiting if age > self.claim_time => "it got no pod",
                ClaimState::PodEnds => "its pod ends",
                ClaimState::PodMissing if age >= MISSING_TIME => "its pod has gone",
                _ => continue,
            };
            tracing::info!(claim = %claim.name, why, "a claim is deleted");
            match self.writer.delete_claim(claim, Some(claim.version.clone())).await {
                Ok(()) | Err(ClusterError::Gone | ClusterError::Conflict) => {}
                Err(error) => tracing::warn!(%error, claim = %claim.name, "it was not deleted"),
            }
        }
    }
}
