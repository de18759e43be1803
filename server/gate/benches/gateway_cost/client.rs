//! A client that keeps its connection: JSON over HTTP/1.1 or gRPC over HTTP/2, both by TLS.

use std::{fmt, net::SocketAddr, sync::Arc};

use browse_proto::{Command, metadata};
use http::{
    HeaderMap, HeaderName, HeaderValue, Method, Request, Response, Uri, header, uri::Authority,
};
use http_body_util::{BodyExt as _, Full};
use hyper::{
    body::{Bytes, Incoming},
    client::conn::{http1, http2},
};
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde::Serialize;
use tokio::net::TcpStream;
use tokio_rustls::{
    TlsConnector,
    client::TlsStream,
    rustls::{ClientConfig, pki_types::ServerName},
};

use super::failure::{During as _, Failure, Outcome};

/// How a command is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// JSON over HTTP/1.1.
    Json,
    /// gRPC over HTTP/2.
    Grpc,
}

/// Where calls go, and with which headers.
#[derive(Clone)]
pub struct Endpoint {
    /// The address.
    pub address: SocketAddr,
    /// The name in its certificate.
    pub name: &'static str,
    /// The token and what else each call carries.
    pub headers: HeaderMap,
}

/// A command with its message.
#[derive(Clone)]
pub struct Call {
    path: &'static str,
    json: Bytes,
    grpc: Bytes,
}

/// Connects by TLS.
#[derive(Clone)]
pub struct Connector {
    json: TlsConnector,
    grpc: TlsConnector,
}

/// A connection, which takes one call at a time here.
pub struct Connection {
    sender: Sender,
    headers: HeaderMap,
    /// The address, which pods have for their name in calls of the gateway.
    authority: Authority,
    host: HeaderValue,
}

enum Sender {
    Json(http1::SendRequest<Full<Bytes>>),
    Grpc(http2::SendRequest<Full<Bytes>>),
}

impl Protocol {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Json, Self::Grpc];
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Json => "JSON, HTTP/1.1",
            Self::Grpc => "gRPC, HTTP/2",
        })
    }
}

impl Endpoint {
    /// An endpoint for callers with this token.
    ///
    /// # Errors
    /// The token is not a header.
    pub fn new(address: SocketAddr, name: &'static str, token: &str) -> Outcome<Self> {
        let mut headers = HeaderMap::new();
        let token = HeaderValue::try_from(format!("Bearer {token}")).during("a token")?;
        headers.insert(header::AUTHORIZATION, token);
        Ok(Self { address, name, headers })
    }

    /// The same with another header on each call.
    ///
    /// # Errors
    /// The value is not one of a header.
    pub fn with(mut self, name: &'static str, value: &str) -> Outcome<Self> {
        let value = HeaderValue::from_str(value).during(name)?;
        self.headers.insert(HeaderName::from_static(name), value);
        Ok(self)
    }
}

impl Call {
    /// A command with its message in JSON, and as a message of protobuf.
    ///
    /// # Errors
    /// The command is unknown.
    pub fn new(command: &str, json: impl Into<Bytes>, protobuf: &[u8]) -> Outcome<Self> {
        let known = Command::by_name(command);
        let known =
            known.ok_or_else(|| Failure::general(format!("unknown command `{command}`")))?;
        let length = u32::try_from(protobuf.len()).during("the length of a message")?;
        // Not compressed, and its length.
        let grpc = [&[0][..], &length.to_be_bytes()[..], protobuf].concat();
        Ok(Self { path: known.path, json: json.into(), grpc: grpc.into() })
    }

    /// A call by JSON alone, at a path that is not of a command.
    pub fn at(path: &'static str, json: impl Into<Bytes>) -> Self {
        Self { path, json: json.into(), grpc: Bytes::new() }
    }

    /// `js 1`.
    ///
    /// # Errors
    /// As [`Call::new`].
    pub fn js() -> Outcome<Self> {
        Self::new("js", r#"{"expression":"1"}"#, b"\x0a\x011")
    }

    /// `status`.
    ///
    /// # Errors
    /// As [`Call::new`].
    pub fn status() -> Outcome<Self> {
        Self::new("status", "{}", b"")
    }

    /// `session new`, by JSON.
    ///
    /// # Errors
    /// As [`Call::new`].
    pub fn open(session: &str) -> Outcome<Self> {
        Self::new("session new", serde_json::json!({ "name": session }).to_string(), b"")
    }
}

impl Connector {
    /// Connections that greet as `config` says.
    pub fn new(config: &ClientConfig) -> Self {
        let of = |protocol: &[u8]| {
            let mut config = config.clone();
            config.alpn_protocols = vec![protocol.to_vec()];
            TlsConnector::from(Arc::new(config))
        };
        Self { json: of(b"http/1.1"), grpc: of(b"h2") }
    }

