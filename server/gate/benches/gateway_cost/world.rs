//! A fleet on this machine: a gateway, the API server and the pods that are played, and a client.

use std::{net::SocketAddr, path::PathBuf, sync::Arc};

use browse_fleet::{
    POD_HEADER, POD_NAME, PodUid, TENANT_HEADER, TOKEN_PATH, Tenant, TokenResponse,
};
use browse_gate::cluster::Claim;
use serde_json::json;
use tokio::time::{Duration, Instant, sleep};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::{
    api_server,
    api_store::ApiStore,
    certificates::{Identities, PUBLIC_NAME},
    client::{Call, Connection, Connector, Endpoint, Protocol},
    failure::{During as _, Failure, Outcome},
    gate_process::{API_KEY, GateProcess, GateSettings, TENANT},
    options::Options,
    played_pods::{Holding, PlayedPod, PlayedPods},
};

/// Tenant of the pods that nobody calls. Their names come before those of the others, so that a
/// search for a pod from the first name on is measured at its longest.
const OTHER_TENANT: &str = "another";

/// The longest until the gateway has asked all pods how they are: two of its rounds, and time to
/// connect.
const ROUND_LIMIT: Duration = Duration::from_secs(60);

/// A fleet.
pub struct World {
    /// The gateway.
    pub gate: GateProcess,
    /// What the API server has.
    pub store: Arc<ApiStore>,
    /// Connects to the gateway and to pods.
    pub connector: Connector,
    /// The certificates.
    pub identities: Identities,
    /// Starts pods.
    pub pods: PlayedPods,
    /// Folder for files, which goes with the fleet.
    pub home: PathBuf,
    fillers: Vec<PlayedPod>,
    count: usize,
    _end: DropGuard,
    _home: tempfile::TempDir,
}

impl World {
    /// A fleet without pods, whose gateway is kept on `core`.
    ///
    /// # Errors
    /// The gateway does not start.
    pub async fn start(options: &Options, core: Option<usize>) -> Outcome<Self> {
        let folder = tempfile::tempdir().during("a folder for files")?;
        let home = folder.path().to_path_buf();
        let identities = Identities::write(&home)?;
        let done = CancellationToken::new();
        let store = Arc::new(ApiStore::new());
        let address = api_server::start(Arc::clone(&store), done.clone()).await?;
        let kubeconfig = home.join("kubeconfig");
        api_server::write_kubeconfig(&kubeconfig, address)?;
        let pods = PlayedPods::new(&identities.pod, done.clone()).await?;
        let gate = GateProcess::start(GateSettings {
            program: &options.gate,
            home: &home,
            identities: &identities,
            kubeconfig: &kubeconfig,
            pod_port: pods.port(),
            sessions_per_pod: options.size.sessions_per_pod,
            core,
        });
        let gate = gate.await?;
        let connector = Connector::new(&identities.client_config()?);
        Ok(Self {
            gate,
            store,
            connector,
            identities,
            pods,
            home,
            fillers: Vec::new(),
            count: 0,
            _end: done.drop_guard(),
            _home: folder,
        })
    }

    /// Adds warm pods, and waits until the gateway knows them.
    ///
    /// # Errors
    /// A pod does not start.
    pub async fn add_warm(&mut self, count: usize) -> Outcome<Vec<PlayedPod>> {
        let mut added = Vec::new();
        for _ in 0..count {
            self.count += 1;
            let pod = self.pods.start(format!("pod-{:05}", self.count), None).await?;
            self.store.add_pod(&pod.name, &pod.uid, pod.address, None)?;
            added.push(pod);
        }
        self.gate.wait_for("browse_pool_ready", count).await?;
        Ok(added)
    }

    /// Adds pods of another tenant until the gateway knows `routes` sessions, `known` of which it
    /// has already.
    ///
    /// # Errors
    /// A pod does not start.
    pub async fn fill(&mut self, routes: usize, known: usize, per_pod: usize) -> Outcome<()> {
        let tenant = Tenant::new(OTHER_TENANT).during("a tenant")?;
        let mut left = routes.saturating_sub(known);
        while left > 0 {
            self.count += 1;
            let here = left.min(per_pod);
            let sessions: Vec<String> =
                (0..here).map(|number| format!("s-{}-{number}", self.count)).collect();
            let claim = sessions
                .iter()
                .fold(Claim::new(tenant.clone()), |claim, session| claim.with_session(session));
            let holding = Holding { tenant: tenant.clone(), sessions };
            let name = format!("full-{:05}", self.count);
            let pod = self.pods.start(name, Some(holding)).await?;
            self.store.add_pod(&pod.name, &pod.uid, pod.address, Some(&claim))?;
            self.fillers.push(pod);
            left -= here;
        }
        self.gate.wait_for("browse_gate_sessions", routes.max(known)).await
    }

    /// Waits until the gateway has asked each pod of the other tenant how it is, so that it has a
    /// connection to each.
    ///
    /// # Errors
    /// It takes too long.
    pub async fn wait_for_round(&self) -> Outcome<()> {
        let begun = Instant::now();
        while self.fillers.iter().any(|pod| pod.looks() == 0) {
            if begun.elapsed() > ROUND_LIMIT {
                let message = "the gateway has not asked all pods how they are";
                return Err(Failure::general(message));
            }
            sleep(Duration::from_millis(50)).await;
        }
        Ok(())
    }

    /// Where clients call the gateway.
    ///
    /// # Errors
    /// The token is not a header.
    pub fn gateway(&self) -> Outcome<Endpoint> {
        Endpoint::new(self.gate.clients, PUBLIC_NAME, API_KEY)
    }

    /// A connection to the gateway.
    ///
    /// # Errors
    /// It does not answer.
    pub async fn connect(&self, protocol: Protocol) -> Outcome<Connection> {
        self.connector.connect(&self.gateway()?, protocol).await
    }

    /// A pod as the gateway calls it, with a token that the pod gives for that. The pod belongs to
    /// the tenant already.
    ///
    /// # Errors
    /// The pod gives no token.
    pub async fn pod(&self, address: SocketAddr, uid: &PodUid) -> Outcome<Endpoint> {
        let request = json!({
            "tenant": TENANT, "pod": uid, "subject": "bench", "session": "any",
            "scopes": ["read", "write", "meta", "admin", "control"],
        });
        let control = Endpoint::new(address, POD_NAME, "none")?;
        let mut connection = self.connector.connect(&control, Protocol::Json).await?;
        let answer = connection.call(&Call::at(TOKEN_PATH, request.to_string()), "default").await?;
        let answer: TokenResponse = serde_json::from_slice(&answer).during("the token of a pod")?;
        let endpoint = Endpoint::new(address, POD_NAME, &answer.token)?;
        endpoint.with(TENANT_HEADER, TENANT)?.with(POD_HEADER, uid.as_str())
    }
}
