//! The cluster behind the API server of Kubernetes, in the profile `plain`. Where pods come from
//! agent-sandbox, it is [`sandbox`].
//!
//! Warm pods are those of a ReplicaSet. A pod that gets its first claim loses the label that the
//! ReplicaSet selects: it is nobody's then but the tenant's, and the ReplicaSet makes another. All
//! pods of the fleet, warm or claimed, keep the label by which the gateway watches them; policies
//! and services have to select that one.
//!
//! What the gateway needs in its namespace: `get`, `list`, `watch`, `patch` and `delete` of pods;
//! `get`, `create` and `update` of leases.

#[cfg(test)]
mod fake;

mod call;
mod claim;
mod election;
mod health;
mod lease;
mod objects;
mod pods;
mod record;
pub mod sandbox;
mod watch;
mod writer;

use std::{fmt, net::SocketAddr, sync::Arc, time::Duration};

use futures::future::BoxFuture;
use k8s_openapi::api::{coordination::v1::Lease, core::v1::Pod};
use kube::{Api, Client, api::ListParams};
use tokio::{sync::watch::Receiver, time::Instant};
use tokio_util::task::AbortOnDropHandle;

use self::{
    call::answer,
    claim::FirstClaim,
    election::Election,
    health::CallHealth,
    lease::LeaseCandidate,
    pods::PodStore,
    record::{PodProfile, parse_pool_selector},
    watch::{WATCH_SECONDS, follow},
    writer::PodWriter,
};
use super::{Claim, Cluster, ClusterError, Leadership, PodRecord, PodTable};

/// The name under which the API server records writes of the gateway.
const FIELD_MANAGER: &str = "browse-gate";

/// Time in which the API server has to answer when the gateway starts.
const START_TIMEOUT: Duration = Duration::from_secs(10);

/// Time in which a connection to the API server has to be made.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Time in which the API server has to end a watch that it ought to have ended.
const WATCH_GRACE: Duration = Duration::from_secs(10);

/// Where the pods of the fleet are, and how this replica takes part in the election.
#[derive(Clone, Debug)]
pub struct KubernetesSettings {
    /// The namespace of the pods and the Lease.
    pub namespace: String,
    /// Selects all pods of the fleet, warm and claimed, as `browse.dev/pod=release`.
    pub fleet_selector: String,
    /// The port at which pods take the gateway.
    pub pod_port: u16,
    /// The name of the Lease of the leading replica.
    pub lease: String,
    /// The name of this replica: that of its pod.
    pub identity: String,
    /// Where the other replicas reach this one.
    pub control_address: SocketAddr,
    /// What owns claimed pods, or their claims, so that they are deleted with it; none to leave
    /// them.
    pub owner: Option<Owner>,
}

/// An object that owns claimed pods. It has to be in their namespace, and to exist: Kubernetes
/// deletes pods whose owners do not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// As `apps/v1`.
    pub api_version: String,
    /// As `Deployment`.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Its uid.
    pub uid: String,
}

/// Why the gateway cannot work with the cluster.
#[derive(Debug)]
pub enum StartError {
    /// The selector of the pool is not a list of labels.
    PoolSelector(String),
    /// The API server does not answer, or refuses.
    Cluster(ClusterError),
}

/// The pods and the election of a fleet on Kubernetes.
pub struct KubernetesCluster {
    store: Arc<PodStore>,
    writer: PodWriter,
    election: Election,
    watch_health: Arc<CallHealth>,
    lease_health: Arc<CallHealth>,
    _watch: AbortOnDropHandle<()>,
}

/// Time limits for the connections of a client that watches: those of kube wait for ever for an
/// answer to a list.
pub fn with_timeouts(mut config: kube::Config) -> kube::Config {
    config.connect_timeout = Some(CONNECT_TIMEOUT);
    config.read_timeout = Some(Duration::from_secs(WATCH_SECONDS.into()) + WATCH_GRACE);
    config.reset_reader_on_write = true;
    config
}

impl KubernetesCluster {
    /// Watches the pods and takes part in the election, until it is dropped. It is not available
    /// before the pods have been read. `pool_selector` selects the warm ones among them: labels, as
    /// `browse.dev/pool=default`. The first claim removes them.
    ///
    /// # Errors
    /// The API server does not answer or refuses to list pods or to read the Lease, or the
    /// selector of the pool is not a list of labels.
    pub async fn start(
        client: Client,
        settings: KubernetesSettings,
        pool_selector: &str,
    ) -> Result<Arc<Self>, StartError> {
        let pool_labels = parse_pool_selector(pool_selector)
            .ok_or_else(|| StartError::PoolSelector(pool_selector.to_owned()))?;
        let pods: Api<Pod> = Api::namespaced(client.clone(), &settings.namespace);
        let leases: Api<Lease> = Api::namespaced(client, &settings.namespace);
        // A missing permission is an error here, and not a fleet that stays empty.
        let one = ListParams::default().labels(&settings.fleet_selector).limit(1);
        answer(START_TIMEOUT, pods.list(&one)).await?;
        answer(START_TIMEOUT, leases.get_opt(&settings.lease)).await?;

        let first_claim = FirstClaim {
            pool_labels: pool_labels.keys().cloned().collect(),
            owner: settings.owner,
        };
        let profile = PodProfile { port: settings.pod_port, pool_labels };
        let store = Arc::new(PodStore::new(profile));
        let watch_health = Arc::new(CallHealth::default());
        let watched = Arc::clone(&store);
        let watch = follow(
            pods.clone(),
            settings.fleet_selector,
            Arc::clone(&watch_health),
            move |events| watched.handle(events),
        );
        let lease_health = Arc::new(CallHealth::default());
        let candidate = LeaseCandidate {
            lease: settings.lease,
            identity: settings.identity,
            address: settings.control_address,
        };
        Ok(Arc::new(Self {
            writer: PodWriter { pods, store: Arc::clone(&store), first_claim },
            store,
            election: Election::start(leases, candidate, Arc::clone(&lease_health)),
            watch_health,
            lease_health,
            _watch: AbortOnDropHandle::new(tokio::spawn(watch)),
        }))
    }

    /// Stops leading, so that another replica leads at once. The pods are still watched.
    pub async fn stop(&self) {
        self.election.stop().await;
    }
}

impl Cluster for KubernetesCluster {
    fn pods(&self) -> Receiver<Arc<PodTable>> {
        self.store.subscribe()
    }

    fn leadership(&self) -> Receiver<Leadership> {
        self.election.leadership()
    }

    fn is_available(&self) -> bool {
        let now = Instant::now();
        self.store.is_synced()
            && !self.watch_health.is_failing(now)
            && !self.lease_health.is_failing(now)
    }

    fn write_claim(
        &self,
        pod: &PodRecord,
        claim: &Claim,
    ) -> BoxFuture<'_, Result<PodRecord, ClusterError>> {
        let (pod, claim) = (pod.clone(), claim.clone());
        Box::pin(async move { self.writer.write_claim(&pod, &claim).await })
    }

    fn delete(&self, pod: &PodRecord) -> BoxFuture<'_, Result<(), ClusterError>> {
        let pod = pod.clone();
        Box::pin(async move { self.writer.delete(&pod).await })
    }

    fn withdraw(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.stop())
    }
}

impl From<ClusterError> for StartError {
    fn from(error: ClusterError) -> Self {
        Self::Cluster(error)
    }
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PoolSelector(selector) => write!(
                f,
                "the selector `{selector}` of the pool is not a list of labels `key=value`"
            ),
            Self::Cluster(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for StartError {}
