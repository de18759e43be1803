//! Calls of the gateway of a fleet with the token of the sign-in, which is renewed before it ends,
//! and once when the gateway rejects it.

use browse_base::{Error, HINT_KEY, Result, quote_up_to};
use browse_proto::Reason;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Request, Response, StatusCode, header};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::{body::Incoming, client::conn::http2::SendRequest};
use serde_json::{Map, Value};
use tokio::sync::Mutex;
use tonic::body::Body;

use super::{
    fleet_remote::FleetRemote,
    gateway_connection::{connect, foreign, unreachable},
    sign_in::FleetSignIn,
};

/// Bytes of an answer to a call for ourselves.
const MAX_ANSWER_BYTES: usize = 1 << 20;

/// Characters of a text in an error of the gateway.
const MAX_TEXT_CHARS: usize = 2_000;

/// The status of gRPC for a token that is not known.
const GRPC_UNAUTHENTICATED: &[u8] = b"16";

/// Calls one fleet.
pub struct GatewayClient {
    sign_in: FleetSignIn,
    connection: Mutex<Option<Connection>>,
}

/// A connection, and where it leads.
struct Connection {
    origin: String,
    requests: SendRequest<Body>,
}

/// Why a request has no answer.
struct Unsent {
    error: Error,
    /// Whether the gateway cannot have got it.
    is_safe: bool,
}

impl GatewayClient {
    /// A client without a connection.
    pub fn new(sign_in: FleetSignIn) -> Self {
        Self { sign_in, connection: Mutex::default() }
    }

    /// Sends a call, again when its token was rejected and could be renewed.
    ///
    /// # Errors
    /// `DAEMON_UNREACHABLE`, `REMOTE_FOREIGN`, `CERTIFICATE_UNUSABLE`; those of
    /// [`FleetSignIn::remote`].
    pub async fn post(
        &self,
        path: &str,
        headers: &HeaderMap,
        body: &Bytes,
    ) -> Result<Response<Incoming>> {
        let remote = self.sign_in.remote().await?;
        let response = self.send(&remote, path, headers, body).await?;
        if !is_unauthenticated(&response) {
            return Ok(response);
        }
        let renewed = self.sign_in.renewed(&remote).await?;
        self.send(&renewed, path, headers, body).await
    }

    /// Calls `path` for ourselves, in JSON.
    ///
    /// # Errors
    /// Those of the command, and of [`GatewayClient::post`].
    pub async fn call(
        &self,
        path: &str,
        mut headers: HeaderMap,
        message: &Value,
    ) -> Result<Map<String, Value>> {
        let json = HeaderValue::from_static("application/json");
        headers.insert(header::CONTENT_TYPE, json);
        let response = self.post(path, &headers, &Bytes::from(message.to_string())).await?;
        let (parts, body) = response.into_parts();
        let answer = Limited::new(body, MAX_ANSWER_BYTES).collect().await;
        let answer = answer.map_err(|error| foreign(&error.to_string()))?.to_bytes();
        if parts.status != StatusCode::OK {
            return Err(error_of(&answer));
        }
        serde_json::from_slice(&answer).map_err(|_| foreign("its answer is not JSON"))
    }

    /// Sends a request, on a new connection where the last one had ended before.
    async fn send(
        &self,
        remote: &FleetRemote,
        path: &str,
        headers: &HeaderMap,
        body: &Bytes,
    ) -> Result<Response<Incoming>> {
        match self.send_once(remote, path, headers, body).await {
            Err(unsent) if unsent.is_safe => {
                *self.connection.lock().await = None;
                let again = self.send_once(remote, path, headers, body).await;
                again.map_err(|unsent| unsent.error)
            }
            sent => sent.map_err(|unsent| unsent.error),
        }
    }

