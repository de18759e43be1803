//! Calls of a fleet, at its gateway: in JSON, on one connection of HTTP/2, with the token of the
//! sign-in, which is renewed.

use std::{sync::Arc, time::Duration};

use browse_base::{Error, HINT_KEY, Lock, Result};
use browse_pin::HttpsUrl;
use browse_proto::{Reason, metadata};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Request, Response, StatusCode, header};
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Body as _, Incoming};
use tokio::time::timeout;
use tokio_rustls::rustls::ClientConfig;
use tonic::body::Body;

use super::{
    fleet_token::{FleetToken, SignIn, ends_sign_in},
    gateway_tls::{self, GatewayStream, foreign, unreachable},
    http2_connection::{ConnectFailure, Http2Connection},
    pairing_health::PairingHealth,
    relay_request::RemoteFleet,
};

/// Time in which the gateway has to accept a connection and to greet.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Bytes of a call that is kept, to be sent again with another token.
const MAX_KEPT_BYTES: u64 = 64 << 10;

/// Calls one fleet.
pub struct FleetClient {
    url: HttpsUrl,
    tls: Option<Arc<ClientConfig>>,
    token: FleetToken,
    http2: Http2Connection,
    health: Arc<PairingHealth>,
    /// Why no later call succeeds.
    end: Lock<Option<Error>>,
}

/// What the page sends with a call.
enum CallContent {
    Kept(Bytes),
    Streamed(Body),
}

impl FleetClient {
    /// A client without a connection.
    ///
    /// # Errors
    /// `REMOTE_UNKNOWN`, `REMOTE_FILE_INVALID`, `CERTIFICATE_UNUSABLE`.
    pub fn new(fleet: RemoteFleet) -> Result<Self> {
        let sign_in = SignIn::read(&fleet)?;
        let url = HttpsUrl::parse(&sign_in.url).map_err(|why| {
            let message = format!("the address of the fleet cannot be used: {why}");
            Error::new(Reason::RemoteFileInvalid, message).with("path", fleet.file.display())
        })?;
        Ok(Self {
            tls: gateway_tls::configure(&url, sign_in.ca.as_deref())?,
            url,
            token: FleetToken::new(fleet, sign_in),
            http2: Http2Connection::default(),
            health: Arc::default(),
            end: Lock::default(),
        })
    }

    /// What its calls have shown.
    pub fn health(&self) -> &Arc<PairingHealth> {
        &self.health
    }

    /// The fleet.
    pub fn fleet(&self) -> &RemoteFleet {
        self.token.fleet()
    }

    /// Why no later call succeeds: the sign-in has ended, or `browse logout` has removed it.
    pub fn end(&self) -> Option<Error> {
        if !self.fleet().file.exists() {
            return SignIn::read(self.fleet()).err();
        }
        self.end.lock().clone()
    }

    /// The error of a gateway that does not answer.
    pub fn unreachable(&self, why: &str) -> Error {
        unreachable(&self.url, why)
    }

    /// Sends a request to `path` with the token of the sign-in. One whose token the gateway rejects
    /// is sent once more, with the next token.
    ///
    /// # Errors
    /// `DAEMON_UNREACHABLE`, `CERTIFICATE_UNUSABLE`, `REMOTE_FOREIGN`; those of a renewal.
    pub async fn post(
        &self,
        path: &str,
        headers: HeaderMap,
        body: Body,
    ) -> Result<Response<Incoming>> {
        let sent = self.post_with_token(path, headers, body).await;
        match &sent {
            Ok(_) => self.health.note_answer(false),
            Err(error) if ends_sign_in(error) => {
                self.end.lock().get_or_insert_with(|| error.clone());
                self.health.note_answer(true);
            }
            Err(error) if error.reason() == Reason::DaemonUnreachable => {
                self.health.note_unreachable();
            }
            Err(_) => {}
        }
        sent
    }

