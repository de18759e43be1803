//! Opens the listener when somebody is paired or a tunnel starts, and closes it
//! with the last of them.

use std::{io, net::SocketAddr, sync::Arc, time::Duration};

use browse_proto::Reason;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Mutex,
    task::JoinHandle,
    time::{Instant, timeout},
};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

use super::{
    Identity, Names, Place, Trust, connection,
    forward::{Forward, Known},
    lines::{Line, Lines},
    receipts::Receipts,
};
use crate::{
    daemon::{self, Daemon},
    error::{Error, HINT, Result},
    policy::{
        Listener,
        layer::{Guarded, Origin},
    },
    records::Attempts,
};

/// Time that a connection has to greet.
const GREETING: Duration = Duration::from_secs(5);
/// Time that the listener rests when it cannot accept.
const REST: Duration = Duration::from_millis(50);
/// How often connections are looked at.
const LOOK: Duration = Duration::from_secs(1);
/// Connections that wait to be accepted.
const WAITING: u32 = 128;

/// The listener for agents on other machines, or its absence.
pub struct Tunnel {
    open: Mutex<Option<Open>>,
    names: Arc<Names>,
    forward: Forward,
    receipts: Receipts,
}

struct Open {
    bound: SocketAddr,
    address: String,
    fingerprint: [u8; 32],
    done: CancellationToken,
    task: JoinHandle<()>,
}

/// Where the listener is reached.
#[derive(Clone, Debug)]
pub struct Endpoint {
    /// `host:port`, of the tunnel while one runs.
    pub address: String,
    /// The same without a tunnel.
    pub direct: String,
    /// SHA-256 of the public key of its certificate.
    pub fingerprint: [u8; 32],
    /// By what agents know the daemon there.
    pub trust: Trust,
}

impl Tunnel {
    /// A closed one, with the receipts below `home`.
    pub fn new(home: &std::path::Path) -> Self {
        Self {
            open: Mutex::default(),
            names: Arc::default(),
            forward: Forward::default(),
            receipts: Receipts::new(home),
        }
    }

    /// What forwards to it.
    pub fn forward(&self) -> &Forward {
        &self.forward
    }

    /// What was written down of that.
    pub fn receipts(&self) -> &Receipts {
        &self.receipts
    }

    /// The names by which it is called.
    pub(super) fn names(&self) -> &Names {
        &self.names
    }

    /// Opens the listener unless it is open, and says where it is reached.
    ///
    /// # Errors
    /// `TUNNEL_UNAVAILABLE`; the certificate cannot be used.
    pub async fn open(&self, daemon: &Arc<Daemon>, place: &Place) -> Result<Endpoint> {
        let mut open = self.open.lock().await;
        if let Some(open) = &mut *open {
            open.fits(place)?;
            if let Some(address) = &place.address {
                self.names.add(address);
                open.address = address.clone();
            }
            return Ok(self.reached(open, place.address.as_deref()));
        }
        let settings = daemon.settings().clone();
        let listen = place.listen.unwrap_or_else(Place::usual);
        if settings.tunnel_local_only && !listen.ip().is_loopback() {
            let message = format!("`{listen}` is not of this machine alone");
            return Err(Error::new(Reason::TunnelLocalOnly, message));
        }
        let identity = tokio::task::spawn_blocking(move || Identity::of(&settings)).await;
        let identity = identity.map_err(|error| unavailable(error.to_string()))??;
        let listener = bind(listen)?;
        let bound = listener.local_addr().map_err(|error| unavailable(error.to_string()))?;
        let address = place.address.clone().unwrap_or_else(|| bound.to_string());
        self.names.add(&address);
        let origin = Origin::Named(Arc::clone(&self.names));
        let services = daemon::services(daemon, Listener::Tunnel, origin).await?;
        let done = CancellationToken::new();
        let acceptor = TlsAcceptor::from(Arc::clone(&identity.config));
        tracing::info!(%bound, "agents elsewhere can call");
        let attempts = Arc::clone(daemon.attempts());
        let task = tokio::spawn(accept(listener, acceptor, services, done.clone(), attempts));
        let fingerprint = identity.fingerprint;
        let found = open.insert(Open { bound, address, fingerprint, done, task });
        Ok(self.reached(found, place.address.as_deref()))
    }

    /// Where it is reached while it is open.
    pub async fn endpoint(&self) -> Option<Endpoint> {
        self.open.lock().await.as_ref().map(|open| self.reached(open, None))
    }

