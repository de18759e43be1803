//! A fleet: three replicas of the gateway, and pods that are played.

use std::{
    fs,
    net::SocketAddr,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use browse_fleet::{GATE_NAME, POD_NAME};
use browse_gate::{
    cluster::{
        Cluster,
        memory::{MemoryCluster, MemoryReplica},
    },
    gateway::Gateway,
    login::LoginSettings,
    placement::PlacementSettings,
    traces::TraceSettings,
};
use rcgen::{CertifiedIssuer, KeyPair};
use tokio_util::sync::CancellationToken;

use super::{
    caller::{Answer, call},
    identities::{TENANTS, api_keys, authority, write_identity},
    played_pod::FakePod,
};
use crate::served::{GatewaySetup, Listeners, ServedGateway};

/// A quota that no test uses up.
const QUOTA: &str = "sessions = 1000\nsessions_per_minute = 10000\nqueue = 500";

/// Everything of one test.
pub struct World {
    pub cluster: Arc<MemoryCluster>,
    pub replicas: Vec<Replica>,
    /// Folder with the certificate of pods.
    pub pod_identity: PathBuf,
    /// Folder with the certificate of the gateway.
    pub gate_identity: PathBuf,
    authority: CertifiedIssuer<'static, KeyPair>,
    next_pod: AtomicUsize,
    settings: PlacementSettings,
    sessions: SavedSessions,
    traces: Option<TraceSettings>,
    has_access_log: bool,
    home: tempfile::TempDir,
}

/// Whether pods save their sessions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SavedSessions {
    /// A session ends with its pod.
    #[default]
    None,
    /// Another pod restores it.
    Restored,
}

/// One replica of the gateway.
pub struct Replica {
    pub address: SocketAddr,
    /// Where other replicas call.
    pub control: SocketAddr,
    pub gateway: Arc<Gateway>,
    pub cluster: Arc<MemoryReplica>,
    done: CancellationToken,
}

/// What a fleet of a test has beside its replicas.
#[derive(Default)]
struct Extras {
    sessions: SavedSessions,
    /// Time after which a session without a call is closed.
    idle_session_time: Option<Duration>,
    /// Lines of `[auth]`.
    issuer: String,
    login: LoginSettings,
    traces: Option<TraceSettings>,
    has_access_log: bool,
}

impl World {
    /// Three replicas and no pod, with as many sessions a pod.
    pub async fn new(sessions_per_pod: usize) -> Self {
        Self::with_quota(sessions_per_pod, QUOTA).await
    }

    /// The same with a quota for each tenant.
    pub async fn with_quota(sessions_per_pod: usize, quota: &str) -> Self {
        Self::build(sessions_per_pod, quota, Extras::default()).await
    }

    /// Replicas of a fleet whose pods save their sessions.
    pub async fn restoring(sessions_per_pod: usize) -> Self {
        let quota = "sessions = 1000\nsessions_per_minute = 10000\nqueue = 500";
        let extras = Extras { sessions: SavedSessions::Restored, ..Extras::default() };
        Self::build(sessions_per_pod, quota, extras).await
    }

    /// Replicas that close no session in the time of a test.
    pub async fn keeping_sessions(sessions_per_pod: usize) -> Self {
        let idle_session_time = Some(Duration::from_secs(600));
        let extras = Extras { idle_session_time, ..Extras::default() };
        Self::build(sessions_per_pod, QUOTA, extras).await
    }

    /// Replicas with an issuer, by its settings, and a sign-in.
    pub async fn with_login(sessions_per_pod: usize, issuer: &str, login: LoginSettings) -> Self {
        let extras = Extras { issuer: issuer.to_owned(), login, ..Extras::default() };
        Self::build(sessions_per_pod, QUOTA, extras).await
    }

    /// Replicas that export traces, by the lines of `[traces]`.
    pub async fn with_traces(sessions_per_pod: usize, traces: &str) -> Self {
        let traces = Some(toml::from_str(traces).expect("settings"));
        let extras = Extras { traces, ..Extras::default() };
        Self::build(sessions_per_pod, QUOTA, extras).await
    }

    /// Replicas that log each call.
    pub async fn with_access_log(sessions_per_pod: usize) -> Self {
        let extras = Extras { has_access_log: true, ..Extras::default() };
        Self::build(sessions_per_pod, QUOTA, extras).await
    }

