//! MCP over HTTP: an agent with a client of MCP and a token of the fleet, and nothing else. The server
//! is that of `browse mcp`; the calls that it makes are calls of the caller, and pass through this
//! gateway as all others do.

use std::{
    sync::Arc,
    time::{Duration, Instant, SystemTime},
};

use browse_base::{Error, HINT_KEY, Result};
use browse_fleet::{FleetIdentity, SessionKey, SessionScope};
use browse_mcp::{HostedCaller, HostedServer, is_initialize};
use browse_policy::layer::{bearer_token, json_error};
use browse_proto::{Command, Reason, metadata};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use tokio::time::{self, timeout, timeout_at};
use tonic::body::Body;
use tower::BoxError;

use super::{
    Gateway,
    call_record::CallRecord,
    call_scopes::CallScopes,
    client_limits::{ClientLimits, ClientSlot, MCP_MEMORY, MCP_REQUESTS},
    ended_sessions::EndedSessions,
    header_value,
    held_body::{AnswerTimes, send_held},
    mcp_calls::RequestCalls,
    mcp_end::{CLOSE_COMMAND, end_session},
    mcp_session::{McpIdKey, McpSessionId},
    protected_resource::ProtectedResource,
};
use crate::auth::AuthenticatedCaller;

/// Where it is served.
pub const PATH: &str = "/mcp";

/// What requests are called in the access log.
const ENDPOINT: &str = "mcp";

/// The header of Streamable HTTP that names a session of the protocol.
const SESSION_HEADER: &str = "mcp-session-id";

/// The methods that are served.
const METHODS: &str = "POST, DELETE";

/// Headers of calls that are not taken, and what to do instead.
const CALL_HEADERS: [(&str, &str); 2] = [
    (
        metadata::SESSION,
        "Leave it out: a tool takes the argument `session`, and a token can be for one session",
    ),
    (
        metadata::SKILL_HOSTS,
        "Leave it out: sessions of agents visit the hosts of the fleet, and skills run beside a daemon",
    ),
];

/// Bytes that a request may have.
const MAX_REQUEST_BYTES: usize = 1 << 20;

/// Bytes of memory for each byte of a request: a value of JSON takes more than its text.
const MEMORY_PER_BYTE: usize = 32;

/// Time that a request has to come.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);

/// Time that the answer to a request has, until the client has read it. Each call that comes of it has
/// its own deadline.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(15 * 60);

/// Time in which a client has to take the next part of its answer.
const IDLE_TIMEOUT: Duration = Duration::from_secs(60);

/// What a client does whose session has ended.
pub(super) const NEW_SESSION_HINT: &str =
    "Send `initialize` without `Mcp-Session-Id`: that begins another one";

/// What a replica has for requests of MCP.
pub struct McpEndpoint {
    server: HostedServer,
    /// Requests that are under way.
    requests: Arc<ClientLimits>,
    /// What they take of the memory.
    memory: Arc<ClientLimits>,
    key: McpIdKey,
    pub(super) ended: EndedSessions,
}

impl McpEndpoint {
    /// That of the gateway with this identity.
    ///
    /// # Errors
    /// `CERTIFICATE_UNUSABLE`.
    pub fn new(identity: &FleetIdentity) -> Result<Self> {
        Ok(Self {
            server: HostedServer::new(),
            requests: ClientLimits::new(MCP_REQUESTS),
            memory: ClientLimits::new(MCP_MEMORY),
            key: McpIdKey::new(identity)?,
            ended: EndedSessions::default(),
        })
    }
}

/// Answers a request at [`PATH`]. It may not carry `Origin`.
pub async fn answer(
    gateway: &Arc<Gateway>,
    request: Request<Body>,
    record: &mut CallRecord,
) -> Response<Body> {
    match Command::by_name(CLOSE_COMMAND).filter(|_| request.method() == Method::DELETE) {
        Some(command) => record.set_command(command),
        None => record.set_endpoint(ENDPOINT),
    }
    let url = gateway.url.for_caller(request.uri(), request.headers());
    serve(gateway, request, record).await.unwrap_or_else(|error| {
        record.set_error(&error);
        refusal(&gateway.resource, url.as_deref(), error)
    })
}

