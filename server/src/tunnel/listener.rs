//! Opens the listener when somebody is paired or a tunnel starts, and closes it
//! with the last of them.

use std::{io, net::SocketAddr, sync::Arc, time::Duration};

use browse_proto::Reason;
use futures::future::BoxFuture;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Mutex,
    task::JoinHandle,
    time::{Instant, timeout},
};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

use super::{
    ListenConfig, PeerAuthentication, TunnelIdentity, TunnelSettings, connection,
    connection_limits::{TunnelConnection, TunnelConnections},
    receipts::Receipts,
    tunnel_state::{TunnelLifecycle, TunnelStatus},
};
use crate::{idle_timer::IdleTimer, notices::RootNotices, pairing::Pairings};
use browse_base::{Error, HINT_KEY, Result};
use browse_policy::layer::{AllowedHosts, GatedService, OriginCheck};
use browse_process::Guardian;
use browse_records::SecurityLog;

/// Time that a connection has to greet.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(5);
/// Time that the listener rests when it cannot accept.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(50);
/// How often connections are looked at.
const STALE_CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// Connections that wait to be accepted.
const LISTEN_BACKLOG: u32 = 128;

/// The listener for agents on other machines, or its absence.
pub struct TunnelListener {
    parts: TunnelParts,
    open_listener: Mutex<Option<OpenTunnel>>,
    allowed_hosts: Arc<AllowedHosts>,
    lifecycle: TunnelLifecycle,
    receipts: Receipts,
}

/// What the listener works with.
#[allow(missing_docs)]
pub struct TunnelParts {
    pub settings: TunnelSettings,
    pub attempts: Arc<SecurityLog>,
    pub guardian: Option<Arc<Guardian>>,
    pub pairings: Arc<Pairings>,
    pub idle_timer: Arc<IdleTimer>,
    pub notices: Arc<RootNotices>,
}

/// Makes the services of the listener when it opens.
pub type TunnelServices =
    Box<dyn FnOnce(OriginCheck) -> BoxFuture<'static, Result<GatedService>> + Send>;

struct OpenTunnel {
    local_address: SocketAddr,
    address: String,
    fingerprint: [u8; 32],
    cancel: CancellationToken,
    task: JoinHandle<()>,
}

/// Where the listener is reached.
#[derive(Clone, Debug)]
pub struct ListenerAddress {
    /// `host:port`, of the tunnel while one runs.
    pub address: String,
    /// The same without a tunnel.
    pub direct_address: String,
    /// SHA-256 of the public key of its certificate.
    pub fingerprint: [u8; 32],
    /// By what agents know the daemon there.
    pub peer_authentication: PeerAuthentication,
}

impl TunnelListener {
    /// A closed one.
    pub fn new(parts: TunnelParts) -> Self {
        Self {
            receipts: Receipts::new(&parts.settings.home),
            parts,
            open_listener: Mutex::default(),
            allowed_hosts: Arc::default(),
            lifecycle: TunnelLifecycle::default(),
        }
    }

    /// What forwards to it.
    pub fn lifecycle(&self) -> &TunnelLifecycle {
        &self.lifecycle
    }

    /// What was written down of that.
    pub fn receipts(&self) -> &Receipts {
        &self.receipts
    }

    /// The names by which it is called.
    pub(super) fn allowed_hosts(&self) -> &AllowedHosts {
        &self.allowed_hosts
    }

    /// What it works with.
    pub(super) fn parts(&self) -> &TunnelParts {
        &self.parts
    }

    /// Opens the listener unless it is open, and says where it is reached.
    ///
    /// # Errors
    /// `TUNNEL_UNAVAILABLE`; the certificate cannot be used.
    pub async fn open(
        &self,
        services: TunnelServices,
        place: &ListenConfig,
    ) -> Result<ListenerAddress> {
        let mut open = self.open_listener.lock().await;
        if let Some(open) = &mut *open {
            open.ensure_matches(place)?;
            if let Some(address) = &place.address {
                self.allowed_hosts.add(address);
                open.address = address.clone();
            }
            return Ok(self.public_endpoint(open, place.address.as_deref()));
        }
        let settings = self.parts.settings.clone();
        let listen = place.listen.unwrap_or_else(ListenConfig::default_listen);
        if settings.local_only && !listen.ip().is_loopback() {
            let message = format!("`{listen}` is not of this machine alone");
            return Err(Error::new(Reason::TunnelLocalOnly, message));
        }
        let identity =
            tokio::task::spawn_blocking(move || TunnelIdentity::from_settings(&settings)).await;
        let identity = identity.map_err(|error| unavailable(error.to_string()))??;
        let listener = bind(listen)?;
        let bound = listener.local_addr().map_err(|error| unavailable(error.to_string()))?;
        let address = place.address.clone().unwrap_or_else(|| bound.to_string());
        self.allowed_hosts.add(&address);
        let origin = OriginCheck::Named(Arc::clone(&self.allowed_hosts));
        let services = services(origin).await?;
        let done = CancellationToken::new();
        let acceptor = TlsAcceptor::from(Arc::clone(&identity.config));
        tracing::info!(%bound, "remote agents can call");
        let attempts = Arc::clone(&self.parts.attempts);
        let task =
            tokio::spawn(accept_connections(listener, acceptor, services, done.clone(), attempts));
        let fingerprint = identity.fingerprint;
        let found = open.insert(OpenTunnel {
            local_address: bound,
            address,
            fingerprint,
            cancel: done,
            task,
        });
        Ok(self.public_endpoint(found, place.address.as_deref()))
    }

