//! The cluster behind the API server of Kubernetes, in the profile `agent-sandbox`: pods are those
//! of Sandbox objects, and a tenant gets one by a SandboxClaim.
//!
//! The controller of agent-sandbox keeps a SandboxWarmPool of sandboxes, each with a pod. It gives
//! a claim a sandbox of the pool, or makes one when the pool is empty; the sandbox belongs to the
//! claim from then on. When the claim is deleted, Kubernetes deletes the sandbox and its pod. The
//! sessions of a pod are written on its claim, because the pod is the controller's.
//!
//! What the gateway needs in its namespace: `list` and `watch` of pods; `get`, `list`, `watch`,
//! `create`, `patch` and `delete` of `sandboxclaims.extensions.agents.x-k8s.io`; `get`, `create`
//! and `update` of leases.

mod claiming;
mod known;
mod object;
mod store;
mod sweep;
#[cfg(test)]
mod tests;
mod writer;

use std::{sync::Arc, time::Duration};

use browse_fleet::SessionKey;
use futures::future::BoxFuture;
use k8s_openapi::api::{coordination::v1::Lease, core::v1::Pod};
use kube::{Api, Client, api::ListParams};
use tokio::{sync::watch, time::Instant};
use tokio_util::task::AbortOnDropHandle;

use self::{
    claiming::PodClaimer,
    object::{ClaimTemplate, FLEET_LABEL, SandboxClaim},
    store::SandboxStore,
    sweep::ClaimSweep,
    writer::ClaimWriter,
};
use super::{
    KubernetesSettings, START_TIMEOUT, StartError, call::answer, election::Election,
    health::CallHealth, lease::LeaseCandidate, watch::follow,
};
use crate::cluster::{Claim, Cluster, ClusterError, Leadership, PodClaims, PodRecord, PodTable};

/// Where the pods of the fleet come from.
#[derive(Clone, Debug)]
pub struct SandboxSettings {
    /// The fleet: claims have it as a label and in their name.
    pub fleet: String,
    /// The SandboxWarmPool.
    pub warm_pool: String,
    /// Time in which a claim has to get a pod that is ready.
    pub claim_time: Duration,
    /// Claims that may wait for their pod at a time.
    pub max_waiting: usize,
}

/// The pods, the claims and the election of a fleet with agent-sandbox.
pub struct SandboxCluster {
    store: Arc<SandboxStore>,
    writer: Arc<ClaimWriter>,
    claimer: PodClaimer,
    election: Election,
    watch_health: Vec<Arc<CallHealth>>,
    lease_health: Arc<CallHealth>,
    max_waiting: usize,
    _tasks: [AbortOnDropHandle<()>; 3],
}

impl SandboxCluster {
    /// Watches pods and claims and takes part in the election, until it is dropped. It is not
    /// available before both have been read.
    ///
    /// # Errors
    /// The API server does not answer, does not know SandboxClaims, or refuses to list pods or
    /// claims or to read the Lease.
    pub async fn start(
        client: Client,
        settings: KubernetesSettings,
        sandbox: SandboxSettings,
    ) -> Result<Arc<Self>, StartError> {
        let pods: Api<Pod> = Api::namespaced(client.clone(), &settings.namespace);
        let claims: Api<SandboxClaim> = Api::namespaced(client.clone(), &settings.namespace);
        let leases: Api<Lease> = Api::namespaced(client, &settings.namespace);
        let claim_selector = format!("{FLEET_LABEL}={}", sandbox.fleet);
        // A missing permission is an error here, and not a fleet that stays empty.
        let one = |selector: &str| ListParams::default().labels(selector).limit(1);
        answer(START_TIMEOUT, pods.list(&one(&settings.fleet_selector))).await?;
        answer(START_TIMEOUT, claims.list(&one(&claim_selector))).await.map_err(
            |error| match error {
                ClusterError::Gone => ClusterError::Unavailable(
                    "it has no SandboxClaims; install agent-sandbox with its extensions".to_owned(),
                ),
                error => error,
            },
        )?;
        answer(START_TIMEOUT, leases.get_opt(&settings.lease)).await?;

        let store = Arc::new(SandboxStore::new(settings.pod_port));
        let template = ClaimTemplate {
            fleet: sandbox.fleet,
            warm_pool: sandbox.warm_pool,
            owner: settings.owner,
        };
        let writer =
            Arc::new(ClaimWriter { claims: claims.clone(), store: Arc::clone(&store), template });
        let pod_health = Arc::<CallHealth>::default();
        let claim_health = Arc::<CallHealth>::default();
        let watched = Arc::clone(&store);
        let pod_watch =
            follow(pods, settings.fleet_selector, Arc::clone(&pod_health), move |events| {
                watched.handle_pods(events);
            });
        let watched = Arc::clone(&store);
        let claim_watch =
            follow(claims, claim_selector, Arc::clone(&claim_health), move |events| {
                watched.handle_claims(events);
            });
        let lease_health = Arc::<CallHealth>::default();
        let candidate = LeaseCandidate {
            lease: settings.lease,
            identity: settings.identity,
            address: settings.control_address,
        };
        let election = Election::start(leases, candidate, Arc::clone(&lease_health));
        let watch_health = vec![pod_health, claim_health];
        let sweep = ClaimSweep {
            writer: Arc::clone(&writer),
            store: Arc::clone(&store),
            leadership: election.leadership(),
            health: watch_health.clone(),
            claim_time: sandbox.claim_time,
        };
        let claimer = PodClaimer {
            writer: Arc::clone(&writer),
            store: Arc::clone(&store),
            claim_time: sandbox.claim_time,
        };
        Ok(Arc::new(Self {
            store,
            writer,
            claimer,
            election,
            watch_health,
            lease_health,
            max_waiting: sandbox.max_waiting,
            _tasks: [
                AbortOnDropHandle::new(tokio::spawn(pod_watch)),
                AbortOnDropHandle::new(tokio::spawn(claim_watch)),
                AbortOnDropHandle::new(tokio::spawn(sweep.run())),
            ],
        }))
    }
}

impl Cluster for SandboxCluster {
    fn pods(&self) -> watch::Receiver<Arc<PodTable>> {
        self.store.subscribe()
    }

    fn leadership(&self) -> watch::Receiver<Leadership> {
        self.election.leadership()
    }

    fn is_available(&self) -> bool {
        let now = Instant::now();
        self.store.is_synced()
            && !self.watch_health.iter().any(|health| health.is_failing(now))
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

    fn pod_claims(&self) -> Option<&dyn PodClaims> {
        Some(self)
    }

    fn withdraw(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.election.stop())
    }
}

impl PodClaims for SandboxCluster {
    fn max_waiting(&self) -> usize {
        self.max_waiting
    }

    fn claim_pod(
        &self,
        place: &SessionKey,
        claim: &Claim,
    ) -> BoxFuture<'_, Result<PodRecord, ClusterError>> {
        let (place, claim) = (place.clone(), claim.clone());
        Box::pin(async move { self.claimer.claim_pod(&place, &claim).await })
    }
}
