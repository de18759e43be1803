//! The cluster as the gateway sees it: pods with their claims, and which replica leads.
//!
//! Which pod holds which session is written on the pod itself, or on the object by which it was
//! claimed, in one write that fails when somebody else has written meanwhile. This is the only
//! record: a replica that starts reads it and knows everything.

pub mod kubernetes;
pub mod memory;

use std::{collections::BTreeMap, fmt, net::SocketAddr, sync::Arc, time::SystemTime};

use browse_fleet::{PodUid, SessionKey, Tenant};
use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

/// A pod.
#[derive(Clone, Debug, PartialEq)]
pub struct PodRecord {
    /// Its name in the cluster.
    pub name: String,
    /// Its uid.
    pub uid: PodUid,
    /// Where the gateway reaches it; none until it has an address.
    pub address: Option<SocketAddr>,
    /// Version of the record, for writes that fail when it is not the newest.
    pub version: String,
    /// Whether the cluster finds it ready: its browser runs, and it does not drain.
    pub is_ready: bool,
    /// Whether it is being deleted, or has ended.
    pub is_ending: bool,
    /// Whose it is; none for one that is warm.
    pub claim: Option<Claim>,
}

/// Whose a pod is, and the sessions in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// The tenant.
    pub tenant: Tenant,
    /// The sessions, by name.
    pub sessions: BTreeMap<String, ClaimedSession>,
    /// When the last session ended, as seconds since 1970; none while there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub empty_since: Option<u64>,
}

/// A session in a pod.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClaimedSession {
    /// When it got its place, as seconds since 1970.
    pub since: u64,
}

/// The pods by name. The next table shares the records that have not changed.
pub type PodTable = BTreeMap<String, Arc<PodRecord>>;

/// Which replica hands out places.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Leadership {
    /// Whether it is this one.
    pub is_self: bool,
    /// Where the leading replica is reached by the others; none while there is none.
    pub address: Option<SocketAddr>,
}

/// Why a write was not done.
#[derive(Debug)]
pub enum ClusterError {
    /// The record has changed: look again.
    Conflict,
    /// The pod is gone.
    Gone,
    /// The cluster gave a claim no pod in time; in words.
    NoPod(String),
    /// The cluster does not answer, or refuses; in words.
    Unavailable(String),
}

/// A cluster of pods.
pub trait Cluster: Send + Sync + 'static {
    /// The pods, and each change of them.
    fn pods(&self) -> watch::Receiver<Arc<PodTable>>;

    /// Who leads, and each change of it.
    fn leadership(&self) -> watch::Receiver<Leadership>;

    /// Whether the cluster answers: while it does not, sessions that are known go on, and no new
    /// ones are made.
    fn is_available(&self) -> bool;

    /// Writes `claim` on the pod of this record, if it has not changed since. A pod that gets its
    /// first claim leaves the pool, which makes another.
    fn write_claim(
        &self,
        pod: &PodRecord,
        claim: &Claim,
    ) -> BoxFuture<'_, Result<PodRecord, ClusterError>>;

    /// Deletes the pod of this record, if it has not changed since.
    fn delete(&self, pod: &PodRecord) -> BoxFuture<'_, Result<(), ClusterError>>;

    /// How a tenant gets another pod where the cluster chooses it. Without, claims are written on
    /// warm pods that the placement chooses.
    fn pod_claims(&self) -> Option<&dyn PodClaims> {
        None
    }

    /// Stops leading, so that another replica leads at once. The pods are still watched.
    fn withdraw(&self) -> BoxFuture<'_, ()>;
}

/// A cluster that gives a tenant a pod: a warm one, or one that it starts for that.
pub trait PodClaims: Send + Sync {
    /// Claims that may wait for their pod at a time.
    fn max_waiting(&self) -> usize;

    /// Claims a pod, and waits until it is ready and has `claim` written for it. The first session
    /// of it is that of `place`: a claim for it that another replica has left is used again.
    fn claim_pod(
        &self,
        place: &SessionKey,
        claim: &Claim,
    ) -> BoxFuture<'_, Result<PodRecord, ClusterError>>;
}

impl Claim {
    /// The claim of a tenant without sessions.
    pub fn new(tenant: Tenant) -> Self {
        Self { tenant, sessions: BTreeMap::new(), empty_since: Some(now()) }
    }

    /// The same with another session.
    pub fn with_session(&self, name: &str) -> Self {
        let mut claim = self.clone();
        claim.sessions.insert(name.to_owned(), ClaimedSession { since: now() });
        claim.empty_since = None;
        claim
    }

    /// The same without a session.
    pub fn without_session(&self, name: &str) -> Self {
        let mut claim = self.clone();
        claim.sessions.remove(name);
        if claim.sessions.is_empty() {
            claim.empty_since.get_or_insert_with(now);
        }
        claim
    }
}

impl PodRecord {
    /// Whether it can be given to a tenant.
    pub fn is_warm(&self) -> bool {
        self.claim.is_none() && self.is_ready && !self.is_ending && self.address.is_some()
    }

    /// Whether calls can be sent to it.
    pub fn is_reachable(&self) -> bool {
        !self.is_ending && self.address.is_some()
    }
}

impl fmt::Display for ClusterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Conflict => f.write_str("the record has changed meanwhile"),
            Self::Gone => f.write_str("the pod is gone"),
            Self::NoPod(why) => write!(f, "no pod came in time: {why}"),
            Self::Unavailable(why) => write!(f, "the cluster does not answer: {why}"),
        }
    }
}

impl std::error::Error for ClusterError {}

/// Seconds since 1970.
pub fn now() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs()
}