    /// Where agents reach what is open: where the owner said just now, else
    /// where the tunnel is.
    fn reached(&self, open: &Open, said: Option<&str>) -> Endpoint {
        let (direct, fingerprint) = (open.address.clone(), open.fingerprint);
        match self.forward.known() {
            Known::Running(running) if said.is_none() => {
                let (address, trust) = (running.public.address.clone(), running.public.trust);
                Endpoint { address, direct, fingerprint, trust }
            }
            _ => Endpoint { address: direct.clone(), direct, fingerprint, trust: Trust::Pin },
        }
    }

    /// Whether the listener could be at `place`, as far as that is known before
    /// anything is done.
    ///
    /// # Errors
    /// `TUNNEL_UNAVAILABLE`: it is open elsewhere.
    pub async fn check(&self, place: &Place) -> Result<()> {
        self.open.lock().await.as_ref().map_or(Ok(()), |open| open.fits(place))
    }

    /// Closes the listener when nobody is paired and nothing forwards to it.
    pub async fn rest(&self, daemon: &Daemon) {
        let mut open = self.open.lock().await;
        let kept = self.forward.holds() || daemon.settings().tunnel_local_only;
        if kept || !daemon.pairings().is_empty() {
            return;
        }
        if let Some(mut open) = open.take() {
            open.done.cancel();
            // Its port is free again before anybody is told so.
            let _ = (&mut open.task).await;
            self.names.clear();
            tracing::info!("the listener for agents elsewhere is closed");
        }
    }

    /// Where it listens, while it does.
    pub async fn bound(&self) -> Option<SocketAddr> {
        self.open.lock().await.as_ref().map(|open| open.bound)
    }
}

impl Open {
    fn fits(&self, place: &Place) -> Result<()> {
        if place.listen.is_some_and(|listen| !is_at(self.bound, listen)) {
            let message = format!("the listener is open at {} already", self.bound);
            let hint = "Leave `--listen` out and use that one; to have it elsewhere, end the pairings (`browse pair list`, `browse pair revoke <name>`) and the tunnel (`browse tunnel stop`) first";
            return Err(unavailable(message).with(HINT, hint));
        }
        Ok(())
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.done.cancel();
    }
}

/// Whether a listener at `bound` is what `wanted` asks for.
fn is_at(bound: SocketAddr, wanted: SocketAddr) -> bool {
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
        socket.listen(WAITING)
    };
    bind().map_err(|error| unavailable(format!("`{address}` cannot be listened on: {error}")))
}

fn unavailable(message: String) -> Error {
    Error::new(Reason::TunnelUnavailable, message)
}

/// Takes connections until `done`.
async fn accept(
    listener: TcpListener,
    acceptor: TlsAcceptor,
    services: Guarded,
    done: CancellationToken,
    attempts: Arc<Attempts>,
) {
    let lines = Arc::new(Lines::default());
    let mut look = tokio::time::interval_at(Instant::now() + LOOK, LOOK);
    loop {
        tokio::select! {
            () = done.cancelled() => return,
            _ = look.tick() => lines.tidy(std::time::Instant::now()),
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => {
                    let Some(line) = lines.admit() else { continue };
                    let (acceptor, services) = (acceptor.clone(), services.clone());
                    let (lines, done) = (Arc::clone(&lines), done.clone());
                    let attempts = Arc::clone(&attempts);
                    tokio::spawn(async move {
                        greet(stream, peer, acceptor, services, &line, done, &attempts).await;
                        lines.forget(&line);
                    });
                }
                Err(error) => {
                    tracing::warn!(%error, "a connection from elsewhere was not accepted");
                    tokio::time::sleep(REST).await;
                }
            }
        }
    }
}

async fn greet(
    stream: TcpStream,
    peer: SocketAddr,
    acceptor: TlsAcceptor,
    services: Guarded,
    line: &Arc<Line>,
    done: CancellationToken,
    attempts: &Attempts,
) {
    let _ = stream.set_nodelay(true);
    let greeted = tokio::select! {
        greeted = timeout(GREETING, acceptor.accept(stream)) => greeted,
        () = line.cut() => return,
        () = done.cancelled() => return,
    };
    match greeted {
        Ok(Ok(stream)) => {
            let (peer, line) = (peer.ip().to_canonical(), Arc::clone(line));
            connection::serve(stream, services, peer, line, done, attempts).await;
        }
        Ok(Err(error)) => tracing::debug!(%error, "a greeting from elsewhere failed"),
        Err(_) => tracing::debug!("a connection from elsewhere did not greet"),
    }
}
