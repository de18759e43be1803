//! The connection of HTTP/2 that all calls to one server share: a new one when there is none, or the
//! last has ended.

use std::time::Duration;

use browse_base::{Error, Result};
use hyper::client::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::Mutex,
};
use tonic::body::Body;

/// Bytes of one stream that may be on their way unread.
const STREAM_WINDOW_BYTES: u32 = 1 << 20;

/// Bytes of the whole connection that may be on their way unread: streams that are not read leave
/// room for others.
const CONNECTION_WINDOW_BYTES: u32 = 16 << 20;

/// How often the other end has to show that it is there, and how soon.
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(15);

/// The connection.
#[derive(Default)]
pub struct Http2Connection(Mutex<Option<http2::SendRequest<Body>>>);

/// Why there is none.
pub enum ConnectFailure {
    /// The server was not reached, or is another one.
    Unreached(Error),
    /// It does not speak HTTP/2.
    Handshake(hyper::Error),
}

impl Http2Connection {
    /// What sends requests on it, by `connect` where it is not open.
    ///
    /// # Errors
    /// Those of `connect`; the server does not speak HTTP/2.
    pub async fn requests<S>(
        &self,
        connect: impl Future<Output = Result<S>>,
    ) -> std::result::Result<http2::SendRequest<Body>, ConnectFailure>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let mut open = self.0.lock().await;
        if let Some(requests) = open.as_ref().filter(|requests| !requests.is_closed()) {
            return Ok(requests.clone());
        }
        let stream = connect.await.map_err(ConnectFailure::Unreached)?;
        let (requests, connection) = http2::Builder::new(TokioExecutor::new())
            .timer(TokioTimer::new())
            .initial_stream_window_size(STREAM_WINDOW_BYTES)
            .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
            .keep_alive_interval(KEEP_ALIVE_INTERVAL)
            .keep_alive_timeout(KEEP_ALIVE_INTERVAL)
            .keep_alive_while_idle(true)
            .handshake(TokioIo::new(stream))
            .await
            .map_err(ConnectFailure::Handshake)?;
        // Its error reaches the calls that wait for an answer.
        tokio::spawn(async move { drop(connection.await) });
        *open = Some(requests.clone());
        Ok(requests)
    }
}
