//! A gateway of a test, at free ports of loopback.

use std::{net::SocketAddr, path::Path, sync::Arc};

use browse_fleet::{FleetIdentity, GATE_NAME};
use browse_gate::{
    auth::{AuthSettings, Authenticator},
    cluster::Cluster,
    gateway::{Gateway, GatewayParts, ProtectedResource},
    login::{LoginDocument, LoginSettings},
    metrics::Metrics,
    observer::Observer,
    placement::{Placement, PlacementSettings},
    pods::PodClient,
    public_address::GatewayUrl,
    server,
    traces::TraceSettings,
};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// Where a gateway listens.
pub struct Listeners {
    control: TcpListener,
    clients: TcpListener,
}

/// What a gateway is made of.
pub struct GatewaySetup<'a> {
    /// Folder with its certificate.
    pub identity: &'a Path,
    /// The settings `[auth]`.
    pub auth: &'a str,
    pub login: &'a LoginSettings,
    pub traces: Option<&'a TraceSettings>,
    pub has_access_log: bool,
    pub placement: PlacementSettings,
    pub restores_sessions: bool,
}

/// A gateway that serves.
pub struct ServedGateway {
    pub address: SocketAddr,
    /// Where other replicas call.
    pub control: SocketAddr,
    pub gateway: Arc<Gateway>,
    pub done: CancellationToken,
}

impl Listeners {
    pub async fn bind() -> Self {
        let control = server::bind(([127, 0, 0, 1], 0).into()).await.expect("a port");
        let clients = server::bind(([127, 0, 0, 1], 0).into()).await.expect("a port");
        Self { control, clients }
    }

    /// Where other replicas call.
    pub fn control(&self) -> SocketAddr {
        self.control.local_addr().expect("an address")
    }
}

impl GatewaySetup<'_> {
    /// Serves the pods of `cluster`.
    pub fn serve(self, listeners: Listeners, cluster: Arc<dyn Cluster>) -> ServedGateway {
        let identity = Arc::new(FleetIdentity::read(self.identity).expect("it is whole"));
        let (address, control) =
            (listeners.clients.local_addr().expect("an address"), listeners.control());
        let metrics = Arc::<Metrics>::default();
        let pods = Arc::new(PodClient::new(&identity).expect("it fits"));
        let placement = Placement::start(
            Arc::clone(&cluster),
            Arc::clone(&pods),
            self.placement,
            Arc::clone(&metrics),
        );
        let auth: AuthSettings = toml::from_str(self.auth).expect("settings");
        let tls = identity.server_config(GATE_NAME).expect("it fits");
        let login = LoginDocument::new("browse", self.login, &auth).expect("settings");
        let resource = ProtectedResource::new("browse", self.login, &auth);
        let observer = Observer::start(
            self.traces,
            self.has_access_log,
            "browse-gate-0",
            Arc::clone(&metrics),
        );
        let gateway = Gateway::start(GatewayParts {
            authenticator: Authenticator::new(auth).expect("settings"),
            login,
            cluster,
            placement,
            pods,
            identity,
            metrics,
            url: GatewayUrl::default(),
            resource,
            observer: observer.expect("settings"),
            restores_sessions: self.restores_sessions,
        });
        let gateway = gateway.expect("it starts");
        let done = CancellationToken::new();
        let Listeners { control: replicas, clients } = listeners;
        tokio::spawn(server::serve_replicas(replicas, tls, Arc::clone(&gateway), done.clone()));
        tokio::spawn(server::serve_clients(clients, None, Arc::clone(&gateway), done.clone()));
        ServedGateway { address, control, gateway, done }
    }
}
