//! The WebSocket to a browser that runs already.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::{ClientConfig, RootCertStore, pki_types::ServerName};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::handshake::client::Request;
use tokio_tungstenite::tungstenite::http::{HeaderValue, header};
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{self, Message};
use url::Url;

use super::endpoint::{self, WebSocketEndpoint};
use crate::attach_failure::AttachFailure;

/// Bytes of one message of the browser: a screenshot of a tall page has some tens of MiB.
const MAX_MESSAGE_BYTES: usize = 128 << 20;

/// Time that the browser gets to say what it is.
const VERSION_TIMEOUT: Duration = Duration::from_secs(10);

/// A connection, encrypted or not.
pub(crate) enum WebSocketTransport {
    Plain(TcpStream),
    Encrypted(Box<TlsStream<TcpStream>>),
}

/// The open WebSocket.
pub(crate) type WebSocket = WebSocketStream<WebSocketTransport>;

/// Opens the WebSocket.
pub(crate) async fn open(endpoint: &WebSocketEndpoint) -> Result<WebSocket, AttachFailure> {
    let stream = endpoint::connect(&endpoint.url, endpoint.address).await?;
    let request = handshake_request(endpoint)?;
    let config = WebSocketConfig::default()
        .max_message_size(Some(MAX_MESSAGE_BYTES))
        .max_frame_size(Some(MAX_MESSAGE_BYTES));
    let handshake = tokio_tungstenite::client_async_with_config(request, stream, Some(config));
    match tokio::time::timeout(endpoint.timeout, handshake).await {
        Ok(Ok((socket, _))) => Ok(socket),
        Ok(Err(error)) => Err(handshake_failure(&error)),
        Err(_) => Err(AttachFailure::unreachable(
            "the connection was not allowed in time: the browser asks the person at its screen",
        )),
    }
}

/// Asks what the browser is: its product with version, and its user agent. A server of
/// something else does not answer that.
pub(crate) async fn ask_version(socket: &mut WebSocket) -> Result<(String, String), AttachFailure> {
    let broke = || AttachFailure::unreachable("it does not speak the DevTools protocol");
    let asking = async {
        let call = json!({ "id": 0, "method": "Browser.getVersion" }).to_string();
        socket.send(Message::text(call)).await.map_err(|_| broke())?;
        while let Some(Ok(message)) = socket.next().await {
            let Message::Text(text) = message else { continue };
            let answer: Value = serde_json::from_str(text.as_str()).map_err(|_| broke())?;
            let result = &answer["result"];
            if let (Some(product), Some(agent)) =
                (result["product"].as_str(), result["userAgent"].as_str())
            {
                return Ok((product.to_owned(), agent.to_owned()));
            }
            if answer["id"] == 0 {
                break;
            }
        }
        Err(broke())
    };
    let answered = tokio::time::timeout(VERSION_TIMEOUT, asking).await;
    answered.unwrap_or_else(|_| Err(AttachFailure::unreachable("it did not answer in time")))
}

/// The request has no `Origin`, which Chromium refuses.
fn handshake_request(endpoint: &WebSocketEndpoint) -> Result<Request, AttachFailure> {
    let url = &endpoint.url;
    let invalid = |_| AttachFailure::unreachable("the address is not one of a WebSocket");
    let mut request = url.as_str().into_client_request().map_err(invalid)?;
    let host = HeaderValue::from_str(&host_header(url, endpoint.address));
    let host = host.map_err(|_| AttachFailure::unreachable("the host is not a valid one"))?;
    request.headers_mut().insert(header::HOST, host);
    Ok(request)
}

/// Chromium takes the name `localhost` and addresses for its host, and no other name; a
/// server with TLS wants its own.
pub(crate) fn host_header(url: &Url, address: SocketAddr) -> String {
    match (url.scheme(), url.host_str(), url.port()) {
        ("wss" | "https", Some(host), Some(port)) => format!("{host}:{port}"),
        ("wss" | "https", Some(host), None) => host.to_owned(),
        _ => address.to_string(),
    }
}

fn handshake_failure(error: &tungstenite::Error) -> AttachFailure {
    match error {
        tungstenite::Error::Http(response) => {
            AttachFailure::unreachable(match response.status().as_u16() {
                404 => {
                    "it has no such WebSocket: the browser has ended since, or the path is wrong"
                        .to_owned()
                }
                403 => {
                    "the browser refused the connection: the person at its screen did not allow it"
                        .to_owned()
                }
                status => format!("the WebSocket answered with status {status}"),
            })
        }
        tungstenite::Error::Io(_) | tungstenite::Error::ConnectionClosed => {
            AttachFailure::unreachable("it broke the connection")
        }
        _ => AttachFailure::unreachable("what answers is not a WebSocket"),
    }
}

/// Begins TLS, with the certificates that this machine trusts.
pub(crate) async fn encrypt(
    stream: TcpStream,
    url: &Url,
) -> Result<WebSocketTransport, AttachFailure> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let config = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
    let name = ServerName::try_from(
        url.host_str().unwrap_or_default().trim_matches(['[', ']']).to_owned(),
    );
    let name = name.map_err(|_| AttachFailure::unreachable("the host is not a valid one"))?;
    let encrypted = TlsConnector::from(Arc::new(config)).connect(name, stream).await;
    encrypted
        .map(|stream| WebSocketTransport::Encrypted(Box::new(stream)))
        .map_err(|error| AttachFailure::unreachable(format!("TLS failed: {error}")))
}

impl AsyncRead for WebSocketTransport {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_read(context, buffer),
            Self::Encrypted(stream) => Pin::new(stream).poll_read(context, buffer),
        }
    }
}

impl AsyncWrite for WebSocketTransport {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_write(context, bytes),
            Self::Encrypted(stream) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_flush(context),
            Self::Encrypted(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_shutdown(context),
            Self::Encrypted(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}
