//! HTTP/2 by mutual TLS to pods and to other replicas of the gateway. One connection to each
//! address carries all calls.

mod upgrade;

pub use upgrade::UpgradeClient;

use std::{
    io,
    net::SocketAddr,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use browse_base::{Error, HINT_KEY, Result};
use browse_fleet::FleetIdentity;
use browse_proto::Reason;
use futures::{FutureExt as _, future::BoxFuture};
use http::{Method, Request, Response, Uri, header};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::{
    body::Incoming,
    rt::{Read, ReadBufCursor, Write},
};
use hyper_util::{
    client::legacy::{
        Client,
        connect::{Connected, Connection},
    },
    rt::{TokioExecutor, TokioIo, TokioTimer},
};
use serde::{Serialize, de::DeserializeOwned};
use tokio::{net::TcpStream, time::timeout};
use tokio_rustls::{TlsConnector, client::TlsStream, rustls::pki_types::ServerName};
use tonic::body::Body;
use tower::Service;

/// Time for a connection with its greeting.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Time that a request of the gateway itself gets.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);

/// How often a connection is tried, and how long it may stay silent then.
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(15);
const KEEP_ALIVE_TIMEOUT: Duration = Duration::from_secs(10);

/// Bytes of an answer to the gateway itself.
const MAX_ANSWER_BYTES: usize = 1 << 20;

/// Bytes of the headers of an answer: what a call reports of a page, and its spans.
const MAX_HEADER_LIST_BYTES: u32 = 64 << 10;

/// Bytes of one call, and of a connection, that may be on their way unread.
const STREAM_WINDOW: u32 = 1 << 20;
const CONNECTION_WINDOW: u32 = 256 << 20;

/// Calls those with a certificate of one name.
#[derive(Clone)]
pub struct PeerClient(Client<PeerConnector, Body>);

/// Why a peer gave no answer.
#[derive(Debug)]
pub struct PeerError {
    /// Whether no connection came about, so that nothing was sent.
    pub is_unsent: bool,
    message: String,
}

impl PeerClient {
    /// A client of `identity` for peers with a certificate for `name`.
    ///
    /// # Errors
    /// `CERTIFICATE_UNUSABLE`.
    pub fn new(identity: &FleetIdentity, name: &'static str) -> Result<Self> {
        let mut config = identity.client_config()?;
        config.alpn_protocols = vec![b"h2".to_vec()];
        let name = ServerName::try_from(name)
            .map_err(|error| Error::new(Reason::Bug, format!("`{name}`: {error}")))?;
        let connector = PeerConnector { tls: TlsConnector::from(Arc::new(config)), name };
        let client = Client::builder(TokioExecutor::new())
            .timer(TokioTimer::new())
            .pool_timer(TokioTimer::new())
            .http2_only(true)
            .http2_initial_stream_window_size(STREAM_WINDOW)
            .http2_initial_connection_window_size(CONNECTION_WINDOW)
            .http2_max_header_list_size(MAX_HEADER_LIST_BYTES)
            .http2_keep_alive_interval(KEEP_ALIVE_INTERVAL)
            .http2_keep_alive_timeout(KEEP_ALIVE_TIMEOUT)
            .build(connector);
        Ok(Self(client))
    }

    /// Sends a request to `address`; its path is kept.
    ///
    /// # Errors
    /// The connection cannot be made, or broke.
    pub async fn send(
        &self,
        address: SocketAddr,
        mut request: Request<Body>,
    ) -> std::result::Result<Response<Incoming>, PeerError> {
        let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
        let uri = format!("https://{address}{path}");
        *request.uri_mut() = uri.parse().map_err(|error: http::uri::InvalidUri| PeerError {
            is_unsent: true,
            message: error.to_string(),
        })?;
        *request.version_mut() = http::Version::HTTP_2;
        request.headers_mut().remove(header::HOST);
        self.0
            .request(request)
            .await
            .map_err(|error| PeerError { is_unsent: error.is_connect(), message: chain(&error) })
    }

    /// Sends a message as JSON, and reads the answer.
    ///
    /// # Errors
    /// `GATE_UNAVAILABLE`: the peer does not answer. The error that it answers, with its reason.
    pub async fn post<A: DeserializeOwned>(
        &self,
        address: SocketAddr,
        path: &str,
        message: &impl Serialize,
        time: Duration,
    ) -> Result<A> {
        let body = serde_json::to_vec(message)
            .map_err(|error| Error::new(Reason::Bug, format!("no JSON: {error}")))?;
        self.ask(address, Method::POST, path, body, time).await
    }

    /// Asks for a document.
    ///
    /// # Errors
    /// As [`PeerClient::post`].
    pub async fn get<A: DeserializeOwned>(&self, address: SocketAddr, path: &str) -> Result<A> {
        self.ask(address, Method::GET, path, Vec::new(), REQUEST_TIMEOUT).await
    }

    async fn ask<A: DeserializeOwned>(
        &self,
        address: SocketAddr,
        method: Method,
        path: &str,
        body: Vec<u8>,
        time: Duration,
    ) -> Result<A> {
        let silent = |why: String| {
            let message = format!("`{address}` does not answer: {why}");
            Error::new(Reason::GateUnavailable, message)
        };
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(header::CONTENT_TYPE, "application/json")
            .body(Body::new(Full::from(body)))
            .map_err(|error| Error::new(Reason::Bug, error.to_string()))?;
        let answer = async {
            let response =
                self.send(address, request).await.map_err(|error| silent(error.message))?;
            let status = response.status();
            let body = Limited::new(response.into_body(), MAX_ANSWER_BYTES).collect().await;
            let bytes = body.map_err(|error| silent(error.to_string()))?.to_bytes();
            if !status.is_success() {
                return Err(error_of(&bytes));
            }
            serde_json::from_slice(&bytes).map_err(|error| silent(error.to_string()))
        };
        timeout(time, answer).await.unwrap_or_else(|_| Err(silent("it takes too long".to_owned())))
    }
}

/// The error in an answer in the form of the Connect protocol.
fn error_of(bytes: &[u8]) -> Error {
    let document: serde_json::Value = serde_json::from_slice(bytes).unwrap_or_default();
    let info = &document["details"][0]["debug"];
    let reason = info["reason"].as_str().and_then(Reason::by_name);
    let message = document["message"].as_str().unwrap_or("it answers nonsense").to_owned();
    let mut error = Error::new(reason.unwrap_or(Reason::GateUnavailable), message);
    for (key, value) in info["metadata"].as_object().into_iter().flatten() {
        if let Some(value) = value.as_str() {
            error = error.with(key, value);
        }
    }
    match info["hint"].as_str() {
        Some(hint) => error.with(HINT_KEY, hint),
        None => error,
    }
}

/// An error with what it comes from.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(&format!(": {error}"));
        cause = error.source();
    }
    text
}