async fn serve(
    gateway: &Arc<Gateway>,
    request: Request<Body>,
    record: &mut CallRecord,
) -> Result<Response<Body>> {
    let token = bearer_token(&request)?;
    let mut caller = gateway.authenticator.authenticate(token.as_deref()).await?;
    record.set_tenant(&caller.tenant);
    let slot = gateway.mcp.requests.enter(&caller.tenant)?;
    check_headers(request.headers())?;
    let id = session_id(gateway, &caller, request.headers())?;
    if request.method() == Method::DELETE {
        return end_session(gateway, &caller, id, record).await;
    }
    if request.method() != Method::POST {
        // A client that asks for a stream of messages of the server goes on without one.
        let message = format!("`{PATH}` takes {METHODS}, not {}", request.method());
        return Err(Error::new(Reason::RequestInvalid, message)
            .with(HINT_KEY, "Send messages of MCP as in Streamable HTTP: with POST"));
    }
    let scopes = CallScopes::take(&mut caller, request.headers())?;
    let memory = Arc::new(gateway.mcp.memory.slot(&caller.tenant));
    let own = id.as_ref().map(|id| key_of(&caller, id));
    let service = Arc::new(RequestCalls::new(gateway, &caller, scopes, own, &memory)?);
    let session = match (&caller.session, &id) {
        (SessionScope::Only(own), _) => Some(own.clone()),
        (SessionScope::Any, id) => id.as_ref().map(|id| id.session().to_owned()),
    };
    if let Some(session) = session.clone() {
        record.set_session(&SessionKey { tenant: caller.tenant.clone(), session });
    }
    let (mut head, body) = request.into_parts();
    // What answers keeps the headers for its tools, which need no token.
    head.headers.remove(header::AUTHORIZATION);
    let body = read_body(body, &memory).await?;
    let begins_session = id.is_none() && is_initialize(&body);
    let traceparent = head.headers.get(metadata::TRACEPARENT);
    let hosted = HostedCaller {
        service,
        token: token.unwrap_or_default(),
        session,
        traceparent: traceparent.and_then(|value| value.to_str().ok()).map(str::to_owned),
    };
    let answering = gateway.mcp.server.answer(Request::from_parts(head, body), hosted);
    let until = time::Instant::now() + ANSWER_TIMEOUT;
    let mut response = timeout_at(until, answering).await.map_err(|_| {
        let minutes = ANSWER_TIMEOUT.as_secs() / 60;
        Error::new(Reason::DeadlineExceeded, format!("the answer took {minutes} minutes"))
            .with(HINT_KEY, "Make a call with fewer steps")
    })?;
    if begins_session && response.status() == StatusCode::OK {
        let id = McpSessionId::generate(SystemTime::now())?;
        let value = header_value(SESSION_HEADER, &id.text(&caller, &gateway.mcp.key))?;
        response.headers_mut().insert(SESSION_HEADER, value);
    }
    let times = AnswerTimes { until, idle: IDLE_TIMEOUT };
    Ok(response.map(|body| send_held(body, (slot, memory), times)))
}

/// Refuses the headers of calls that no request here has: its sender takes them to be in force.
///
/// # Errors
/// `ARGUMENT_INVALID`.
fn check_headers(headers: &HeaderMap) -> Result<()> {
    let found = CALL_HEADERS.into_iter().find(|(name, _)| headers.contains_key(*name));
    found.map_or(Ok(()), |(name, hint)| {
        let message = format!("`{PATH}` takes no header `{name}`");
        Err(Error::new(Reason::ArgumentInvalid, message).with(HINT_KEY, hint))
    })
}

