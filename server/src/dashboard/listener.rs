//! The listener on loopback: open while there is a link or a dashboard.

use std::{
    net::{IpAddr, SocketAddr},
    sync::{
        Arc, Mutex as StdMutex, MutexGuard, PoisonError,
        atomic::{AtomicU16, Ordering},
    },
    time::{Duration, SystemTime},
};

use browse_base::{Error, HINT_KEY, Result};
use browse_net::HostPolicy;
use browse_policy::{
    Audience, Authority, ClientId, ClientKind, Delivery, GrantSpec, IssuedToken, Rate, SessionRule,
    TabPolicy,
    layer::{GatedService, OriginCheck},
};
use browse_proto::{Reason, Scope};
use futures::future::BoxFuture;
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{Mutex, Semaphore},
    time::Instant,
};
use tokio_util::sync::CancellationToken;
use url::{Host, Url};

use super::{
    daemon_place::DaemonPlace,
    http_service::DashboardService,
    links::{DashboardTerms, OneTimeLinks},
    page_files::PageFiles,
    peer_process,
    views::Views,
};
use crate::loopback;

/// Connections at a time: a page has six.
const MAX_CONNECTIONS: usize = 64;

/// Time in which a page must have sent the head of its request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);

/// How often is looked whether anybody is there.
const SWEEP_INTERVAL: Duration = Duration::from_millis(500);

/// Time without a connection after which all dashboards end.
const UNUSED_TIMEOUT: Duration = Duration::from_secs(600);

/// Calls a second of one dashboard; acknowledgements of pictures are among them.
pub(super) const MAX_CALLS_PER_SECOND: u32 = 400;

/// Makes the services that pages may call, for a listener with this check.
pub type DashboardServices =
    Box<dyn FnOnce(OriginCheck) -> BoxFuture<'static, Result<GatedService>> + Send>;

/// What a listener is made of.
#[allow(missing_docs)]
pub struct DashboardParts {
    pub authority: Arc<Authority>,
    pub version: String,
    pub build_id: String,
    /// What it serves.
    pub page: PageFiles,
    /// Whose dashboard it is.
    pub place: DaemonPlace,
}

/// The listener, the links to it, and the dashboards that are open.
pub struct DashboardListener {
    parts: DashboardParts,
    links: OneTimeLinks,
    dashboards: StdMutex<Dashboards>,
    views: Arc<Views>,
    open: Mutex<Option<OpenDashboard>>,
    /// Port while it is open, else 0.
    port: AtomicU16,
}

#[derive(Default)]
struct Dashboards {
    tokens: Vec<IssuedToken>,
    last_number: u64,
}

struct OpenDashboard {
    local: SocketAddr,
    done: CancellationToken,
}

/// A dashboard that was just opened.
pub(super) struct OpenedDashboard {
    pub token: String,
    pub scopes: Vec<&'static str>,
    pub expires_at: SystemTime,
}

impl DashboardListener {
    /// One that is closed.
    pub fn new(parts: DashboardParts) -> Self {
        Self {
            parts,
            links: OneTimeLinks::default(),
            dashboards: StdMutex::default(),
            views: Arc::default(),
            open: Mutex::default(),
            port: AtomicU16::new(0),
        }
    }

    /// Makes a link, and opens the listener for it; answers the link and when it ends.
    ///
    /// # Errors
    /// `DASHBOARD_MISSING`; `ARGUMENT_INVALID`: with these scopes it would show nothing; no port
    /// can be listened on.
    pub async fn issue(
        self: &Arc<Self>,
        terms: DashboardTerms,
        services: DashboardServices,
    ) -> Result<(String, SystemTime)> {
        self.page()?;
        if !terms.scopes.allows(Scope::Meta) {
            let message = "a dashboard without the scope `meta` shows nothing";
            return Err(Error::new(Reason::ArgumentInvalid, message)
                .with("command", "dashboard")
                .with(HINT_KEY, "Add it: `--scope read,meta`"));
        }
        let (code, expires) = self.links.issue(terms)?;
        let local = self.open(services).await?;
        Ok((format!("http://{local}/#code={code}"), expires))
    }

