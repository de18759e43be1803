//! Calls of a daemon on another machine, in JSON: on one connection of HTTP/2 where TLS ends at
//! the daemon, else on connections of HTTP/1.1, which every tunnel hands on.

use std::{sync::Arc, time::Duration};

use browse_base::{Error, Lock, Result};
use browse_proto::Reason;
use http::{HeaderMap, HeaderValue, Request, Response, StatusCode, header};
use hyper::{body::Incoming, client::conn::http1};
use hyper_util::rt::TokioIo;
use tokio::time::Instant;
use tokio_rustls::rustls::ClientConfig;
use tonic::body::Body;

use super::{
    pairing_health::PairingHealth,
    relay_request::RemoteDaemon,
    tls::{self, foreign, unreachable},
};
use crate::relay_http::{ConnectFailure, Http2Connection};

/// Time after which a connection of HTTP/1.1 is not used again: the daemon closes it after 10 s.
const MAX_IDLE_TIME: Duration = Duration::from_secs(5);

/// Calls one daemon.
pub struct DaemonClient {
    daemon: RemoteDaemon,
    authorization: HeaderValue,
    tls: Arc<ClientConfig>,
    http2: Http2Connection,
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
            http2: Http2Connection::default(),
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

    /// The error of a daemon that does not answer.
    pub fn unreachable(&self, why: &str) -> Error {
        unreachable(&self.daemon, why)
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
        let opened = self.http2.requests(tls::connect(&self.daemon, &self.tls)).await;
        let mut requests = opened.map_err(|failure| match failure {
            ConnectFailure::Unreached(error) => error,
            ConnectFailure::Handshake(error) => self.broken(&error),
        })?;
        requests.ready().await.map_err(|error| self.broken(&error))?;
        requests.send_request(request).await.map_err(|error| self.broken(&error))
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
