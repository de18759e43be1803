//! The call itself: context, deadline, one request, the answer or an error.

use std::fmt;
use std::io;
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::error::{Error, Result};
use super::http::{HttpConnection, HttpResponse, JSON_TYPE, STREAM_TYPE, envelope, socket_path};
use super::json::Json;
use super::message::{JsonForm, Message, Request, from_json, to_json};

/// How much longer than the daemon a client waits, so that the daemon's error
/// is the one seen.
const DEADLINE_GRACE: Duration = Duration::from_secs(1);

/// Drives the browser: every command as a method.
///
/// A clone is cheap, and calls from several threads run at the same time.
#[derive(Clone)]
pub struct Browse {
    daemon: Arc<DaemonEndpoint>,
    fleet: Option<Arc<dyn EndpointSource>>,
    tab: Option<u64>,
    session: Option<String>,
    timeout: Option<Duration>,
}

/// How connections to a remote daemon are made.
pub type Connector = Box<dyn Fn(Instant) -> io::Result<HttpConnection> + Send + Sync>;

/// How a remote server is reached, and what to do about its errors.
pub struct RemotePeer {
    /// Makes connections to it.
    pub connector: Connector,
    /// What requests name as their host; the address when it is empty.
    pub authority: String,
    /// What to do about its errors.
    pub hints: PeerHints,
}

/// What to do about the errors of a remote server.
#[derive(Clone, Debug)]
pub struct PeerHints {
    /// It does not answer.
    pub unreachable: &'static str,
    /// Another server answers in its place.
    pub foreign: &'static str,
    /// It does not accept the token; empty where its own hint fits.
    pub token: String,
}

/// Finds the gateway of a fleet for each call: its token changes.
pub trait EndpointSource: Send + Sync {
    /// The gateway, with a token that is good for a while where one can be got.
    fn endpoint(&self) -> Result<Arc<DaemonEndpoint>>;

    /// The gateway with another token than `refused`; `None` when there is none.
    fn renewed(&self, refused: &str) -> Option<Arc<DaemonEndpoint>>;
}

/// A daemon, and the token to call it with.
pub struct DaemonEndpoint {
    address: String,
    token: String,
    remote: Option<Arc<RemotePeer>>,
    /// Connections that wait for the next call.
    idle_connections: Mutex<Vec<HttpConnection>>,
}

/// Why a token is not accepted.
const TOKEN_REASONS: [&str; 5] =
    ["TOKEN_MISSING", "TOKEN_INVALID", "TOKEN_EXPIRED", "TOKEN_REVOKED", "TOKEN_FOREIGN"];

/// Its token stays where it is.
impl fmt::Debug for Browse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Browse").field("address", &self.daemon.address).finish_non_exhaustive()
    }
}

impl Browse {
    /// A client of the daemon at `127.0.0.1:4711` or `unix:/path`.
    pub fn new(address: &str, token: &str) -> Self {
        Self::with_endpoint(DaemonEndpoint::new(address, token, None), None)
    }

    /// A client of `daemon`, or of what `fleet` finds for each call.
    pub(crate) fn with_endpoint(
        daemon: Arc<DaemonEndpoint>,
        fleet: Option<Arc<dyn EndpointSource>>,
    ) -> Self {
        Self { daemon, fleet, tab: None, session: None, timeout: None }
    }

    /// The same client, acting on this tab.
    pub fn tab(&self, id: u64) -> Self {
        Self { tab: Some(id), ..self.clone() }
    }

    /// The same client, acting in this session.
    pub fn session(&self, name: &str) -> Self {
        Self { session: Some(name.to_owned()), ..self.clone() }
    }

    /// The same client, with this deadline for each call.
    pub fn with_timeout(&self, timeout: Duration) -> Self {
        Self { timeout: Some(timeout), ..self.clone() }
    }

    /// Sends a request, and answers with its response.
    pub fn send<R: Request>(&self, request: &R) -> Result<R::Response> {
        let mut last = None;
        for message in self.stream(request)? {
            last = Some(message?);
        }
        Ok(last.unwrap_or_default())
    }

    /// Sends a request, and answers with what comes, as it comes. A stream that
    /// is dropped ends its call.
    pub fn stream<R: Request>(&self, request: &R) -> Result<Stream<R::Response>> {
        let path = format!("/browse.v1.BrowserService/{}", R::METHOD);
        let timeout = self.timeout.unwrap_or(Duration::from_millis(R::TIMEOUT_MS));
        let message = to_json(request, JsonForm::Wire);
        self.start_call(&path, &message, R::STREAMS, timeout)
    }