/// The session of the protocol that a request is part of.
///
/// # Errors
/// `SESSION_NOT_FOUND`: it has ended, or is not one of this caller.
fn session_id(
    gateway: &Gateway,
    caller: &AuthenticatedCaller,
    headers: &HeaderMap,
) -> Result<Option<McpSessionId>> {
    let mut values = headers.get_all(SESSION_HEADER).iter();
    let Some(value) = values.next() else { return Ok(None) };
    let is_alone = values.next().is_none();
    let text = value.to_str().ok().filter(|_| is_alone);
    let id = text.and_then(|text| McpSessionId::parse(text, caller, &gateway.mcp.key));
    let id = id.filter(|id| is_alive(gateway, caller, id));
    id.map(Some).ok_or_else(|| {
        let message = "the session of MCP has ended, or is not one of this caller";
        Error::new(Reason::SessionNotFound, message).with(HINT_KEY, NEW_SESSION_HINT)
    })
}

/// Whether a session goes on. It is used when the session of its browser is open, and may be opened
/// before it was used. When that has been closed because nobody called, it has ended too.
fn is_alive(gateway: &Gateway, caller: &AuthenticatedCaller, id: &McpSessionId) -> bool {
    let key = key_of(caller, id);
    if gateway.mcp.ended.contains(&key) {
        return false;
    }
    // The session that such a token names is not one of MCP, and one in a store can be restored.
    if caller.session != SessionScope::Any || gateway.restores_sessions {
        return true;
    }
    gateway.update_routes();
    let routes = gateway.lock();
    // The first call after the end of a pod reports that.
    routes.pod(&key).is_some()
        || routes.is_lost(&key, Instant::now())
        || id.age(SystemTime::now()) < gateway.placement.idle_session_time()
}

/// The session of the browser that a session of the protocol has.
pub(super) fn key_of(caller: &AuthenticatedCaller, id: &McpSessionId) -> SessionKey {
    SessionKey { tenant: caller.tenant.clone(), session: id.session().to_owned() }
}

/// Reads the body of a request; what it takes is taken of `memory`.
async fn read_body(body: Body, memory: &ClientSlot) -> Result<Bytes> {
    let mut body = Limited::new(body, MAX_REQUEST_BYTES);
    let reading = async {
        let mut read = Vec::new();
        while let Some(frame) = body.frame().await {
            // A request has no trailers that are read.
            let Ok(data) = frame.map_err(broken_request)?.into_data() else { continue };
            memory.take(data.len().saturating_mul(MEMORY_PER_BYTE))?;
            read.extend_from_slice(&data);
        }
        Ok::<Bytes, Error>(read.into())
    };
    timeout(BODY_TIMEOUT, reading)
        .await
        .map_err(|_| Error::new(Reason::RequestSlow, "the request did not come in time"))?
}

fn broken_request(error: BoxError) -> Error {
    match error.is::<LengthLimitError>() {
        true => Error::new(Reason::TooLarge, "the request is too large")
            .with("limit", format!("{} KiB", MAX_REQUEST_BYTES >> 10)),
        false => Error::new(Reason::ArgumentInvalid, format!("the request broke off: {error}")),
    }
}

/// The response to a request that is refused, of a client that reaches the gateway at `url`.
fn refusal(resource: &ProtectedResource, url: Option<&str>, error: Error) -> Response<Body> {
    let is_refused = error.reason() != Reason::TokenMissing;
    let mut response = json_error(error);
    let (name, value) = match response.status() {
        StatusCode::UNAUTHORIZED => (header::WWW_AUTHENTICATE, resource.challenge(url, is_refused)),
        StatusCode::METHOD_NOT_ALLOWED => (header::ALLOW, HeaderValue::from_static(METHODS)),
        _ => return response,
    };
    response.headers_mut().insert(name, value);
    response
}