impl PeerError {
    /// The peer has no address.
    pub fn no_address() -> Self {
        Self { is_unsent: true, message: "it has no address".to_owned() }
    }
}

impl std::fmt::Display for PeerError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

#[derive(Clone)]
struct PeerConnector {
    tls: TlsConnector,
    name: ServerName<'static>,
}

impl Service<Uri> for PeerConnector {
    type Response = PeerStream;
    type Error = io::Error;
    type Future = BoxFuture<'static, io::Result<PeerStream>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let Self { tls, name } = self.clone();
        let connect = async move {
            let address = uri.authority().map(|authority| authority.as_str()).unwrap_or_default();
            let address: SocketAddr = address
                .parse()
                .map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "not an address"))?;
            let stream = TcpStream::connect(address).await?;
            stream.set_nodelay(true)?;
            let stream = tls.connect(name, stream).await?;
            Ok(PeerStream(TokioIo::new(stream)))
        };
        async move {
            timeout(CONNECT_TIMEOUT, connect)
                .await
                .unwrap_or_else(|_| Err(io::Error::from(io::ErrorKind::TimedOut)))
        }
        .boxed()
    }
}

/// A connection of HTTP/2.
struct PeerStream(TokioIo<TlsStream<TcpStream>>);

impl Connection for PeerStream {
    fn connected(&self) -> Connected {
        Connected::new().negotiated_h2()
    }
}

impl Read for PeerStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, buffer)
    }
}

impl Write for PeerStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}