    async fn build(sessions_per_pod: usize, quota: &str, extras: Extras) -> Self {
        let Extras { sessions, idle_session_time, issuer, login, traces, has_access_log } = extras;
        let home = tempfile::tempdir().expect("a folder");
        let authority = authority();
        let gate_identity = write_identity(&authority, home.path(), GATE_NAME);
        let pod_identity = write_identity(&authority, home.path(), POD_NAME);
        fs::write(home.path().join("keys.toml"), api_keys(&TENANTS)).expect("written");
        let keys = home.path().join("keys.toml").display().to_string();
        let auth = format!("api_keys = \"{keys}\"\n{issuer}\n[default_quota]\n{quota}\n");
        let empty_pod_time = Duration::from_secs(1);
        let mut world = Self {
            cluster: MemoryCluster::new(),
            replicas: Vec::new(),
            gate_identity,
            authority,
            pod_identity,
            next_pod: AtomicUsize::new(1),
            settings: PlacementSettings {
                sessions_per_pod,
                empty_pod_time,
                // One that lies in a store is used again after its pod has gone.
                idle_session_time: idle_session_time.unwrap_or_else(|| {
                    Duration::from_secs(match sessions {
                        SavedSessions::None => 2,
                        SavedSessions::Restored => 60,
                    })
                }),
            },
            sessions,
            traces,
            has_access_log,
            home,
        };
        for _ in 0..3 {
            let replica = world.start_replica(&auth, &login).await;
            world.replicas.push(replica);
        }
        world
    }

    async fn start_replica(&self, auth: &str, login: &LoginSettings) -> Replica {
        let listeners = Listeners::bind().await;
        let cluster = self.cluster.replica(listeners.control());
        let setup = GatewaySetup {
            identity: &self.gate_identity,
            auth,
            login,
            traces: self.traces.as_ref(),
            has_access_log: self.has_access_log,
            placement: self.settings,
            restores_sessions: self.sessions == SavedSessions::Restored,
        };
        let served = setup.serve(listeners, Arc::clone(&cluster) as Arc<dyn Cluster>);
        let ServedGateway { address, control, gateway, done } = served;
        Replica { address, control, gateway, cluster, done }
    }

    /// Revokes the key of a tenant.
    pub fn revoke_key(&self, tenant: &str) {
        let others: Vec<_> = TENANTS.into_iter().filter(|known| *known != tenant).collect();
        fs::write(self.home.path().join("keys.toml"), api_keys(&others)).expect("written");
    }

    /// Adds a warm pod.
    pub async fn add_pod(&self) -> FakePod {
        let number = self.next_pod.fetch_add(1, Ordering::Relaxed);
        let pod = FakePod::numbered(number, &self.pod_identity, None).await;
        self.cluster.add_pod(pod.record());
        pod
    }

    /// Adds as many warm pods.
    pub async fn add_pods(&self, count: usize) -> Vec<FakePod> {
        let mut pods = Vec::new();
        for _ in 0..count {
            pods.push(self.add_pod().await);
        }
        pods
    }

    /// A pod of another uid at the address of one that has gone.
    pub async fn add_pod_at(&self, address: SocketAddr) -> FakePod {
        let number = self.next_pod.fetch_add(1, Ordering::Relaxed);
        FakePod::numbered(number, &self.pod_identity, Some(address)).await
    }

    /// Folder with a certificate of the fleet's authority for another name.
    pub fn certificate_for(&self, name: &str) -> PathBuf {
        write_identity(&self.authority, self.home.path(), name)
    }

    /// Folder with a certificate for `name` of an authority that the fleet does not know. Its
    /// owner trusts that of the fleet.
    pub fn foreign_certificate_for(&self, name: &str) -> PathBuf {
        let folder = write_identity(&authority(), &self.home.path().join("foreign"), name);
        fs::write(folder.join("ca.crt"), self.authority.pem()).expect("written");
        folder
    }

    /// Calls a command in a session by the replica with this number.
    pub async fn call(&self, replica: usize, tenant: &str, session: &str, command: &str) -> Answer {
        self.call_with(replica, tenant, session, command, &[]).await
    }

    /// The same with other headers, which replace ours.
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
}

impl Replica {
    /// Ends it as a kill does: its connections break, and another one leads.
    pub fn kill(&self) {
        self.cluster.stop();
        self.done.cancel();
    }
}
