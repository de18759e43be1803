//! The listener on loopback: open while an address is good.

use std::{
    net::SocketAddr,
    sync::{Arc, Weak},
    time::Duration,
};

use browse_base::Result;
use hyper::{server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{Mutex, Semaphore},
    time::Instant,
};
use tokio_util::sync::CancellationToken;

use super::{
    AddressTerms, Addresses, DevToolsParts, IssuedAddress,
    addresses::AddressGrant,
    handshake::Handshake,
    http_service::{DevToolsService, ROOT},
};
use crate::loopback;

/// Connections at a time.
const MAX_CONNECTIONS: usize = 64;

/// Clients at a time.
const MAX_CLIENTS: usize = 32;

/// Time in which a client must have sent its request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);

/// How often is looked whether sessions of addresses are gone.
const SWEEP_INTERVAL: Duration = Duration::from_millis(250);

/// The listener, and the addresses below it.
pub struct DevToolsListener {
    pub(super) addresses: Arc<Addresses>,
    pub(super) open: Mutex<Option<OpenDevTools>>,
    pub(super) handshake: Handshake,
}

/// What is there while addresses are good.
pub(super) struct OpenDevTools {
    /// Where it listens; nowhere while all addresses are for clients of a gateway.
    local: Option<SocketAddr>,
    done: CancellationToken,
}

impl DevToolsListener {
    /// One that is closed.
    pub fn new(parts: DevToolsParts) -> Self {
        let free = Arc::new(Semaphore::new(MAX_CLIENTS));
        Self {
            addresses: Arc::default(),
            open: Mutex::default(),
            handshake: Handshake { parts: Arc::new(parts), free },
        }
    }

    /// Makes an address, and opens the listener for it; answers the address itself and
    /// how long it is good.
    ///
    /// # Errors
    /// As [`Addresses::issue`]; no port can be listened on.
    pub async fn issue(self: &Arc<Self>, terms: AddressTerms) -> Result<(String, IssuedAddress)> {
        // Held, so that the listener does not close before the address is there.
        let mut open = self.open.lock().await;
        let local = self.listen(&mut open).await?;
        let issued = self.addresses.issue(terms)?;
        Ok((format!("ws://{local}{ROOT}/{}", issued.capability), issued))
    }

    /// Ends the addresses of a session with their clients; answers how many there were.
    pub fn revoke(&self, session: &str) -> usize {
        self.addresses.revoke(session)
    }

    /// Whether a client is connected.
    pub fn has_clients(&self) -> bool {
        self.handshake.free.available_permits() < MAX_CLIENTS
    }

    /// Whether there are no addresses.
    pub fn is_empty(&self) -> bool {
        self.addresses.is_empty()
    }

    async fn listen(self: &Arc<Self>, open: &mut Option<OpenDevTools>) -> Result<SocketAddr> {
        let open = self.watch_addresses(open);
        if let Some(local) = open.local {
            return Ok(local);
        }
        let (listener, local) = loopback::bind(0).await?;
        open.local = Some(local);
        let service = DevToolsService {
            handshake: self.handshake.clone(),
            addresses: Arc::clone(&self.addresses),
            local,
        };
        tracing::info!(%local, "clients of the DevTools protocol can connect");
        tokio::spawn(accept(listener, Arc::new(service), open.done.clone()));
        Ok(local)
    }

    /// Has addresses ended in time from now on, until there are none.
    pub(super) fn watch_addresses<'a>(
        self: &Arc<Self>,
        open: &'a mut Option<OpenDevTools>,
    ) -> &'a mut OpenDevTools {
        open.get_or_insert_with(|| {
            tokio::spawn(close_when_unused(Arc::downgrade(self)));
            OpenDevTools { local: None, done: CancellationToken::new() }
        })
    }

    fn is_open(&self, grant: &AddressGrant) -> bool {
        let (parts, session) = (&self.handshake.parts, grant.session.upgrade());
        session.is_some_and(|session| {
            let current = parts.sessions.get(session.name());
            let is_current = current.is_some_and(|current| Arc::ptr_eq(&current, &session));
            is_current && (parts.may_act)(session.name())
        })
    }
}

/// Ends addresses whose time or session is over, and the listener with the last.
async fn close_when_unused(listener: Weak<DevToolsListener>) {
    // Who was given an address and is late learns that it has ended.
    let earliest_end = Instant::now() + REQUEST_TIMEOUT;
    loop {
        tokio::time::sleep(SWEEP_INTERVAL).await;
        let Some(listener) = listener.upgrade() else { return };
        let next = listener.addresses.sweep(|grant| listener.is_open(grant));
        if next.is_some() || Instant::now() < earliest_end {
            continue;
        }
        let mut open = listener.open.lock().await;
        if listener.addresses.is_empty()
            && let Some(open) = open.take()
        {
            open.done.cancel();
            tracing::info!("clients of the DevTools protocol cannot connect any more");
            return;
        }
    }
}

impl Drop for DevToolsListener {
    fn drop(&mut self) {
        if let Some(open) = self.open.get_mut() {
            open.done.cancel();
        }
    }
}

async fn accept(listener: TcpListener, service: Arc<DevToolsService>, done: CancellationToken) {
    let limit = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    while let Some(accepted) = done.run_until_cancelled(listener.accept()).await {
        let Ok((stream, _)) = accepted else {
            tokio::time::sleep(SWEEP_INTERVAL).await;
            continue;
        };
        let Ok(permit) = Arc::clone(&limit).try_acquire_owned() else { continue };
        let service = Arc::clone(&service);
        tokio::spawn(async move {
            serve(stream, service).await;
            drop(permit);
        });
    }
}

async fn serve(stream: TcpStream, service: Arc<DevToolsService>) {
    let _ = stream.set_nodelay(true);
    let answer = service_fn(move |request| {
        let service = Arc::clone(&service);
        async move { Ok::<_, std::convert::Infallible>(service.call(request).await) }
    });
    let serving = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(REQUEST_TIMEOUT)
        .serve_connection(TokioIo::new(stream), answer)
        .with_upgrades();
    if let Err(error) = serving.await {
        tracing::debug!(%error, "a connection of a DevTools client broke");
    }
}