    /// Ends all dashboards and links; answers how many dashboards there were.
    pub fn close(&self) -> usize {
        self.links.clear();
        let mut dashboards = self.lock();
        let ended = dashboards.tokens.iter().filter(|token| is_alive(token)).count();
        dashboards.tokens.clear();
        ended
    }

    /// Whether somebody has a dashboard.
    pub fn is_used(&self) -> bool {
        self.lock().tokens.iter().any(is_alive)
    }

    /// Whether a link of it was ever opened.
    pub fn was_opened(&self) -> bool {
        self.lock().last_number > 0
    }

    /// Whether an address leads to this listener: its page in the browser of a person has a
    /// token.
    pub fn is_at(&self, url: &Url) -> bool {
        let port = self.port.load(Ordering::Relaxed);
        let is_loopback = match url.host() {
            Some(Host::Ipv4(address)) => is_here(address.into()),
            Some(Host::Ipv6(address)) => is_here(address.to_canonical()),
            Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
            None => false,
        };
        port != 0 && is_loopback && url.port_or_known_default() == Some(port)
    }

    /// The views of the dashboards.
    pub fn views(&self) -> &Arc<Views> {
        &self.views
    }

    /// The tokens of the daemon.
    pub(super) fn authority(&self) -> &Arc<Authority> {
        &self.parts.authority
    }

    /// Whether it listens.
    pub fn is_open(&self) -> bool {
        self.port.load(Ordering::Relaxed) != 0
    }

    /// The files of its page.
    ///
    /// # Errors
    /// `DASHBOARD_MISSING`: there are none.
    pub fn page(&self) -> Result<&PageFiles> {
        match self.parts.page.files() {
            [] => Err(Error::new(Reason::DashboardMissing, "this build has no dashboard")),
            _ => Ok(&self.parts.page),
        }
    }

    /// The version of the daemon.
    pub(super) fn version(&self) -> &str {
        &self.parts.version
    }

    /// Whose dashboard it is.
    pub(super) fn place(&self) -> DaemonPlace {
        self.parts.place
    }

    /// Names the build of the daemon.
    pub(super) fn build_id(&self) -> &str {
        &self.parts.build_id
    }

    /// Trades the code of a link for a token.
    ///
    /// # Errors
    /// As [`OneTimeLinks::redeem`].
    pub(super) fn redeem(&self, code: &str) -> Result<OpenedDashboard> {
        let terms = self.links.redeem(code)?;
        let mut dashboards = self.lock();
        dashboards.tokens.retain(is_alive);
        dashboards.last_number += 1;
        let spec = GrantSpec {
            client: ClientId::new(format!("dashboard:{}", dashboards.last_number))?,
            audience: Audience::Dashboard,
            kind: ClientKind::Dashboard,
            scopes: terms.scopes,
            hosts: HostPolicy::Any,
            tabs: TabPolicy::Session,
            session: SessionRule::Any,
            rate: Rate::PerSecond(MAX_CALLS_PER_SECOND),
            delivery: Delivery::Raw,
            lifetime: terms.lifetime,
        };
        let token = self.parts.authority.issue(spec)?;
        let opened = OpenedDashboard {
            token: token.token().to_owned(),
            scopes: terms.scopes.names(),
            expires_at: SystemTime::now() + terms.lifetime,
        };
        dashboards.tokens.push(token);
        Ok(opened)
    }

    async fn open(self: &Arc<Self>, services: DashboardServices) -> Result<SocketAddr> {
        let mut open = self.open.lock().await;
        if let Some(open) = open.as_ref().filter(|open| !open.done.is_cancelled()) {
            return Ok(open.local);
        }
        let (listener, local) = loopback::bind(0).await?;
        let services = services(OriginCheck::Page { port: local.port() }).await?;
        let service = DashboardService { listener: Arc::downgrade(self), local, services };
        let done = CancellationToken::new();
        *open = Some(OpenDashboard { local, done: done.clone() });
        self.port.store(local.port(), Ordering::Relaxed);
        tracing::info!(%local, "the dashboard can be opened");
        let connections = Arc::new(Semaphore::new(MAX_CONNECTIONS));
        tokio::spawn(accept(listener, service, Arc::clone(&connections), done));
        tokio::spawn(close_when_unused(Arc::downgrade(self), connections));
        Ok(local)
    }