    /// Where it is reached while it is open.
    pub async fn endpoint(&self) -> Option<ListenerAddress> {
        self.open_listener.lock().await.as_ref().map(|open| self.public_endpoint(open, None))
    }

    /// Where agents reach what is open: where the owner specified just now, else
    /// where the tunnel is.
    fn public_endpoint(&self, open: &OpenTunnel, output: Option<&str>) -> ListenerAddress {
        let (direct, fingerprint) = (open.address.clone(), open.fingerprint);
        match self.lifecycle.status() {
            TunnelStatus::Running(running) if output.is_none() => {
                let (address, trust) =
                    (running.public.address.clone(), running.public.peer_authentication);
                ListenerAddress {
                    address,
                    direct_address: direct,
                    fingerprint,
                    peer_authentication: trust,
                }
            }
            _ => ListenerAddress {
                address: direct.clone(),
                direct_address: direct,
                fingerprint,
                peer_authentication: PeerAuthentication::Pin,
            },
        }
    }

    /// Whether the listener could be at `place`, as far as that is known before
    /// anything is done.
    ///
    /// # Errors
    /// `TUNNEL_UNAVAILABLE`: it is open somewhere else.
    pub async fn check_available(&self, place: &ListenConfig) -> Result<()> {
        self.open_listener.lock().await.as_ref().map_or(Ok(()), |open| open.ensure_matches(place))
    }

    /// Closes the listener when nobody is paired and nothing forwards to it.
    pub async fn close_if_unused(&self) {
        let mut open = self.open_listener.lock().await;
        let kept = self.lifecycle.is_active() || self.parts.settings.local_only;
        if kept || !self.parts.pairings.is_empty() {
            return;
        }
        if let Some(mut open) = open.take() {
            open.cancel.cancel();
            // Its port is free again before the callers get the response.
            let _ = (&mut open.task).await;
            self.allowed_hosts.clear();
            tracing::info!("the listener for remote agents is closed");
        }
    }

    /// Where it listens, while it does.
    pub async fn local_address(&self) -> Option<SocketAddr> {
        self.open_listener.lock().await.as_ref().map(|open| open.local_address)
    }
}

impl OpenTunnel {
    fn ensure_matches(&self, place: &ListenConfig) -> Result<()> {
        if place.listen.is_some_and(|listen| !is_bound_to(self.local_address, listen)) {
            let message = format!("the listener is open at {} already", self.local_address);
            let hint = "Leave `--listen` out and use that one; to have it at another address, end the pairings (`browse pair list`, `browse pair revoke <name>`) and the tunnel (`browse tunnel stop`) first";
            return Err(unavailable(message).with(HINT_KEY, hint));
        }
        Ok(())
    }
}

impl Drop for OpenTunnel {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

/// Whether a listener at `bound` is what `wanted` asks for.
fn is_bound_to(bound: SocketAddr, wanted: SocketAddr) -> bool {
    bound.ip() == wanted.ip() && (wanted.port() == 0 || bound.port() == wanted.port())
}

fn bind(address: SocketAddr) -> Result<TcpListener> {
    let bind = || -> io::Result<TcpListener> {
        let socket = match address {
            SocketAddr::V4(_) => tokio::net::TcpSocket::new_v4()?,
            SocketAddr::V6(_) => tokio::net::TcpSocket::new_v6()?,
        };
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        socket.listen(LISTEN_BACKLOG)
    };
    bind().map_err(|error| unavailable(format!("`{address}` cannot be listened on: {error}")))
}

fn unavailable(message: String) -> Error {
    Error::new(Reason::TunnelUnavailable, message)
}

/// Takes connections until `done`.
async fn accept_connections(
    listener: TcpListener,
    acceptor: TlsAcceptor,
    services: GatedService,
    done: CancellationToken,
    attempts: Arc<SecurityLog>,
) {
    let lines = Arc::new(TunnelConnections::default());
    let mut look =
        tokio::time::interval_at(Instant::now() + STALE_CHECK_INTERVAL, STALE_CHECK_INTERVAL);
    loop {
        tokio::select! {
            () = done.cancelled() => return,
            _ = look.tick() => lines.cancel_stale(std::time::Instant::now()),
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => {
                    let Some(line) = lines.admit() else { continue };
                    let (acceptor, services) = (acceptor.clone(), services.clone());
                    let (lines, done) = (Arc::clone(&lines), done.clone());
                    let attempts = Arc::clone(&attempts);
                    tokio::spawn(async move {
                        handshake_and_serve(stream, peer, acceptor, services, &line, done, &attempts).await;
                        lines.remove(&line);
                    });
                }
                Err(error) => {
                    tracing::warn!(%error, "a connection from somewhere else was not accepted");
                    tokio::time::sleep(ACCEPT_RETRY_DELAY).await;
                }
            }
        }
    }
}

async fn handshake_and_serve(
    stream: TcpStream,
    peer: SocketAddr,
    acceptor: TlsAcceptor,
    services: GatedService,
    line: &Arc<TunnelConnection>,
    done: CancellationToken,
    attempts: &SecurityLog,
) {
    let _ = stream.set_nodelay(true);
    let greeted = tokio::select! {
        greeted = timeout(HANDSHAKE_TIMEOUT, acceptor.accept(stream)) => greeted,
        () = line.cancelled() => return,
        () = done.cancelled() => return,
    };
    match greeted {
        Ok(Ok(stream)) => {
            let (peer, line) = (peer.ip().to_canonical(), Arc::clone(line));
            connection::serve(stream, services, peer, line, done, attempts).await;
        }
        Ok(Err(error)) => tracing::debug!(%error, "a greeting from somewhere else failed"),
        Err(_) => tracing::debug!("a connection from somewhere else did not greet"),
    }
}
