//! Calls of a daemon on another machine, in JSON: on one connection of HTTP/2 where TLS ends at
//! the daemon, else on connections of HTTP/1.1, which every tunnel hands on.

use std::{sync::Arc, time::Duration};

use browse_base::{Error, HINT_KEY, Lock, Result};
use browse_proto::Reason;
use http::{HeaderMap, HeaderValue, Request, Response, StatusCode, header};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::{
    body::Incoming,
    client::conn::{http1, http2},
};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use serde_json::{Map, Value};
use tokio::{
    sync::Mutex,
    time::{Instant, timeout},
};
use tokio_rustls::rustls::ClientConfig;
use tonic::body::Body;

use super::{
    pairing_health::PairingHealth,
    relay_request::RemoteDaemon,
    tls::{self, foreign, unreachable},
};

/// Bytes of one stream that may be on their way unread.
const STREAM_WINDOW_BYTES: u32 = 1 << 20;

/// Bytes of the whole connection that may be on their way unread: streams that a page does not
/// read leave room for others.
const CONNECTION_WINDOW_BYTES: u32 = 16 << 20;

/// How often the other end has to show that it is there, and how soon.
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(15);

/// Time after which a connection of HTTP/1.1 is not used again: the daemon closes it after 10 s.
const MAX_IDLE_TIME: Duration = Duration::from_secs(5);

/// Time that a call for ourselves gets.
const CALL_TIMEOUT: Duration = Duration::from_secs(20);

/// Bytes of an answer to such a call, which may be the page.
const MAX_ANSWER_BYTES: usize = 32 << 20;

/// Calls one daemon.
pub struct DaemonClient {
    daemon: RemoteDaemon,
    authorization: HeaderValue,
    tls: Arc<ClientConfig>,
    http2: Mutex<Option<http2::SendRequest<Body>>>,
    idle: Arc<Lock<Vec<IdleConnection>>>,
    health: Arc<PairingHealth>,
}

/// A connection of HTTP/1.1 that waits for the next call.
struct IdleConnection {
    requests: http1::SendRequest<Body>,
    since: Instant,
}

impl DaemonClient {
    /// A client without a connection.
    ///
    /// # Errors
    /// `ARGUMENT_INVALID`: what is known of the daemon is not whole.
    pub fn new(daemon: RemoteDaemon) -> Result<Self> {
        let authorization = HeaderValue::try_from(format!("Bearer {}", daemon.token));
        let mut authorization = authorization.map_err(|_| {
            Error::new(Reason::ArgumentInvalid, "the token of the pairing is not one")
                .with("command", "dashboard")
        })?;
        authorization.set_sensitive(true);
        Ok(Self {
            tls: tls::configure(&daemon)?,
            authorization,
            daemon,
            http2: Mutex::default(),
            idle: Arc::default(),
            health: Arc::default(),
        })
    }

    /// What its calls have shown.
    pub fn health(&self) -> &Arc<PairingHealth> {
        &self.health
    }

    /// Sends a request to `path` with the token of the pairing.
    ///
    /// # Errors
    /// `DAEMON_UNREACHABLE`, `REMOTE_MISMATCH`, `REMOTE_FOREIGN`.
    pub async fn post(
        &self,
        path: &str,
        headers: HeaderMap,
        body: Body,
    ) -> Result<Response<Incoming>> {
        let sent = match self.daemon.allows_public_ca {
            false => self.post_http2(path, headers, body).await,
            true => self.post_http1(path, headers, body).await,
        };
        match &sent {
            Ok(response) => {
                self.health.note_answer(response.status() == StatusCode::UNAUTHORIZED);
            }
            Err(_) => self.health.note_unreachable(),
        }
        sent
    }

    /// Calls `Service/Method` for ourselves, without arguments.
    ///
    /// # Errors
    /// Those of the command, and of [`DaemonClient::post`].
    pub async fn call(&self, method: &str) -> Result<Map<String, Value>> {
        let called = timeout(CALL_TIMEOUT, self.call_in_json(method)).await;
        called.map_err(|_| unreachable(&self.daemon, "a call takes more than 20 s"))?
    }

    async fn call_in_json(&self, method: &str) -> Result<Map<String, Value>> {
        let json = HeaderValue::from_static("application/json");
        let headers = HeaderMap::from_iter([(header::CONTENT_TYPE, json)]);
        let path = format!("/browse.v1.{method}");
        let response = self.post(&path, headers, Body::new(Full::from("{}"))).await?;
        let (parts, body) = response.into_parts();
        let bytes = Limited::new(body, MAX_ANSWER_BYTES).collect().await;
        let bytes =
            bytes.map_err(|error| unreachable(&self.daemon, &error.to_string()))?.to_bytes();
        if parts.status != StatusCode::OK {
            return Err(error_of(&bytes));
        }
        serde_json::from_slice(&bytes).map_err(|_| foreign("its answer is not JSON"))
    }

    // === HTTP/2 ===

