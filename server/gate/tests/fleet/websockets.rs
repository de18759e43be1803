//! WebSockets of these tests: a client of the DevTools protocol, and the side of a pod that is
//! played.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use futures::{SinkExt as _, StreamExt as _};
use http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::{net::TcpStream, time::timeout};
use tokio_tungstenite::{
    WebSocketStream, client_async,
    tungstenite::{
        Error, Message, client::IntoClientRequest as _, handshake::derive_accept_key,
        protocol::Role,
    },
};
use tonic::body::Body;

use crate::support::LIMIT;

/// The capability of the one address of a pod that is played.
pub const CAPABILITY: &str = "cdp_00112233445566778899aabbccddeeff";

/// The first message of a client that reads nothing of what it asks for.
pub const FLOOD: &str = "flood";

/// Bytes of each message of a flood.
const FLOOD_BYTES: usize = 64 << 10;

/// A client.
pub struct Client {
    socket: WebSocketStream<TcpStream>,
    last_id: i64,
}

impl Client {
    /// Connects to a gateway.
    ///
    /// # Errors
    /// The status that it answers instead.
    pub async fn connect(
        address: SocketAddr,
        path: &str,
        headers: &[(&'static str, &str)],
    ) -> Result<Self, StatusCode> {
        let stream = TcpStream::connect(address).await.expect("the gateway listens");
        let url = format!("ws://{address}{path}");
        let mut request = url.as_str().into_client_request().expect("an address");
        for (name, value) in headers {
            request.headers_mut().insert(*name, value.parse().expect("a header"));
        }
        let opened = timeout(LIMIT, client_async(request, stream)).await.expect("it answers");
        match opened {
            Ok((socket, _)) => Ok(Self { socket, last_id: 0 }),
            Err(Error::Http(response)) => Err(response.status()),
            Err(error) => panic!("{error}"),
        }
    }

    /// Sends a text.
    pub async fn send(&mut self, text: &str) {
        self.socket.send(Message::text(text)).await.expect("it is open");
    }

    /// The next text.
    pub async fn text(&mut self) -> String {
        loop {
            match timeout(LIMIT, self.socket.next()).await.expect("a message comes") {
                Some(Ok(Message::Text(text))) => return text.to_string(),
                Some(Ok(Message::Binary(bytes))) => return format!("{} bytes", bytes.len()),
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                other => panic!("it has ended: {other:?}"),
            }
        }
    }

    /// The answer to a call of the protocol, a result or an error.
    pub async fn call(&mut self, session: Option<&str>, method: &str, params: Value) -> Value {
        self.last_id += 1;
        let mut message = json!({ "id": self.last_id, "method": method, "params": params });
        if let Some(session) = session {
            message["sessionId"] = session.into();
        }
        self.send(&message.to_string()).await;
        loop {
            let message: Value = serde_json::from_str(&self.text().await).expect("JSON");
            if message["id"] == self.last_id {
                return message;
            }
        }
    }

    /// Waits for the end; answers its reason, if the pod gave one.
    pub async fn closed(&mut self) -> String {
        let end = async {
            loop {
                match self.socket.next().await {
                    Some(Ok(Message::Close(Some(frame)))) => return frame.reason.to_string(),
                    Some(Ok(_)) => {}
                    Some(Err(_)) | None => return String::new(),
                }
            }
        };
        timeout(2 * LIMIT, end).await.expect("it ends")
    }
}

/// Answers a client as a pod: with its own name and that of the session before each text, or with
/// as much as the client takes.
pub fn accept(
    headers: &HeaderMap,
    upgrade: OnUpgrade,
    who: String,
    sent: Arc<AtomicUsize>,
) -> Response<Body> {
    let key = headers.get(header::SEC_WEBSOCKET_KEY).expect("a handshake");
    let accept = derive_accept_key(key.as_bytes());
    tokio::spawn(async move {
        let Ok(stream) = upgrade.await else { return };
        let stream = TokioIo::new(stream);
        let mut socket = WebSocketStream::from_raw_socket(stream, Role::Server, None).await;
        while let Some(Ok(Message::Text(text))) = socket.next().await {
            if text.as_str() == FLOOD {
                while socket.send(Message::binary(vec![0_u8; FLOOD_BYTES])).await.is_ok() {
                    sent.fetch_add(FLOOD_BYTES, Ordering::Relaxed);
                }
                return;
            }
            let echo = Message::text(format!("{who}: {text}"));
            if socket.send(echo).await.is_err() {
                return;
            }
        }
    });
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    let answer = [
        (header::CONNECTION, "Upgrade"),
        (header::UPGRADE, "websocket"),
        (header::SEC_WEBSOCKET_ACCEPT, accept.as_str()),
    ];
    for (name, value) in answer {
        response.headers_mut().insert(name, HeaderValue::try_from(value).expect("a header"));
    }
    response
}

/// The answer to an address that there is not.
pub fn not_found() -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NOT_FOUND;
    response
}
