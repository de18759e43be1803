//! A request of an attempt, sent as its bytes say: with headers that stand there twice, over a
//! connection with any certificate, or written by hand.

use std::{fs, net::SocketAddr, path::PathBuf, sync::Arc};

use browse_fleet::FleetIdentity;
use browse_proto::{Command, metadata};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, header};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Bytes;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    net::TcpStream,
    time::timeout,
};
use tokio_rustls::{
    TlsConnector,
    rustls::{
        self, ClientConfig, RootCertStore,
        crypto::ring,
        pki_types::{CertificateDer, ServerName, pem::PemObject as _},
    },
};

use crate::support::LIMIT;

/// A request to an address.
#[derive(Clone, Debug)]
pub struct AttemptRequest {
    address: SocketAddr,
    transport: Transport,
    content: RequestContent,
}

/// What carries a request.
#[derive(Clone, Debug)]
pub enum Transport {
    /// A connection without TLS.
    Plain,
    /// TLS to a peer with a certificate for `peer`.
    Tls {
        peer: &'static str,
        /// Folder with the certificate of the caller.
        identity: PathBuf,
    },
    /// TLS without a certificate of the caller; the folder has the authority of the peer.
    Anonymous { peer: &'static str, trusts: PathBuf },
}

#[derive(Clone, Debug)]
enum RequestContent {
    Http {
        method: Method,
        target: String,
        headers: HeaderMap,
        body: String,
    },
    /// What is written to the connection.
    Bytes(Vec<u8>),
}

/// What came back.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: HeaderMap,
    pub text: String,
}

