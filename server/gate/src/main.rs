//! `browse-gate --config FILE`: one replica of the gateway of a fleet.

use std::{
    env, fs,
    io::{self, Write as _},
    net::SocketAddr,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
};

use browse_base::{Error, HINT_KEY, Result};
use browse_fleet::{FleetIdentity, GATE_NAME};
use browse_gate::{
    auth::Authenticator,
    cluster::{
        Cluster,
        kubernetes::{
            KubernetesCluster, KubernetesSettings, Owner,
            sandbox::{SandboxCluster, SandboxSettings},
            with_timeouts,
        },
    },
    config::{ClusterConfig, GateConfig, SandboxConfig},
    gateway::{Gateway, GatewayParts, ProtectedResource},
    login::LoginDocument,
    metrics::Metrics,
    observer::Observer,
    placement::Placement,
    pods::PodClient,
    public_address::GatewayUrl,
    server,
};
use browse_proto::Reason;
use k8s_openapi::api::apps::v1::Deployment;
use kube::Api;
use tokio::signal::unix::{SignalKind, signal};
use tokio_rustls::rustls::{
    self, ServerConfig,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
};
use tokio_util::sync::CancellationToken;
use tracing_subscriber::{
    filter::{LevelFilter, Targets},
    layer::SubscriberExt as _,
    util::SubscriberInitExt as _,
};

const USAGE: &str = "browse-gate --config FILE\n\n\
    The gateway of a fleet: authenticates callers, gives sessions a pod, and passes calls on.\n\
    POD_NAME and POD_IP name this replica (downward API). docs/fleet.md has the settings.\n";

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["--help" | "-h"] => print(USAGE),
        ["--version" | "-V"] => print(concat!("browse-gate ", env!("CARGO_PKG_VERSION"), "\n")),
        ["--config", path] => run(Path::new(path)).unwrap_or_else(|error| report(&error)),
        _ => {
            let _ = write!(io::stderr(), "{USAGE}");
            ExitCode::from(2)
        }
    }
}

