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
    say::Say,
    trouble::{Trouble, chain},
};

/// Time that one attempt gets.
const ATTEMPT: Duration = Duration::from_secs(10);
/// Time before the second attempt; it doubles up to the longest.
const PAUSE: Duration = Duration::from_millis(500);
/// Longest time between attempts.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// Time after which a service that stays away is given up.
const PATIENCE: Duration = Duration::from_secs(10 * 60);
/// Heartbeats of a connection after which the tunnel is known to be bound
/// again: the first goes out before that.
const BEATS: u32 = 2;

/// What is known of the connection.
#[derive(Clone)]
pub struct Line(Arc<Shared>);

struct Shared {
    say: Say,
    server: String,
    state: Mutex<State>,
    /// Cancelled when there is no use in going on.
    over: CancellationToken,
}

#[derive(Default)]
struct State {
    /// Since when the service has been away.
    away: Option<Instant>,
    /// Heartbeats that were answered on this connection.
    beats: u32,
    /// Cuts this connection.
    cut: CancellationToken,
    /// Why there is no use in going on.
    trouble: Option<Trouble>,
}

impl Line {
    /// The one to `server`.
    pub fn new(server: &str, say: &Say) -> Self {
        Self(Arc::new(Shared {
            say: say.clone(),
            server: server.to_owned(),
            state: Mutex::default(),
            over: CancellationToken::new(),
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
            if let Some(trouble) = Trouble::lasting(lost, &self.0.server) {
                self.end(trouble);
                return Err(ConnectError::Canceled);
            }
            self.away(lost);
        }
        let mut pause = PAUSE;
        loop {
            let attempt = default_connect(host.clone(), port, Arc::clone(&tls), None);
            let late = |_| Err(ConnectError::Tcp(io::ErrorKind::TimedOut.into()));
            match timeout(ATTEMPT, attempt).await.unwrap_or_else(late) {
                Ok(stream) => return Ok(Box::new(self.watched(stream))),
                Err(error) if lost.is_none() => return Err(error),
                Err(_) => sleep(pause).await,
            }
            pause = LONGEST_PAUSE.min(pause * 2);
        }
    }

    /// Takes note of a heartbeat, or of its absence, which cuts the connection:
    /// without that, a dead one would be waited for.
    pub fn beat(&self, answered: bool) {
        let mut state = self.state();
        if !answered {
            return state.cut.cancel();
        }
        state.beats = state.beats.saturating_add(1);
        if state.beats >= BEATS {
            self.back(state);
        }
    }

    /// Takes note of a connection that came in: so the service is back.
    pub fn called(&self) {
        self.back(self.state());
    }

    /// Gives up.
    pub fn end(&self, trouble: Trouble) {
        self.state().trouble.get_or_insert(trouble);
        self.0.over.cancel();
    }

    /// Waits until there is no use in going on, and says why.
    pub async fn over(&self) -> Trouble {
        loop {
            let left = match self.state().away {
                Some(since) => (since + PATIENCE).saturating_duration_since(Instant::now()),
                None => PATIENCE,
            };
            if left.is_zero() {
                let minutes = PATIENCE.as_secs() / 60;
                let server = &self.0.server;
                return Trouble::unreachable(format!("`{server}` was away for {minutes} minutes"));
            }
            if timeout(left, self.0.over.cancelled()).await.is_ok() {
                let known = self.state().trouble.clone();
                return known.unwrap_or_else(|| Trouble::other("it was given up".to_owned()));
            }
        }
    }

    fn away(&self, why: &AcceptError) {
        let mut state = self.state();
        if state.away.is_none() {
            state.away = Some(Instant::now());
            self.0.say.away(format_args!("`{}`: {}", self.0.server, chain(why)));
        }
    }

    fn back(&self, mut state: MutexGuard<'_, State>) {
        if state.away.take().is_some() {
            self.0.say.back();
        }
    }

    /// A stream that ends when the connection is cut.
    fn watched(&self, stream: Box<dyn IoStream>) -> Watched {
        let cut = CancellationToken::new();
        let mut state = self.state();
        (state.beats, state.cut) = (0, cut.clone());
        Watched { stream, cut: Box::pin(cut.cancelled_owned()) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Watched {
    stream: Box<dyn IoStream>,
    cut: Pin<Box<WaitForCancellationFutureOwned>>,
}

impl AsyncRead for Watched {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if let Poll::Ready(read) = Pin::new(&mut self.stream).poll_read(cx, into) {
            return Poll::Ready(read);
        }
        ready!(self.cut.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncWrite for Watched {
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
