//! The call itself: context, deadline, one request, the answer or an error.

use std::fmt;
use std::io;
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::discovery;
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
    tab: Option<u64>,
    session: Option<String>,
    timeout: Option<Duration>,
}

/// How connections to a remote daemon are made.
pub type Connector = Box<dyn Fn(Instant) -> io::Result<HttpConnection> + Send + Sync>;

struct DaemonEndpoint {
    address: String,
    token: String,
    connector: Option<Connector>,
    /// Connections that wait for the next call.
    idle_connections: Mutex<Vec<HttpConnection>>,
}

/// Makes a client of the daemon that the environment names: `BROWSE_ADDR` with
/// `BROWSE_SKILL_TOKEN` or `BROWSE_TOKEN`, else the state file of the project.
///
/// # Errors
/// `DAEMON_NOT_RUNNING`, `STATE_FILE_INVALID`.
pub fn connect() -> Result<Browse> {
    let (address, token) = discovery::find_daemon(None, None)?;
    Ok(Browse::new(&address, &token))
}

/// Its token stays where it is.
impl fmt::Debug for Browse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Browse").field("address", &self.daemon.address).finish_non_exhaustive()
    }
}

impl Browse {
    /// A client of the daemon at `127.0.0.1:4711` or `unix:/path`.
    pub fn new(address: &str, token: &str) -> Self {
        Self::with_connector(address, token, None)
    }

    /// A client whose connections are made by `opener`.
    pub(crate) fn with_connector(address: &str, token: &str, opener: Option<Connector>) -> Self {
        let (address, token) = (address.to_owned(), token.to_owned());
        let daemon = Arc::new(DaemonEndpoint {
            address,
            token,
            connector: opener,
            idle_connections: Mutex::default(),
        });
        Self { daemon, tab: None, session: None, timeout: None }
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
        let end = Instant::now() + timeout + DEADLINE_GRACE;
        let daemon = Arc::clone(&self.daemon);
        let failed = |error: io::Error| daemon.call_error(&error, milliseconds);
        let mut connection = daemon.take_connection(end).map_err(failed)?;
        let host =
            if socket_path(&daemon.address).is_some() { "localhost" } else { &daemon.address };
        let headers = self.headers(milliseconds, if streams { STREAM_TYPE } else { JSON_TYPE });
        let body = message.to_string().into_bytes();
        let body = if streams { envelope(&body) } else { body };
        connection.send(host, path, &headers, &body, end).map_err(failed)?;
        let answer = HttpResponse::read_head(connection, end).map_err(failed)?;
        if let Some(what) = answer.unexpected_peer() {
            return Err(daemon.unexpected_peer(&what));
        }
        Ok(Stream { daemon, answer: Some(answer), milliseconds, response: PhantomData })
    }

    fn headers(&self, milliseconds: u64, kind: &str) -> Vec<(&'static str, String)> {
        let mut headers = vec![
            ("content-type", kind.to_owned()),
            ("connect-protocol-version", "1".to_owned()),
            ("authorization", format!("Bearer {}", self.daemon.token)),
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
    /// A connection that waits, or a new one.
    fn take_connection(&self, end: Instant) -> io::Result<HttpConnection> {
        loop {
            let waiting =
                self.idle_connections.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let Some(mut connection) = waiting else {
                return match &self.connector {
                    Some(open) => open(end),
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
        match self.connector {
            Some(_) => Error::unexpected_peer(&self.address, what),
            None => self.unreachable(what),
        }
    }

    fn unreachable(&self, why: impl fmt::Display) -> Error {
        match self.connector {
            Some(_) => Error::remote_unreachable(&self.address, why),
            None => Error::unreachable(&self.address, why),
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
                let error = document.map(Error::from_json);
                // A daemon says its reason, always.
                let is_told = document.is_none_or(Error::gives_reason);
                if let Some(error) =
                    error.as_ref().filter(|_| !is_told && self.daemon.connector.is_some())
                {
                    let what = format!("it answers `{}`", error.message);
                    return Some(Err(self.daemon.unexpected_peer(&what)));
                }
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