fn print(text: &str) -> ExitCode {
    match io::stdout().write_all(text.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn report(error: &Error) -> ExitCode {
    let (hint, reason) = (error.hint(), error.reason());
    let _ = writeln!(io::stderr(), "error: {error}\nhint: {hint}\nreason: {}", reason.name());
    ExitCode::from(reason.rule().exit)
}

fn run(path: &Path) -> Result<ExitCode> {
    let config = GateConfig::read(path)?;
    // The library of MCP has lines for each request, with text of its caller.
    let levels =
        Targets::new().with_default(LevelFilter::INFO).with_target("rmcp", LevelFilter::ERROR);
    tracing_subscriber::fmt().json().with_writer(io::stderr).finish().with(levels).init();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Error::new(Reason::Bug, format!("no runtime: {error}")))?;
    runtime.block_on(serve(config))?;
    Ok(ExitCode::SUCCESS)
}

async fn serve(config: GateConfig) -> Result<()> {
    let identity = Arc::new(FleetIdentity::read(&config.tls)?);
    let control_tls = identity.server_config(GATE_NAME)?;
    let public_tls = config.public_tls.as_deref().map(public_tls).transpose()?;
    let cluster = connect(&config).await?;
    let metrics = Arc::<Metrics>::default();
    let replica = env::var("POD_NAME").unwrap_or_default();
    let observer =
        Observer::start(config.traces.as_ref(), config.access_log, &replica, Arc::clone(&metrics))?;
    let pods = Arc::new(PodClient::new(&identity)?);
    let placement = Placement::start(
        Arc::clone(&cluster),
        Arc::clone(&pods),
        config.placement(),
        Arc::clone(&metrics),
    );
    let url = GatewayUrl::new(config.public_url.as_deref(), public_tls.is_some())?;
    let login = LoginDocument::new(&config.cluster.fleet, &config.login, &config.auth)?;
    let resource = ProtectedResource::new(&config.cluster.fleet, &config.login, &config.auth);
    let gateway = Gateway::start(GatewayParts {
        authenticator: Authenticator::new(config.auth)?,
        login,
        cluster: Arc::clone(&cluster),
        placement,
        pods,
        identity,
        metrics,
        url,
        resource,
        observer: Arc::clone(&observer),
        restores_sessions: config.restore_sessions,
    })?;
    let (draining, done) = (CancellationToken::new(), CancellationToken::new());
    let health = server::bind(config.health).await?;
    let control = server::bind(config.control).await?;
    let clients = server::bind(config.listen).await?;
    tracing::info!(listen = %config.listen, "the gateway serves");
    let probes = server::serve_probes(health, Arc::clone(&gateway), draining.clone(), done.clone());
    tokio::spawn(probes);
    tokio::spawn(server::serve_replicas(control, control_tls, Arc::clone(&gateway), done.clone()));
    let serving =
        tokio::spawn(server::serve_clients(clients, public_tls, gateway, draining.clone()));
    signalled().await;
    // Another replica leads, and no new connections come: those that are there end their calls.
    tracing::info!("the gateway drains");
    cluster.withdraw().await;
    draining.cancel();
    if tokio::time::timeout(config.drain_time, serving).await.is_err() {
        tracing::warn!("not every call has ended");
    }
    observer.finish().await;
    done.cancel();
    Ok(())
}

async fn connect(config: &GateConfig) -> Result<Arc<dyn Cluster>> {
    let variable = |name: &str| {
        env::var(name).ok().filter(|value| !value.is_empty()).ok_or_else(|| {
            let message = format!("`{name}` is not set");
            Error::new(Reason::SettingInvalid, message)
                .with("setting", name)
                .with("place", "the environment")
                .with(HINT_KEY, "Set it by the downward API, as the chart does")
        })
    };
    let identity = variable("POD_NAME")?;
    let address = variable("POD_IP")?;
    let ip = address.parse::<std::net::IpAddr>().map_err(|_| {
        Error::new(Reason::SettingInvalid, format!("POD_IP is `{address}`, not an address"))
            .with("setting", "POD_IP")
            .with("place", "the environment")
    })?;
    let unusable = |why: String| {
        let message = format!("the API of the cluster cannot be used: {why}");
        Error::new(Reason::GateUnavailable, message).with(
            HINT_KEY,
            "Check the service account and its Role; outside of a cluster set KUBECONFIG",
        )
    };
    let client_config = kube::Config::infer().await.map_err(|error| unusable(error.to_string()))?;
    let client = kube::Client::try_from(with_timeouts(client_config))
        .map_err(|error| unusable(error.to_string()))?;
    let ClusterConfig { namespace, fleet, lease, owner, sandbox } = config.cluster.clone();
    let owner = match owner {
        Some(name) => {
            let api: Api<Deployment> = Api::namespaced(client.clone(), &namespace);
            let found = api.get(&name).await.map_err(|error| unusable(error.to_string()))?;
            let uid = found.metadata.uid.unwrap_or_default();
            Some(Owner { api_version: "apps/v1".into(), kind: "Deployment".into(), name, uid })
        }
        None => None,
    };
    let settings = KubernetesSettings {
        namespace,
        fleet_selector: format!("browse.dev/pod={fleet}"),
        pod_port: config.pod_port,
        lease,
        owner,
        identity,
        control_address: SocketAddr::new(ip, config.control.port()),
    };
    let started: std::result::Result<Arc<dyn Cluster>, _> = match sandbox {
        Some(SandboxConfig { warm_pool, claim_time, waiting_claims }) => {
            let sandbox =
                SandboxSettings { fleet, warm_pool, claim_time, max_waiting: waiting_claims };
            let cluster = SandboxCluster::start(client, settings, sandbox).await;
            cluster.map(|cluster| cluster as Arc<dyn Cluster>)
        }
        None => {
            let pool = format!("browse.dev/pool={fleet}");
            let cluster = KubernetesCluster::start(client, settings, &pool).await;
            cluster.map(|cluster| cluster as Arc<dyn Cluster>)
        }
    };
    started.map_err(|error| unusable(error.to_string()))
}

/// The certificate for clients.
fn public_tls(folder: &Path) -> Result<ServerConfig> {
    let unusable = |path: PathBuf, why: String| {
        let message = format!("the certificate `{}` cannot be used: {why}", path.display());
        Error::new(Reason::CertificateUnusable, message).with("path", path.display())
    };
    let read = |name: &str| {
        let path = folder.join(name);
        fs::read(&path).map_err(|error| unusable(path, error.to_string()))
    };
    let chain: std::result::Result<Vec<_>, _> =
        CertificateDer::pem_slice_iter(&read("tls.crt")?).collect();
    let chain = chain.map_err(|error| unusable(folder.join("tls.crt"), error.to_string()))?;
    let key = PrivateKeyDer::from_pem_slice(&read("tls.key")?)
        .map_err(|error| unusable(folder.join("tls.key"), error.to_string()))?;
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_protocol_versions(&[&rustls::version::TLS13, &rustls::version::TLS12])
        .map_err(|error| error.to_string())
        .and_then(|builder| {
            let builder = builder.with_no_client_auth();
            builder.with_single_cert(chain, key).map_err(|error| error.to_string())
        });
    let mut config = config.map_err(|why| unusable(folder.to_path_buf(), why))?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

/// Waits for a signal that asks for the end.
async fn signalled() {
    let (Ok(mut terminate), Ok(mut interrupt)) =
        (signal(SignalKind::terminate()), signal(SignalKind::interrupt()))
    else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
}