impl AttemptRequest {
    /// A request whose target is in the form of a path.
    pub fn new(address: SocketAddr, method: Method, path: &str) -> Self {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, HeaderValue::from_static("browse.example.com"));
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let (target, body) = (path.to_owned(), String::new());
        let content = RequestContent::Http { method, target, headers, body };
        Self { address, transport: Transport::Plain, content }
    }

    /// A call of a command in a session, with a message without fields.
    pub fn command(address: SocketAddr, session: &str, command: &str) -> Self {
        let command = Command::by_name(command).expect("a command");
        let request = Self::new(address, Method::POST, command.path);
        request.with(metadata::SESSION, session).with_body("{}")
    }

    /// Bytes that are written to a connection.
    pub fn bytes(address: SocketAddr, bytes: impl Into<Vec<u8>>) -> Self {
        let content = RequestContent::Bytes(bytes.into());
        Self { address, transport: Transport::Plain, content }
    }

    /// The same over another connection.
    pub fn over(mut self, transport: Transport) -> Self {
        self.transport = transport;
        self
    }

    /// The same to another address.
    pub fn to(mut self, address: SocketAddr) -> Self {
        self.address = address;
        self
    }

    /// The same with the token of a caller.
    pub fn token(self, token: &str) -> Self {
        self.with("authorization", format!("Bearer {token}"))
    }

    /// The same with this header, in place of those of its name.
    pub fn with(mut self, name: &'static str, value: impl AsRef<[u8]>) -> Self {
        self.headers_mut().insert(HeaderName::from_static(name), header_value(value.as_ref()));
        self
    }

    /// The same with one more header of this name.
    pub fn with_another(mut self, name: &'static str, value: impl AsRef<[u8]>) -> Self {
        self.headers_mut().append(HeaderName::from_static(name), header_value(value.as_ref()));
        self
    }

    /// The same with this body.
    pub fn with_body(mut self, text: impl Into<String>) -> Self {
        if let RequestContent::Http { body, .. } = &mut self.content {
            *body = text.into();
        }
        self
    }

    /// The same with this message.
    pub fn with_message(self, message: &Value) -> Self {
        self.with_body(message.to_string())
    }

    /// The same with a target that is made of the one that it has.
    pub fn with_target(mut self, change: impl FnOnce(&str) -> String) -> Self {
        if let RequestContent::Http { target, .. } = &mut self.content {
            *target = change(target);
        }
        self
    }

    fn headers_mut(&mut self) -> &mut HeaderMap {
        match &mut self.content {
            RequestContent::Http { headers, .. } => headers,
            RequestContent::Bytes(_) => panic!("bytes are written as they are"),
        }
    }

    /// Sends it; none when there is no connection, or it ends without an answer.
    pub async fn send(&self) -> Option<Reply> {
        timeout(LIMIT, self.exchange()).await.expect("an answer or the end of the connection")
    }

    async fn exchange(&self) -> Option<Reply> {
        let stream = TcpStream::connect(self.address).await.ok()?;
        let (peer, config) = match &self.transport {
            Transport::Plain => return self.talk(stream).await,
            Transport::Tls { peer, identity } => {
                let identity = FleetIdentity::read(identity).expect("it is whole");
                (*peer, identity.client_config().expect("it fits"))
            }
            Transport::Anonymous { peer, trusts } => (*peer, anonymous_config(trusts)),
        };
        let name = ServerName::try_from(peer).expect("a name");
        let connector = TlsConnector::from(Arc::new(config));
        self.talk(connector.connect(name, stream).await.ok()?).await
    }

    async fn talk<S>(&self, mut stream: S) -> Option<Reply>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let (method, target, headers, body) = match &self.content {
            RequestContent::Http { method, target, headers, body } => {
                (method, target, headers, body)
            }
            RequestContent::Bytes(bytes) => {
                stream.write_all(bytes).await.ok()?;
                let mut read = Vec::new();
                // A connection that breaks off has its answer before.
                let _ = stream.read_to_end(&mut read).await;
                return Reply::last_in(&read);
            }
        };
        let mut request = Request::new(Full::<Bytes>::from(body.clone()));
        *request.method_mut() = method.clone();
        *request.uri_mut() = target.parse().expect("a target");
        *request.headers_mut() = headers.clone();
        let (mut sender, connection) =
            hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.ok()?;
        tokio::spawn(async move {
            // It ends with the sender.
            let _ = connection.await;
        });
        let (parts, body) = sender.send_request(request).await.ok()?.into_parts();
        let bytes = body.collect().await.ok()?.to_bytes();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Some(Reply { status: parts.status.as_u16(), headers: parts.headers, text })
    }
}

impl Reply {
    /// The last of the answers on a connection, without its headers.
    fn last_in(bytes: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(bytes);
        let last = &text[text.rfind("HTTP/1.1 ")?..];
        let status = last.get(9..12)?.parse().ok()?;
        // Its JSON, without the sizes of chunks.
        let message = match (last.find('{'), last.rfind('}')) {
            (Some(begin), Some(end)) => last[begin..=end].to_owned(),
            _ => String::new(),
        };
        Some(Self { status, headers: HeaderMap::new(), text: message })
    }

    /// The reason of an error; that of gRPC by its number.
    pub fn reason(&self) -> String {
        if let Some(status) = self.headers.get("grpc-status") {
            return format!("grpc-status {}", status.to_str().unwrap_or_default());
        }
        let document: Value = serde_json::from_str(&self.text).unwrap_or_default();
        let reason = document["details"][0]["debug"]["reason"].as_str();
        reason.unwrap_or_default().to_owned()
    }
}

fn header_value(bytes: &[u8]) -> HeaderValue {
    HeaderValue::from_bytes(bytes).expect("a header")
}

fn anonymous_config(trusts: &std::path::Path) -> ClientConfig {
    let pem = fs::read(trusts.join("ca.crt")).expect("an authority");
    let mut authorities = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(&pem) {
        authorities.add(certificate.expect("a certificate")).expect("it fits");
    }
    ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_protocol_versions(&[&rustls::version::TLS13])
        .expect("it fits")
        .with_root_certificates(authorities)
        .with_no_client_auth()
}