    async fn post_http2(
        &self,
        path: &str,
        headers: HeaderMap,
        body: Body,
    ) -> Result<Response<Incoming>> {
        let uri = format!("https://{}{path}", self.daemon.address);
        let request = self.request(uri, headers, body)?;
        let mut requests = self.http2_connection().await?;
        requests.ready().await.map_err(|error| self.broken(&error))?;
        requests.send_request(request).await.map_err(|error| self.broken(&error))
    }

    /// The connection; a new one when there is none, or the last has ended.
    async fn http2_connection(&self) -> Result<http2::SendRequest<Body>> {
        let mut open = self.http2.lock().await;
        if let Some(requests) = open.as_ref().filter(|requests| !requests.is_closed()) {
            return Ok(requests.clone());
        }
        let stream = tls::connect(&self.daemon, &self.tls).await?;
        let (requests, connection) = http2::Builder::new(TokioExecutor::new())
            .timer(TokioTimer::new())
            .initial_stream_window_size(STREAM_WINDOW_BYTES)
            .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
            .keep_alive_interval(KEEP_ALIVE_INTERVAL)
            .keep_alive_timeout(KEEP_ALIVE_INTERVAL)
            .keep_alive_while_idle(true)
            .handshake(TokioIo::new(stream))
            .await
            .map_err(|error| self.broken(&error))?;
        // Its error reaches the calls that wait for an answer.
        tokio::spawn(async move { drop(connection.await) });
        *open = Some(requests.clone());
        Ok(requests)
    }

    // === HTTP/1.1 ===

    async fn post_http1(
        &self,
        path: &str,
        mut headers: HeaderMap,
        body: Body,
    ) -> Result<Response<Incoming>> {
        let host = HeaderValue::try_from(&*self.daemon.address);
        let host = host.map_err(|error| unreachable(&self.daemon, &error.to_string()))?;
        headers.insert(header::HOST, host);
        let request = self.request(path.to_owned(), headers, body)?;
        let mut requests = match self.take_idle() {
            Some(requests) => requests,
            None => self.http1_connection().await?,
        };
        let response = requests.send_request(request).await.map_err(|error| self.broken(&error))?;
        let idle = Arc::clone(&self.idle);
        tokio::spawn(async move {
            // Ready again when the answer was read to its end.
            if requests.ready().await.is_ok() {
                idle.lock().push(IdleConnection { requests, since: Instant::now() });
            }
        });
        Ok(response)
    }

    fn take_idle(&self) -> Option<http1::SendRequest<Body>> {
        let mut idle = self.idle.lock();
        idle.retain(|connection| {
            connection.since.elapsed() < MAX_IDLE_TIME && connection.requests.is_ready()
        });
        idle.pop().map(|connection| connection.requests)
    }

    async fn http1_connection(&self) -> Result<http1::SendRequest<Body>> {
        let stream = tls::connect(&self.daemon, &self.tls).await?;
        let opened = http1::handshake(TokioIo::new(stream)).await;
        let (requests, connection) = opened.map_err(|error| self.broken(&error))?;
        tokio::spawn(async move { drop(connection.await) });
        Ok(requests)
    }

    // === both ===

    fn request(&self, uri: String, mut headers: HeaderMap, body: Body) -> Result<Request<Body>> {
        headers.insert(header::AUTHORIZATION, self.authorization.clone());
        let request = Request::post(uri).body(body);
        let mut request = request.map_err(|error| {
            Error::new(Reason::RequestInvalid, format!("the request cannot be made: {error}"))
        })?;
        *request.headers_mut() = headers;
        Ok(request)
    }

    fn broken(&self, error: &hyper::Error) -> Error {
        match error.is_parse() {
            true => foreign("it does not speak HTTP"),
            false => unreachable(&self.daemon, &error.to_string()),
        }
    }
}

/// The error in the answer to a call that failed.
fn error_of(answer: &[u8]) -> Error {
    let document: Value = serde_json::from_slice(answer).unwrap_or_default();
    let info = &document["details"][0]["debug"];
    let Some(reason) = info["reason"].as_str().and_then(Reason::by_name) else {
        return foreign("its error gives no reason");
    };
    let error = Error::new(reason, document["message"].as_str().unwrap_or_default());
    match info["hint"].as_str() {
        Some(hint) => error.with(HINT_KEY, hint),
        None => error,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_error_of_the_daemon_keeps_its_reason_and_hint() {
        let debug = json!({"reason": "TUNNEL_DENIED", "hint": "Do it there"});
        let answer = json!({"message": "no", "details": [{"debug": debug}]});
        let error = error_of(answer.to_string().as_bytes());
        assert_eq!((error.reason(), error.hint()), (Reason::TunnelDenied, "Do it there".into()));
        for other in ["", "<html>", "{}", r#"{"details":[{"debug":{"reason":"NOPE"}}]}"#] {
            assert_eq!(error_of(other.as_bytes()).reason(), Reason::RemoteForeign, "{other}");
        }
    }
}