    async fn post_with_token(
        &self,
        path: &str,
        mut headers: HeaderMap,
        body: Body,
    ) -> Result<Response<Incoming>> {
        headers.insert(metadata::DASHBOARD, HeaderValue::from_static("1"));
        if let Some(session) = &self.fleet().session
            && !headers.contains_key(metadata::SESSION)
        {
            headers.insert(metadata::SESSION, session_header(session)?);
        }
        let content = CallContent::read(body).await?;
        let token = self.token.good().await?;
        let (body, kept) = content.into_body();
        let response = self.send(path, headers.clone(), body, &token).await?;
        if response.status() != StatusCode::UNAUTHORIZED {
            return Ok(response);
        }
        let token = self.token.replacement(&token).await?;
        let Some(kept) = kept else {
            return Err(self.unreachable("its token was renewed while the call was sent"));
        };
        let response = self.send(path, headers, Body::new(Full::from(kept)), &token).await?;
        match response.status() {
            StatusCode::UNAUTHORIZED => {
                let message = format!("the gateway rejects the token of `{}`", self.fleet().name);
                Err(Error::new(Reason::TokenInvalid, message)
                    .with(HINT_KEY, self.fleet().login_hint()))
            }
            _ => Ok(response),
        }
    }

    async fn send(
        &self,
        path: &str,
        mut headers: HeaderMap,
        body: Body,
        token: &str,
    ) -> Result<Response<Incoming>> {
        let mut authorization = HeaderValue::try_from(format!("Bearer {token}"))
            .map_err(|_| Error::new(Reason::TokenInvalid, "the token of the fleet is not one"))?;
        authorization.set_sensitive(true);
        headers.insert(header::AUTHORIZATION, authorization);
        let request = Request::post(format!("{}{path}", self.url.origin())).body(body);
        let mut request = request.map_err(|error| {
            Error::new(Reason::RequestInvalid, format!("the request cannot be made: {error}"))
        })?;
        *request.headers_mut() = headers;
        let opened = self.http2.requests(self.connect()).await;
        let mut requests = opened.map_err(|failure| match failure {
            ConnectFailure::Unreached(error) => error,
            ConnectFailure::Handshake(error) => self.broken(&error),
        })?;
        requests.ready().await.map_err(|error| self.broken(&error))?;
        requests.send_request(request).await.map_err(|error| self.broken(&error))
    }

    async fn connect(&self) -> Result<GatewayStream> {
        let connected = gateway_tls::connect(&self.url, self.tls.as_ref());
        let connected = timeout(CONNECT_TIMEOUT, connected).await;
        connected.map_err(|_| self.unreachable("it says nothing within 10 s"))?
    }

    fn broken(&self, error: &hyper::Error) -> Error {
        match error.is_parse() {
            true => foreign("it does not speak HTTP"),
            false => self.unreachable(&error.to_string()),
        }
    }
}

impl CallContent {
    /// Reads a body that is small; keeps what is larger as it is.
    async fn read(body: Body) -> Result<Self> {
        if body.size_hint().exact().is_none_or(|bytes| bytes > MAX_KEPT_BYTES) {
            return Ok(Self::Streamed(body));
        }
        let read = body.collect().await;
        let read =
            read.map_err(|error| Error::new(Reason::RequestInvalid, error.message().to_owned()))?;
        Ok(Self::Kept(read.to_bytes()))
    }

    /// The body, and what it is made of once more.
    fn into_body(self) -> (Body, Option<Bytes>) {
        match self {
            Self::Kept(bytes) => (Body::new(Full::from(bytes.clone())), Some(bytes)),
            Self::Streamed(body) => (body, None),
        }
    }
}

fn session_header(session: &str) -> Result<HeaderValue> {
    HeaderValue::try_from(session).map_err(|_| {
        let message = format!("`{}` does not name a session", session.escape_debug());
        Error::new(Reason::ArgumentInvalid, message).with("command", "dashboard")
    })
}
