//! The claims of the fleet and the pods of its sandboxes, and the table that both make: the pod of
//! a claim has the claim, others of the pool are warm.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use browse_base::Lock;
use browse_fleet::PodUid;
use k8s_openapi::api::core::v1::Pod;
use kube::runtime::watcher::Event;
use tokio::sync::watch;

use super::{
    known::{KnownClaim, SandboxPod},
    object::SandboxClaim,
};
use crate::cluster::{PodRecord, PodTable, kubernetes::objects::ObjectTable};

/// The claims and the pods.
pub(super) struct SandboxStore {
    port: u16,
    known: Lock<KnownSandboxes>,
    table: watch::Sender<Arc<PodTable>>,
    changes: watch::Sender<()>,
}

#[derive(Debug, Default)]
struct KnownSandboxes {
    claims: ObjectTable<KnownClaim>,
    pods: ObjectTable<SandboxPod>,
}

/// How a claim stands to the pods.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum ClaimState {
    /// It is being deleted.
    Ending,
    /// It waits for a pod.
    Waiting,
    /// It has its pod.
    Bound,
    /// Its pod is being deleted, or has ended: the controller would make another one.
    PodEnds,
    /// Its pod is not there.
    PodMissing,
}

impl SandboxStore {
    /// Nothing yet, of pods that take the gateway at `port`.
    pub(super) fn new(port: u16) -> Self {
        Self {
            port,
            known: Lock::default(),
            table: watch::Sender::new(Arc::new(PodTable::new())),
            changes: watch::Sender::new(()),
        }
    }

    /// The table, and each change of it.
    pub(super) fn subscribe(&self) -> watch::Receiver<Arc<PodTable>> {
        self.table.subscribe()
    }

    /// Each change of a claim or a pod.
    pub(super) fn changes(&self) -> watch::Receiver<()> {
        self.changes.subscribe()
    }

    /// Whether both lists have been whole once.
    pub(super) fn is_synced(&self) -> bool {
        let known = self.known.lock();
        known.claims.is_synced() && known.pods.is_synced()
    }

    /// The claim of this name.
    pub(super) fn claim(&self, name: &str) -> Option<KnownClaim> {
        self.known.lock().claims.get(name).cloned()
    }

    /// The claim that got this pod.
    pub(super) fn claim_of(&self, pod: &PodUid) -> Option<KnownClaim> {
        self.known.lock().claim_of(pod).cloned()
    }

    /// The pod of this uid, as the table has it.
    pub(super) fn record_of(&self, pod: &PodUid) -> Option<PodRecord> {
        let table = self.table.borrow();
        table.values().find(|record| record.uid == *pod).map(|record| PodRecord::clone(record))
    }

    /// The pod for a claim, when it is ready: that of its sandbox, if no other claim has got it.
    pub(super) fn pod_for(&self, claim: &KnownClaim) -> Option<Arc<PodRecord>> {
        let known = self.known.lock();
        let sandbox = claim.sandbox.as_deref()?;
        let is_free = |pod: &PodUid| known.claim_of(pod).is_none_or(|of| of.uid == claim.uid);
        let mut pods = known.pods.iter().filter(|pod| pod.sandbox == sandbox);
        let found = pods.find(|pod| {
            let uid = &pod.record.uid;
            let is_meant = claim.pod.as_ref().is_none_or(|known| known == uid);
            is_meant && pod.record.is_warm() && is_free(uid)
        });
        found.map(|pod| Arc::clone(&pod.record))
    }

    /// The claims, and how they stand.
    pub(super) fn states(&self) -> Vec<(KnownClaim, ClaimState)> {
        let known = self.known.lock();
        let pods: HashMap<&PodUid, &SandboxPod> =
            known.pods.iter().map(|pod| (&pod.record.uid, pod)).collect();
        let state = |claim: &KnownClaim| match &claim.pod {
            _ if claim.is_ending => ClaimState::Ending,
            None => ClaimState::Waiting,
            Some(uid) => match pods.get(uid) {
                None => ClaimState::PodMissing,
                Some(pod) if pod.record.is_ending => ClaimState::PodEnds,
                Some(_) => ClaimState::Bound,
            },
        };
        known.claims.iter().map(|claim| (claim.clone(), state(claim))).collect()
    }

    /// Takes the answer to a call of this replica: the claim as it is now.
    pub(super) fn refresh(&self, object: &SandboxClaim) {
        if let Some(claim) = KnownClaim::read(object) {
            self.change(|known| known.claims.refresh(claim));
        }
    }

    /// The claim does not exist any more.
    pub(super) fn forget(&self, claim: &KnownClaim) {
        self.change(|known| known.claims.remove(&claim.name, &claim.uid));
    }

    /// The claim is being deleted.
    pub(super) fn mark_ending(&self, claim: &KnownClaim) {
        self.change(|known| {
            let known = known.claims.get_mut(&claim.name, &claim.uid);
            known.is_some_and(|known| !std::mem::replace(&mut known.is_ending, true))
        });
    }

    /// Takes what the watch of the claims has reported.
    pub(super) fn handle_claims(&self, events: Vec<Event<SandboxClaim>>) {
        self.change(|known| {
            let mut is_changed = false;
            for event in events {
                is_changed |= known.claims.handle(event, KnownClaim::read);
            }
            is_changed
        });
    }

    /// Takes what the watch of the pods has reported.
    pub(super) fn handle_pods(&self, events: Vec<Event<Pod>>) {
        self.change(|known| {
            let mut is_changed = false;
            for event in events {
                is_changed |= known.pods.handle(event, |pod| SandboxPod::read(pod, self.port));
            }
            is_changed
        });
    }

    /// Publishes a new table if `change` says that something has changed.
    fn change(&self, change: impl FnOnce(&mut KnownSandboxes) -> bool) {
        let mut known = self.known.lock();
        if !change(&mut known) {
            return;
        }
        let before = Arc::clone(&self.table.borrow());
        // Within the lock, so that tables are published in the order of the changes.
        self.table.send_replace(Arc::new(known.table(&before)));
        self.changes.send_replace(());
    }
}

impl KnownSandboxes {
    fn claim_of(&self, pod: &PodUid) -> Option<&KnownClaim> {
        self.claims.iter().find(|claim| claim.pod.as_ref() == Some(pod))
    }

    /// The pods that the placement may see. Records that are as in `before` are those of it.
    fn table(&self, before: &PodTable) -> PodTable {
        let claims: HashMap<&PodUid, &KnownClaim> =
            self.claims.iter().filter_map(|claim| Some((claim.pod.as_ref()?, claim))).collect();
        let taken: HashSet<&str> =
            self.claims.iter().filter_map(|claim| claim.sandbox.as_deref()).collect();
        let record = |pod: &SandboxPod| match claims.get(&pod.record.uid) {
            Some(claim) => Some(pod.claimed_record(claim, before.get(&pod.record.name))),
            // It waits to be handed over, or is one that the controller made after the first.
            None if pod.is_claimed || taken.contains(pod.sandbox.as_str()) => None,
            None => Some(Arc::clone(&pod.record)),
        };
        let records = self.pods.iter().filter_map(record);
        records.map(|record| (record.name.clone(), record)).collect()
    }
}
