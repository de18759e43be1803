//! One connection from the browser: tunnels for `CONNECT`, and plain HTTP
//! requests passed on with the headers that are only for us taken off.

use std::sync::Arc;

use bytes::Bytes;
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::{Method, Request, Response, StatusCode, Uri};
use http_body_util::{Either, Empty};
use hyper::body::Incoming;
use hyper::client::conn::http1 as client;
use hyper::server::conn::http1 as server;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::sync::Mutex;
use tokio::task::JoinSet;

use super::connect_policy::{ConnectError, ConnectPolicy};
use super::credentials::ProxyCredentials;
use super::refusals::ProxyRefusals;

type ProxyBody = Either<Incoming, Empty<Bytes>>;

/// Headers between neighbours, which a proxy does not pass on.
const HOP_BY_HOP: [HeaderName; 7] = [
    header::CONNECTION,
    header::PROXY_AUTHENTICATE,
    header::PROXY_AUTHORIZATION,
    header::TE,
    header::TRAILER,
    header::UPGRADE,
    HeaderName::from_static("proxy-connection"),
];

/// Why a request was not answered. The connection ends with it.
#[derive(Debug, thiserror::Error)]
enum ForwardError {
    #[error(transparent)]
    Refused(#[from] ConnectError),
    #[error(transparent)]
    Http(#[from] hyper::Error),
    #[error("the request names no host")]
    NoHost,
}

/// An open connection onwards, for the next request to the same host.
struct UpstreamConnection {
    host: String,
    port: u16,
    sender: client::SendRequest<Incoming>,
}

/// Serves one connection.
#[derive(Clone)]
pub(crate) struct Forwarder {
    policy: Arc<ConnectPolicy>,
    refusals: Arc<ProxyRefusals>,
    credentials: Arc<ProxyCredentials>,
    upstream: Arc<Mutex<Option<UpstreamConnection>>>,
    /// Everything this connection started; ends with it.
    tasks: Arc<Mutex<JoinSet<()>>>,
}

impl Forwarder {
    pub(crate) fn new(
        reach: Arc<ConnectPolicy>,
        refusals: Arc<ProxyRefusals>,
        credentials: Arc<ProxyCredentials>,
    ) -> Self {
        Self {
            policy: reach,
            refusals,
            credentials,
            upstream: Arc::default(),
            tasks: Arc::default(),
        }
    }

    /// One for another connection.
    pub(crate) fn for_new_connection(&self) -> Self {
        let (reach, refusals) = (Arc::clone(&self.policy), Arc::clone(&self.refusals));
        Self::new(reach, refusals, Arc::clone(&self.credentials))
    }

    /// Serves until the browser or a refusal ends the connection.
    pub(crate) async fn run(self, stream: TokioIo<TcpStream>) {
        let tasks = Arc::clone(&self.tasks);
        let service = hyper::service::service_fn(move |request| self.clone().handle(request));
        // An error here is a refusal or a broken connection; both are dropped.
        let _ = server::Builder::new()
            .preserve_header_case(true)
            .serve_connection(stream, service)
            .with_upgrades()
            .await;
        // A tunnel goes on after its connection was handed over.
        let mut tasks = std::mem::take(&mut *tasks.lock().await);
        while tasks.join_next().await.is_some() {}
    }

    async fn handle(self, request: Request<Incoming>) -> Result<Response<ProxyBody>, ForwardError> {
        if !self.credentials.are_valid_in(request.headers()) {
            return Ok(auth_required_response());
        }
        if self.credentials.is_probe(request.uri().host()) {
            return Ok(no_content_response());
        }
        let outcome = if request.method() == Method::CONNECT {
            self.tunnel(request).await
        } else {
            self.forward(request).await
        };
        if let Err(failure) = &outcome {
            tracing::debug!(%failure, "a proxied request was dropped");
        }
        outcome
    }

    async fn connect(&self, host: &str, port: u16) -> Result<TcpStream, ForwardError> {
        let connected = self.policy.connect(host, port).await;
        if let Err(refused) = &connected {
            self.refusals.add(host, refused.clone());
        }
        let stream = connected?;
        let _ = stream.set_nodelay(true);
        Ok(stream)
    }

    /// `CONNECT host:port`: TLS and WebSockets.
    async fn tunnel(self, request: Request<Incoming>) -> Result<Response<ProxyBody>, ForwardError> {
        let (host, port) = host_and_port(request.uri(), 443).ok_or(ForwardError::NoHost)?;
        let mut onward = self.connect(&host, port).await?;
        self.tasks.lock().await.spawn(async move {
            if let Ok(upgraded) = hyper::upgrade::on(request).await {
                let mut browser = TokioIo::new(upgraded);
                let _ = tokio::io::copy_bidirectional(&mut browser, &mut onward).await;
            }
        });
        Ok(Response::new(Either::Right(Empty::new())))
    }

    /// `GET http://host/path`: every request is checked, also the later ones
    /// of a connection that is kept open.
    async fn forward(
        self,
        mut request: Request<Incoming>,
    ) -> Result<Response<ProxyBody>, ForwardError> {
        let (host, port) = host_and_port(request.uri(), 80).ok_or(ForwardError::NoHost)?;
        let authority = request.uri().authority().map(ToString::to_string).unwrap_or_default();
        let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
        *request.uri_mut() = path.parse().unwrap_or_else(|_| Uri::from_static("/"));
        strip_hop_by_hop(request.headers_mut());
        // The checked host, whatever the header contains.
        if let Ok(value) = HeaderValue::from_str(&authority) {
            request.headers_mut().insert(header::HOST, value);
        }
        let mut upstream = self.upstream.lock().await;
        let fits = matches!(&*upstream, Some(open) if open.host == host && open.port == port && open.sender.is_ready());
        if !fits {
            let stream = TokioIo::new(self.connect(&host, port).await?);
            let (sender, connection) =
                client::Builder::new().preserve_header_case(true).handshake(stream).await?;
            self.tasks.lock().await.spawn(async move {
                let _ = connection.await;
            });
            *upstream = Some(UpstreamConnection { host, port, sender });
        }
        let open = upstream.as_mut().ok_or(ForwardError::NoHost)?;
        let mut response = open.sender.send_request(request).await?;
        strip_hop_by_hop(response.headers_mut());
        Ok(response.map(Either::Left))
    }
}

/// An answer that leaves the tab as it is.
fn no_content_response() -> Response<ProxyBody> {
    let mut response = Response::new(Either::Right(Empty::new()));
    *response.status_mut() = StatusCode::NO_CONTENT;
    response
}

/// Asks for the credentials.
fn auth_required_response() -> Response<ProxyBody> {
    let mut response = Response::new(Either::Right(Empty::new()));
    *response.status_mut() = StatusCode::PROXY_AUTHENTICATION_REQUIRED;
    let scheme = HeaderValue::from_static("Basic realm=\"browse\"");
    response.headers_mut().insert(header::PROXY_AUTHENTICATE, scheme);
    response
}

/// Host and port of an absolute URI, the host without brackets kept as
/// `url` wants it.
fn host_and_port(uri: &Uri, default: u16) -> Option<(String, u16)> {
    if !matches!(uri.scheme_str(), None | Some("http")) {
        return None;
    }
    let host = uri.host()?.to_owned();
    Some((host, uri.port_u16().unwrap_or(default)))
}

/// Removes what is between neighbours, and what `Connection` names.
fn strip_hop_by_hop(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = headers
        .get_all(header::CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    for name in named.iter().chain(&HOP_BY_HOP) {
        headers.remove(name);
    }
}