    /// Sends the JSON of a message to the RPC at `path`.
    pub(crate) fn start_call<M>(
        &self,
        path: &str,
        message: &Json,
        streams: bool,
        timeout: Duration,
    ) -> Result<Stream<M>> {
        let milliseconds = u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX).max(1);
        let kind = if streams { STREAM_TYPE } else { JSON_TYPE };
        let body = message.to_string().into_bytes();
        let body = if streams { envelope(&body) } else { body };
        let send = |daemon: &DaemonEndpoint| -> Result<HttpResponse> {
            let headers = self.headers(&daemon.token, milliseconds, kind);
            let end = Instant::now() + timeout + DEADLINE_GRACE;
            let sent = daemon.send(path, &headers, &body, end);
            let answer = sent.map_err(|error| daemon.call_error(&error, milliseconds))?;
            match answer.unexpected_peer() {
                Some(what) => Err(daemon.unexpected_peer(&what)),
                None => Ok(answer),
            }
        };
        let mut daemon = match &self.fleet {
            Some(fleet) => fleet.endpoint()?,
            None => Arc::clone(&self.daemon),
        };
        let mut answer = send(&daemon)?;
        let fleet = self.fleet.as_ref().filter(|_| answer.is_unauthorized());
        if let Some(renewed) = fleet.and_then(|fleet| fleet.renewed(&daemon.token)) {
            // Nothing was done, so that the call can be sent again.
            answer = send(&renewed)?;
            daemon = renewed;
        }
        Ok(Stream { daemon, answer: Some(answer), milliseconds, response: PhantomData })
    }

    fn headers(&self, token: &str, milliseconds: u64, kind: &str) -> Vec<(&'static str, String)> {
        let mut headers = vec![
            ("content-type", kind.to_owned()),
            ("connect-protocol-version", "1".to_owned()),
            ("authorization", format!("Bearer {token}")),
            ("browse-content", "raw".to_owned()),
            ("connect-timeout-ms", milliseconds.to_string()),
        ];
        headers.extend(self.tab.map(|tab| ("browse-tab", tab.to_string())));
        headers.extend(self.session.clone().map(|name| ("browse-session", name)));
        headers
    }

    /// What `call` does for one kind of request.
    pub(crate) fn dynamic<R: Request>(&self, args: &Json) -> Result<Json> {
        let request: R = from_json(args, JsonForm::Plain).map_err(Error::argument)?;
        Ok(self.send(&request)?.to_json())
    }
}

impl DaemonEndpoint {
    /// The daemon at `address`, which is reached as `remote` says when it is remote.
    pub fn new(address: &str, token: &str, remote: Option<Arc<RemotePeer>>) -> Arc<Self> {
        let (address, token) = (address.to_owned(), token.to_owned());
        Arc::new(Self { address, token, remote, idle_connections: Mutex::default() })
    }

    /// Sends a call, and waits for the head of the answer until `end`.
    fn send(
        &self,
        path: &str,
        headers: &[(&str, String)],
        body: &[u8],
        end: Instant,
    ) -> io::Result<HttpResponse> {
        let named = self.remote.as_ref().map_or("", |remote| remote.authority.as_str());
        let host = match socket_path(&self.address) {
            Some(_) => "localhost",
            None if named.is_empty() => self.address.as_str(),
            None => named,
        };
        let mut connection = self.take_connection(end)?;
        connection.send(host, path, headers, body, end)?;
        HttpResponse::read_head(connection, end)
    }

    /// A connection that waits, or a new one.
    fn take_connection(&self, end: Instant) -> io::Result<HttpConnection> {
        loop {
            let waiting =
                self.idle_connections.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let Some(mut connection) = waiting else {
                return match &self.remote {
                    Some(remote) => (remote.connector)(end),
                    None => HttpConnection::open(&self.address, end),
                };
            };
            if connection.is_open() {
                return Ok(connection);
            }
        }
    }

    fn call_error(&self, error: &io::Error, milliseconds: u64) -> Error {
        if let Some(told) = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>()) {
            return told.clone();
        }
        match error.kind() {
            io::ErrorKind::TimedOut => Error::deadline_exceeded(milliseconds),
            io::ErrorKind::InvalidData => self.unexpected_peer(&error.to_string()),
            _ => self.unreachable(error),
        }
    }

    fn unexpected_peer(&self, what: &str) -> Error {
        match &self.remote {
            Some(remote) => Error::unexpected_peer(&self.address, what, remote.hints.foreign),
            None => self.unreachable(what),
        }
    }

    fn unreachable(&self, why: impl fmt::Display) -> Error {
        let error = Error::unreachable(&self.address, why);
        match &self.remote {
            Some(remote) => error.with_hint(remote.hints.unreachable),
            None => error,
        }
    }

    /// The error that an answer holds.
    fn answered_error(&self, document: &Json) -> Error {
        let error = Error::from_json(document);
        let Some(remote) = &self.remote else { return error };
        // A daemon says its reason, always.
        if !Error::gives_reason(document) {
            return self.unexpected_peer(&format!("it answers `{}`", error.message));
        }
        match remote.hints.token.as_str() {
            hint if !hint.is_empty() && TOKEN_REASONS.contains(&error.reason.as_str()) => {
                error.with_hint(hint)
            }
            _ => error,
        }
    }
}

/// The messages of an answer, as they come. It ends after an error.
pub struct Stream<R> {
    daemon: Arc<DaemonEndpoint>,
    answer: Option<HttpResponse>,
    milliseconds: u64,
    response: PhantomData<R>,
}

impl<R: Message> Iterator for Stream<R> {
    type Item = Result<R>;

    fn next(&mut self) -> Option<Self::Item> {
        let document = self.next_document()?;
        let read =
            |json| from_json(&json, JsonForm::Wire).map_err(|why| self.daemon.unreachable(why));
        Some(document.and_then(read))
    }
}

impl<R> Stream<R> {
    /// The JSON of the next message.
    pub(crate) fn next_document(&mut self) -> Option<Result<Json>> {
        let mut answer = self.answer.take()?;
        match answer.next_document() {
            Ok(Some(document)) => {
                self.answer = Some(answer);
                Some(Ok(document))
            }
            Ok(None) => {
                let Some(ending) = answer.ending() else {
                    let why = "the answer broke off: it has no end";
                    return Some(Err(self.daemon.unreachable(why)));
                };
                let document = ending.get("error").filter(|error| **error != Json::Null);
                let error = document.map(|document| self.daemon.answered_error(document));
                if let Some(connection) = answer.into_connection() {
                    let mut idle =
                        self.daemon.idle_connections.lock().unwrap_or_else(PoisonError::into_inner);
                    idle.push(connection);
                }
                error.map(Err)
            }
            Err(error) => Some(Err(self.daemon.call_error(&error, self.milliseconds))),
        }
    }
}
