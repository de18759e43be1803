//! The handshake of a WebSocket: a client is opened before its connection is taken.

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Request, Response, StatusCode, header};
use http_body_util::Full;
use hyper_util::rt::TokioIo;
use tokio::sync::Semaphore;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;

use super::{addresses::AddressGrant, client, outbox::Outbox, parts::DevToolsParts, socket};

/// What a connection needs to become a client.
#[derive(Clone)]
pub(super) struct Handshake {
    pub parts: Arc<DevToolsParts>,
    /// Clients that may still connect.
    pub free: Arc<Semaphore>,
}

impl Handshake {
    /// Opens a client for the holder of `grant`. `held` is dropped when the client has gone.
    pub(super) async fn upgrade<B, H>(
        &self,
        request: Request<B>,
        grant: AddressGrant,
        held: H,
    ) -> Response<Full<Bytes>>
    where
        B: Send + 'static,
        H: Send + 'static,
    {
        let Some(accept) = accept_key(request.headers()) else {
            return refuse(StatusCode::UPGRADE_REQUIRED, "this is the address of a WebSocket\n");
        };
        let upgrade = hyper::upgrade::on(request);
        let Ok(permit) = Arc::clone(&self.free).try_acquire_owned() else {
            return refuse(StatusCode::SERVICE_UNAVAILABLE, "too many clients are connected\n");
        };
        let outbox = Arc::<Outbox>::default();
        let opened = client::open(&self.parts, &grant, Arc::clone(&outbox)).await;
        let client = match opened {
            Ok(client) => client,
            Err(error) => {
                tracing::info!(%error, "a client of the DevTools protocol was refused");
                let text = format!("{error}: {}\n", error.hint());
                return refuse(StatusCode::SERVICE_UNAVAILABLE, &text);
            }
        };
        tokio::spawn(async move {
            match upgrade.await {
                Ok(stream) => {
                    let reason =
                        socket::serve(TokioIo::new(stream), Arc::clone(&client), outbox, grant)
                            .await;
                    client.close(&reason);
                }
                Err(_) => client.close("the connection broke"),
            }
            drop((permit, held));
        });
        let response = Response::builder()
            .status(StatusCode::SWITCHING_PROTOCOLS)
            .header(header::CONNECTION, "Upgrade")
            .header(header::UPGRADE, "websocket")
            .header(header::SEC_WEBSOCKET_ACCEPT, accept)
            .body(Full::default());
        response.unwrap_or_else(|_| refuse(StatusCode::BAD_REQUEST, ""))
    }
}

/// The answer to the key of a request for a WebSocket; none for another request.
fn accept_key(headers: &HeaderMap) -> Option<HeaderValue> {
    let has = |name: header::HeaderName, value: &str| {
        let text = headers.get(name).and_then(|text| text.to_str().ok()).unwrap_or_default();
        text.split(',').any(|part| part.trim().eq_ignore_ascii_case(value))
    };
    let is_socket = has(header::UPGRADE, "websocket")
        && has(header::CONNECTION, "upgrade")
        && has(header::SEC_WEBSOCKET_VERSION, "13");
    let key = headers.get(header::SEC_WEBSOCKET_KEY).filter(|_| is_socket)?;
    HeaderValue::try_from(derive_accept_key(key.as_bytes())).ok()
}

/// A refusal in plain text.
pub(super) fn refuse(status: StatusCode, text: &str) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::from(text.to_owned()));
    *response.status_mut() = status;
    response
}
