//! The connection to the service: made anew when it breaks, given up when that
//! is of no use.

use std::{
    io,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, ready},
    time::Duration,
};

use ngrok::{
    session::{ConnectError, IoStream, default_connect},
    tunnel::AcceptError,
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Instant, sleep, timeout},
};
use tokio_rustls::rustls::ClientConfig;
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

use crate::{
    error::{NgrokError, error_chain},
    status_output::StatusOutput,
};

/// Time that one attempt gets.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Time before the second attempt; it doubles up to the longest.
const MIN_BACKOFF: Duration = Duration::from_millis(500);
/// Longest time between attempts.
const MAX_BACKOFF: Duration = Duration::from_secs(30);
/// Time after which a service that stays away is given up.
const GIVE_UP_TIMEOUT: Duration = Duration::from_secs(10 * 60);
/// Heartbeats of a connection after which the tunnel is known to be bound
/// again: the first goes out before that.
const REBIND_HEARTBEATS: u32 = 2;

/// What is known of the connection.
#[derive(Clone)]
pub struct ServiceConnection(Arc<ConnectionShared>);

struct ConnectionShared {
    output: StatusOutput,
    server: String,
    state: Mutex<ConnectionState>,
    /// Cancelled when there is no use in going on.
    given_up: CancellationToken,
}

#[derive(Default)]
struct ConnectionState {
    /// Since when the service has been away.
    unreachable_since: Option<Instant>,
    /// Heartbeats that were answered on this connection.
    heartbeats: u32,
    /// Cuts this connection.
    cancel: CancellationToken,
    /// Why there is no use in going on.
    error: Option<NgrokError>,
}

impl ServiceConnection {
    /// The one to `server`.
    pub fn new(server: &str, say: &StatusOutput) -> Self {
        Self(Arc::new(ConnectionShared {
            output: say.clone(),
            server: server.to_owned(),
            state: Mutex::default(),
            given_up: CancellationToken::new(),
        }))
    }

    /// Connects; after `lost`, until it works or is of no use.
    pub async fn dial(
        self,
        (host, port): (String, u16),
        tls: Arc<ClientConfig>,
        lost: Option<AcceptError>,
    ) -> Result<Box<dyn IoStream>, ConnectError> {
        if let Some(lost) = &lost {
            if let Some(trouble) = NgrokError::permanent_failure(lost, &self.0.server) {
                self.give_up(trouble);
                return Err(ConnectError::Canceled);
            }
            self.mark_unreachable(lost);
        }
        let mut pause = MIN_BACKOFF;
        loop {
            let attempt = default_connect(host.clone(), port, Arc::clone(&tls), None);
            let late = |_| Err(ConnectError::Tcp(io::ErrorKind::TimedOut.into()));
            match timeout(CONNECT_TIMEOUT, attempt).await.unwrap_or_else(late) {
                Ok(stream) => return Ok(Box::new(self.cancellable(stream))),
                Err(error) if lost.is_none() => return Err(error),
                Err(_) => sleep(pause).await,
            }
            pause = MAX_BACKOFF.min(pause * 2);
        }
    }

    /// Takes note of a heartbeat, or of its absence, which cuts the connection:
    /// without that, a dead one would be waited for.
    pub fn on_heartbeat(&self, answered: bool) {
        let mut state = self.state();
        if !answered {
            return state.cancel.cancel();
        }
        state.heartbeats = state.heartbeats.saturating_add(1);
        if state.heartbeats >= REBIND_HEARTBEATS {
            self.mark_reachable(state);
        }
    }

    /// Takes note of a connection that came in: so the service is back.
    pub fn on_connection(&self) {
        self.mark_reachable(self.state());
    }

    /// Gives up.
    pub fn give_up(&self, trouble: NgrokError) {
        self.state().error.get_or_insert(trouble);
        self.0.given_up.cancel();
    }

    /// Waits until there is no use in going on, and says why.
    pub async fn over(&self) -> NgrokError {
        loop {
            let left = match self.state().unreachable_since {
                Some(since) => (since + GIVE_UP_TIMEOUT).saturating_duration_since(Instant::now()),
                None => GIVE_UP_TIMEOUT,
            };
            if left.is_zero() {
                let minutes = GIVE_UP_TIMEOUT.as_secs() / 60;
                let server = &self.0.server;
                return NgrokError::unreachable(format!(
                    "`{server}` was away for {minutes} minutes"
                ));
            }
            if timeout(left, self.0.given_up.cancelled()).await.is_ok() {
                let known = self.state().error.clone();
                return known.unwrap_or_else(|| NgrokError::other("it was given up".to_owned()));
            }
        }
    }

    fn mark_unreachable(&self, why: &AcceptError) {
        let mut state = self.state();
        if state.unreachable_since.is_none() {
            state.unreachable_since = Some(Instant::now());
            self.0.output.print_unreachable(format_args!(
                "`{}`: {}",
                self.0.server,
                error_chain(why)
            ));
        }
    }

    fn mark_reachable(&self, mut state: MutexGuard<'_, ConnectionState>) {
        if state.unreachable_since.take().is_some() {
            self.0.output.print_reachable();
        }
    }

    /// A stream that ends when the connection is cut.
    fn cancellable(&self, stream: Box<dyn IoStream>) -> CancellableStream {
        let cut = CancellationToken::new();
        let mut state = self.state();
        (state.heartbeats, state.cancel) = (0, cut.clone());
        CancellableStream { stream, cancelled: Box::pin(cut.cancelled_owned()) }
    }

    fn state(&self) -> MutexGuard<'_, ConnectionState> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct CancellableStream {
    stream: Box<dyn IoStream>,
    cancelled: Pin<Box<WaitForCancellationFutureOwned>>,
}

impl AsyncRead for CancellableStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if let Poll::Ready(read) = Pin::new(&mut self.stream).poll_read(cx, into) {
            return Poll::Ready(read);
        }
        ready!(self.cancelled.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncWrite for CancellableStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        from: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, from)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
