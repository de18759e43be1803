//! A fleet whose pods come from agent-sandbox: three replicas of the gateway, each with a runtime
//! of its own that ends as its process would, at one API server.

use std::{fs, net::SocketAddr, path::PathBuf, sync::Arc, time::Duration};

use browse_fleet::{GATE_NAME, POD_NAME};
use browse_gate::{
    cluster::{
        Cluster,
        kubernetes::{
            KubernetesSettings,
            sandbox::{SandboxCluster, SandboxSettings},
        },
    },
    gateway::Gateway,
    login::LoginSettings,
    placement::PlacementSettings,
};
use serde_json::Value;
use tokio::runtime::{Builder, Runtime};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::{
    api::{ApiServer, NAMESPACE},
    controller::{Controller, claims, pods, sandboxes},
};
use crate::{
    served::{GatewaySetup, Listeners, ServedGateway},
    support::{Answer, TENANTS, api_keys, authority, call, eventually, write_identity},
};

/// The fleet.
pub struct SandboxWorld {
    pub api: Arc<ApiServer>,
    pub controller: Arc<Controller>,
    pub replicas: Vec<SandboxReplica>,
    _done: DropGuard,
    _home: tempfile::TempDir,
}

/// One replica of the gateway.
pub struct SandboxReplica {
    address: SocketAddr,
    pub gateway: Arc<Gateway>,
    cluster: Arc<SandboxCluster>,
    /// None when it was killed.
    runtime: Option<Runtime>,
}

/// What a replica is started with.
#[derive(Clone)]
struct ReplicaSetup {
    identity: PathBuf,
    auth: String,
    claim_time: Duration,
    pod_port: u16,
}

impl SandboxWorld {
    /// A fleet with a pool of this size, or none.
    pub async fn new(pool: Option<usize>, claim_time: Duration) -> Self {
        let home = tempfile::tempdir().expect("a folder");
        let authority = authority();
        let identity = write_identity(&authority, home.path(), GATE_NAME);
        let pod_identity = write_identity(&authority, home.path(), POD_NAME);
        let keys = home.path().join("keys.toml");
        fs::write(&keys, api_keys(&TENANTS)).expect("written");
        let quota = "sessions = 100\nsessions_per_minute = 1000\nqueue = 100";
        let auth = format!("api_keys = \"{}\"\n[default_quota]\n{quota}\n", keys.display());
        let (api, done) = (ApiServer::new(), CancellationToken::new());
        let controller = Controller::start(Arc::clone(&api), pod_identity, done.clone()).await;
        if let Some(pool) = pool {
            controller.scale(pool);
        }
        let setup = ReplicaSetup { identity, auth, claim_time, pod_port: controller.port };
        let mut replicas = Vec::new();
        for number in 0..3 {
            let replica = SandboxReplica::start(Arc::clone(&api), setup.clone(), number).await;
            replicas.push(replica);
        }
        let leads = || replicas.iter().any(|replica: &SandboxReplica| replica.gateway.leads());
        eventually(|| leads().then_some(())).await;
        let known = || replicas.iter().all(|replica| replica.cluster.is_available());
        eventually(|| known().then_some(())).await;
        Self { api, controller, replicas, _done: done.drop_guard(), _home: home }
    }

    /// Calls a command in a session by the replica with this number.
    pub async fn call(&self, replica: usize, tenant: &str, session: &str, command: &str) -> Answer {
        self.call_with(replica, tenant, session, command, &[]).await
    }

    /// The same with other headers.
    pub async fn call_with(
        &self,
        replica: usize,
        tenant: &str,
        session: &str,
        command: &str,
        headers: &[(&str, &str)],
    ) -> Answer {
        call(self.replicas[replica].address, tenant, session, command, headers).await
    }

    /// The number of the replica that leads.
    pub fn leader(&self) -> usize {
        let leads = |replica: &SandboxReplica| replica.gateway.leads();
        self.replicas.iter().position(leads).expect("one leads")
    }

    /// The claims of a tenant.
    pub fn claims_of(&self, tenant: &str) -> Vec<Value> {
        let mut claims = self.api.list(&claims());
        claims.retain(|claim| claim["metadata"]["labels"]["browse.dev/tenant"] == tenant);
        claims
    }

    /// Waits until there are as many claims.
    pub async fn wait_for_claims(&self, count: usize) {
        eventually(|| (self.api.list(&claims()).len() == count).then_some(())).await;
    }

    /// Waits until each replica knows of as many sessions.
    pub async fn wait_for_sessions(&self, count: usize) {
        let knows = |replica: &SandboxReplica| replica.gateway.session_count() == count;
        eventually(|| self.replicas.iter().all(knows).then_some(())).await;
    }

    /// Waits until nothing is left but a pool of this size.
    pub async fn wait_for_pool(&self, size: usize) {
        self.wait_for_claims(0).await;
        for collection in [sandboxes(), pods()] {
            eventually(|| (self.api.list(&collection).len() == size).then_some(())).await;
        }
    }
}

impl SandboxReplica {
    async fn start(api: Arc<ApiServer>, setup: ReplicaSetup, number: usize) -> Self {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.expect("a runtime");
        let serving = runtime.spawn(async move {
            let listeners = Listeners::bind().await;
            let settings = KubernetesSettings {
                namespace: NAMESPACE.to_owned(),
                fleet_selector: "browse.dev/pod=browse".to_owned(),
                pod_port: setup.pod_port,
                lease: "browse-gate".to_owned(),
                identity: format!("browse-gate-{number}"),
                control_address: listeners.control(),
                owner: None,
            };
            let sandbox = SandboxSettings {
                fleet: "browse".to_owned(),
                warm_pool: "browse-pool".to_owned(),
                claim_time: setup.claim_time,
                max_waiting: 10,
            };
            let cluster = SandboxCluster::start(api.client(), settings, sandbox).await;
            let cluster = cluster.expect("the API server answers");
            let gateway = GatewaySetup {
                identity: &setup.identity,
                auth: &setup.auth,
                login: &LoginSettings::default(),
                traces: None,
                has_access_log: false,
                placement: PlacementSettings {
                    sessions_per_pod: 2,
                    empty_pod_time: Duration::from_secs(1),
                    idle_session_time: Duration::from_secs(600),
                },
                restores_sessions: false,
            };
            let served = gateway.serve(listeners, Arc::clone(&cluster) as Arc<dyn Cluster>);
            (served, cluster)
        });
        let (served, cluster) = serving.await.expect("no panic");
        let ServedGateway { address, gateway, .. } = served;
        Self { address, gateway, cluster, runtime: Some(runtime) }
    }

    /// Where clients call.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Ends it in the middle of what it does. The Lease is given back, so that the others need not
    /// wait until it is over.
    pub async fn kill(&mut self) {
        self.cluster.withdraw().await;
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Drop for SandboxReplica {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