    /// Connects.
    ///
    /// # Errors
    /// Nobody listens there, or its certificate is another one.
    pub async fn connect(&self, endpoint: &Endpoint, protocol: Protocol) -> Outcome<Connection> {
        let stream = TcpStream::connect(endpoint.address).await.during(endpoint.address)?;
        stream.set_nodelay(true).during(endpoint.address)?;
        let name = ServerName::try_from(endpoint.name).during(endpoint.name)?;
        let sender = match protocol {
            Protocol::Json => {
                let stream = self.json.connect(name, stream).await.during(endpoint.address)?;
                Sender::over_http1(stream).await?
            }
            Protocol::Grpc => {
                let stream = self.grpc.connect(name, stream).await.during(endpoint.address)?;
                Sender::over_http2(stream).await?
            }
        };
        let authority = endpoint.address.to_string();
        let host = HeaderValue::from_str(&authority).during(&authority)?;
        let authority = authority.parse::<Authority>().during(&authority)?;
        Ok(Connection { sender, headers: endpoint.headers.clone(), authority, host })
    }
}

impl Sender {
    async fn over_http1(stream: TlsStream<TcpStream>) -> Outcome<Self> {
        let handshake = http1::handshake(TokioIo::new(stream)).await;
        let (sender, connection) = handshake.during("HTTP/1.1")?;
        // What breaks it is the error of the call.
        tokio::spawn(async move { drop(connection.await) });
        Ok(Self::Json(sender))
    }

    async fn over_http2(stream: TlsStream<TcpStream>) -> Outcome<Self> {
        let handshake = http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await;
        let (sender, connection) = handshake.during("HTTP/2")?;
        tokio::spawn(async move { drop(connection.await) });
        Ok(Self::Grpc(sender))
    }
}

impl Connection {
    /// Calls a command in a session, and returns the answer as it came.
    ///
    /// # Errors
    /// The connection broke, or the answer is an error.
    pub async fn call(&mut self, call: &Call, session: &str) -> Outcome<Bytes> {
        let request = self.request(call, session)?;
        let sent = match &mut self.sender {
            Sender::Json(sender) => {
                sender.ready().await.during("a connection")?;
                sender.send_request(request).await
            }
            Sender::Grpc(sender) => {
                sender.ready().await.during("a connection")?;
                sender.send_request(request).await
            }
        };
        read(sent.during(call.path)?, call.path).await
    }

    fn request(&self, call: &Call, session: &str) -> Outcome<Request<Full<Bytes>>> {
        let (uri, kind, body) = match &self.sender {
            Sender::Json(_) => (Uri::from_static(call.path), "application/json", &call.json),
            Sender::Grpc(_) => {
                let uri = Uri::builder().scheme("https").authority(self.authority.clone());
                let uri = uri.path_and_query(call.path).build().during(call.path)?;
                (uri, "application/grpc", &call.grpc)
            }
        };
        let mut request = Request::new(Full::new(body.clone()));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = uri;
        let headers = request.headers_mut();
        *headers = self.headers.clone();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
        headers.insert(metadata::SESSION, HeaderValue::from_str(session).during(session)?);
        match &self.sender {
            Sender::Json(_) => headers.insert(header::HOST, self.host.clone()),
            Sender::Grpc(_) => headers.insert(header::TE, HeaderValue::from_static("trailers")),
        };
        Ok(request)
    }
}

/// Reads an answer to its end.
async fn read(response: Response<Incoming>, path: &str) -> Outcome<Bytes> {
    let status = response.status();
    let early = response.headers().get("grpc-status").cloned();
    let body = response.into_body().collect().await.during(path)?;
    let grpc = early.or_else(|| body.trailers()?.get("grpc-status").cloned());
    let bytes = body.to_bytes();
    if status.is_success() && grpc.as_ref().is_none_or(|status| status == "0") {
        return Ok(bytes);
    }
    let text = String::from_utf8_lossy(&bytes);
    Err(Failure::general(format!("`{path}` was answered {status}, {grpc:?}: {text}")))
}