    fn lock(&self) -> MutexGuard<'_, Dashboards> {
        self.dashboards.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_here(address: IpAddr) -> bool {
    address.is_loopback() || address.is_unspecified()
}

fn is_alive(token: &IssuedToken) -> bool {
    token.grant().check_alive().is_ok()
}

/// Ends the dashboards when nobody was connected for long, and the listener with the last.
async fn close_when_unused(
    listener: std::sync::Weak<DashboardListener>,
    connections: Arc<Semaphore>,
) {
    let mut last_used = Instant::now();
    loop {
        tokio::time::sleep(SWEEP_INTERVAL).await;
        let Some(listener) = listener.upgrade() else { return };
        let has_connections = connections.available_permits() < MAX_CONNECTIONS;
        if has_connections || !listener.links.is_empty() {
            last_used = Instant::now();
        }
        if last_used.elapsed() > UNUSED_TIMEOUT {
            listener.close();
        }
        if listener.is_used() || !listener.links.is_empty() {
            continue;
        }
        let mut open = listener.open.lock().await;
        // A link may have been made meanwhile.
        if !listener.is_used()
            && listener.links.is_empty()
            && let Some(open) = open.take()
        {
            open.done.cancel();
            listener.port.store(0, Ordering::Relaxed);
            tracing::info!("the dashboard cannot be opened any more");
            return;
        }
    }
}

impl Drop for DashboardListener {
    fn drop(&mut self) {
        if let Some(open) = self.open.get_mut() {
            open.done.cancel();
        }
    }
}

async fn accept(
    listener: TcpListener,
    service: DashboardService,
    limit: Arc<Semaphore>,
    done: CancellationToken,
) {
    while let Some(accepted) = done.run_until_cancelled(listener.accept()).await {
        let Ok((stream, peer)) = accepted else {
            tokio::time::sleep(SWEEP_INTERVAL).await;
            continue;
        };
        let Ok(permit) = Arc::clone(&limit).try_acquire_owned() else { continue };
        let (service, done) = (service.clone(), done.clone());
        tokio::spawn(async move {
            let local = service.local;
            let checked = tokio::task::spawn_blocking(move || peer_process::check(local, peer));
            match checked.await {
                Ok(Ok(())) => serve(stream, service, peer, done).await,
                Ok(Err(refusal)) => {
                    tracing::warn!(?refusal, "a connection to the dashboard was refused");
                }
                Err(error) => tracing::warn!(%error, "a peer could not be checked"),
            }
            drop(permit);
        });
    }
}

async fn serve(
    stream: TcpStream,
    service: DashboardService,
    peer: SocketAddr,
    done: CancellationToken,
) {
    // Small answers must not wait for more to send.
    let _ = stream.set_nodelay(true);
    let service = tower::service_fn(move |request| {
        let service = service.clone();
        async move { Ok::<_, std::convert::Infallible>(service.call(request, peer.ip()).await) }
    });
    let serving = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(REQUEST_TIMEOUT)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(service));
    if let Some(Err(error)) = done.run_until_cancelled(serving).await {
        tracing::debug!(%error, "a connection of a dashboard broke");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_of_the_listener_is_known_in_any_notation() {
        let authority = Arc::new(Authority::new().expect("random numbers"));
        let (version, build_id, page) = (String::new(), String::new(), PageFiles::default());
        let place = DaemonPlace::Here;
        let parts = DashboardParts { authority, version, build_id, page, place };
        let listener = DashboardListener::new(parts);
        let is_at = |text: &str| listener.is_at(&text.parse().expect(text));
        assert!(!is_at("http://127.0.0.1:4000/"), "it is closed");
        listener.port.store(4000, Ordering::Relaxed);
        for own in [
            "http://127.0.0.1:4000/",
            "http://localhost:4000/#live",
            "http://a.localhost:4000/",
            "http://2130706433:4000/",
            "http://0x7f.1:4000/",
            "http://0.0.0.0:4000/",
            "http://[::1]:4000/",
            "http://[::ffff:127.0.0.1]:4000/",
        ] {
            assert!(is_at(own), "{own}");
        }
        for other in ["http://127.0.0.1:4001/", "http://192.0.2.1:4000/", "about:blank"] {
            assert!(!is_at(other), "{other}");
        }
        assert!(!is_at("http://[::ffff:192.0.2.1]:4000/"));
    }
}