    async fn send_once(
        &self,
        remote: &FleetRemote,
        path: &str,
        headers: &HeaderMap,
        body: &Bytes,
    ) -> std::result::Result<Response<Incoming>, Unsent> {
        let failed = |error| Unsent { error, is_safe: false };
        let request = request(remote, path, headers, body).map_err(failed)?;
        let mut requests = self.requests(remote).await.map_err(failed)?;
        let unsent = |error: hyper::Error, is_safe: bool| {
            let error = match error.is_parse() {
                true => foreign("it does not speak HTTP/2"),
                false => unreachable(remote, &error.to_string()),
            };
            Unsent { error, is_safe }
        };
        requests.ready().await.map_err(|error| unsent(error, true))?;
        let sent = requests.send_request(request).await;
        sent.map_err(|error| {
            let is_safe = error.is_canceled();
            unsent(error, is_safe)
        })
    }

    /// The connection; a new one when there is none, the last has ended, or the fleet has moved.
    async fn requests(&self, remote: &FleetRemote) -> Result<SendRequest<Body>> {
        let mut open = self.connection.lock().await;
        let origin = remote.url.origin();
        if let Some(connection) = open.as_ref()
            && connection.origin == origin
            && !connection.requests.is_closed()
        {
            return Ok(connection.requests.clone());
        }
        let requests = connect(remote).await?;
        *open = Some(Connection { origin, requests: requests.clone() });
        Ok(requests)
    }
}

fn request(
    remote: &FleetRemote,
    path: &str,
    headers: &HeaderMap,
    body: &Bytes,
) -> Result<Request<Body>> {
    let broken = |why: String| {
        Error::new(Reason::RequestInvalid, format!("the request cannot be made: {why}"))
    };
    let token = HeaderValue::try_from(format!("Bearer {}", remote.token));
    // The token is not part of the message.
    let mut token = token.map_err(|_| broken("its token is not a header".to_owned()))?;
    token.set_sensitive(true);
    let uri = format!("{}{path}", remote.url.origin());
    let request = Request::post(uri).body(Body::new(Full::from(body.clone())));
    let mut request = request.map_err(|error| broken(error.to_string()))?;
    *request.headers_mut() = headers.clone();
    request.headers_mut().insert(header::AUTHORIZATION, token);
    Ok(request)
}

fn is_unauthenticated(response: &Response<Incoming>) -> bool {
    let status = response.headers().get("grpc-status").map(HeaderValue::as_bytes);
    response.status() == StatusCode::UNAUTHORIZED || status == Some(GRPC_UNAUTHENTICATED)
}

/// The error in the answer to a call that failed.
fn error_of(answer: &[u8]) -> Error {
    let document: Value = serde_json::from_slice(answer).unwrap_or_default();
    let info = &document["details"][0]["debug"];
    let text = |value: &Value| quote_up_to(value.as_str().unwrap_or_default(), MAX_TEXT_CHARS);
    let Some(reason) = Reason::by_name(&text(&info["reason"])) else {
        return foreign("its error gives no reason");
    };
    let mut error = Error::new(reason, text(&document["message"]));
    for (name, value) in info["metadata"].as_object().into_iter().flatten() {
        error = error.with(name, text(value));
    }
    match text(&info["hint"]) {
        hint if hint.is_empty() => error,
        hint => error.with(HINT_KEY, hint),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_error_of_the_gateway_keeps_its_reason_its_values_and_its_hint() {
        let debug = json!({
            "reason": "FLEET_BUSY", "hint": "Try again", "metadata": { "retry_ms": "700" },
        });
        let answer = json!({ "message": "no place", "details": [{ "debug": debug }] });
        let error = error_of(answer.to_string().as_bytes());
        assert_eq!((error.reason(), error.hint()), (Reason::FleetBusy, "Try again".to_owned()));
        assert_eq!(error.metadata()["retry_ms"], "700");
        for other in ["", "<html>", "{}", r#"{"details":[{"debug":{"reason":"NOPE"}}]}"#] {
            assert_eq!(error_of(other.as_bytes()).reason(), Reason::RemoteForeign, "{other}");
        }
    }
}
