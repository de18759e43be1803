//! The end of a session of MCP by its client, and with it the session of the browser.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use browse_base::{Error, HINT_KEY, Result};
use browse_fleet::{CallerRole, SessionKey, SessionScope};
use browse_proto::{Command, Reason};
use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::Full;
use serde_json::json;
use tokio::time::timeout;
use tonic::body::Body;

use super::{
    CallBody, Gateway,
    call_record::CallRecord,
    forward::{self, AdmittedCall},
    mcp::key_of,
    mcp_session::McpSessionId,
    skill_call::CallOrigin,
};
use crate::auth::AuthenticatedCaller;

/// The command that closes the session of a browser.
pub const CLOSE_COMMAND: &str = "session close";

/// Time that it has, and before that a session that is stored to get a place.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(15);

/// Ends a session of the protocol, and closes the session of its browser. Where that is refused, the
/// session goes on, and its client can send the request again.
///
/// # Errors
/// `ARGUMENT_INVALID`: the request names none. `DEADLINE_EXCEEDED`; those of a call of `session close`.
pub async fn end_session(
    gateway: &Arc<Gateway>,
    caller: &AuthenticatedCaller,
    id: Option<McpSessionId>,
    record: &mut CallRecord,
) -> Result<Response<Body>> {
    let id = id.ok_or_else(|| {
        Error::new(Reason::ArgumentInvalid, "the request has no `Mcp-Session-Id`")
            .with(HINT_KEY, "Name the session to end")
    })?;
    let key = key_of(caller, &id);
    let time = gateway.placement.idle_session_time();
    let mark = gateway.mcp.ended.begin(&key, Instant::now(), time);
    // That of a token for one session was there before, and stays.
    if caller.session == SessionScope::Any {
        record.set_session(&key);
        let response = close(gateway, caller, &key, record).await?;
        let is_closed = |found: &Response<Body>| {
            found.status().is_success() || found.status() == StatusCode::NOT_FOUND
        };
        if let Some(refused) = response.filter(|response| !is_closed(response)) {
            return Ok(refused);
        }
    }
    mark.keep();
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    Ok(response)
}

/// Closes a session of a browser, where it is open or can be restored; the response of its pod. Its
/// owner may end it, whatever else the token allows.
async fn close(
    gateway: &Arc<Gateway>,
    caller: &AuthenticatedCaller,
    key: &SessionKey,
    record: &mut CallRecord,
) -> Result<Option<Response<Body>>> {
    let command = Command::by_name(CLOSE_COMMAND)
        .ok_or_else(|| Error::new(Reason::Bug, format!("`{CLOSE_COMMAND}` is unknown")))?;
    let known = gateway.lock().pod(key).cloned();
    let pod = match known {
        Some(pod) => pod,
        // One that lies in the store alone gets a place first: its pod deletes what is stored.
        None if gateway.restores_sessions => {
            let placing = gateway.place(caller, CLOSE_TIMEOUT, key, None);
            record.time("place", placing).await?
        }
        None => return Ok(None),
    };
    let owner = AuthenticatedCaller {
        scopes: vec![command.scope.name().to_owned()],
        session: SessionScope::Only(key.session.clone()),
        ..caller.clone()
    };
    let message = json!({ "name": key.session }).to_string();
    let mut request = Request::new(Body::new(Full::from(message)));
    *request.method_mut() = Method::POST;
    *request.uri_mut() = http::Uri::from_static(command.path);
    let kind = HeaderValue::from_static("application/json");
    request.headers_mut().insert(header::CONTENT_TYPE, kind);
    let body = CallBody::read(command, request).await?;
    let until = Instant::now() + CLOSE_TIMEOUT;
    let (origin, role) = (CallOrigin::Caller, CallerRole::Program);
    let admitted = AdmittedCall { caller: &owner, origin: &origin, role, command, key, until };
    let closing = forward::forward(gateway, &admitted, body, pod, record);
    let closed = timeout(CLOSE_TIMEOUT, closing).await.map_err(|_| {
        Error::new(Reason::DeadlineExceeded, "the session of the browser was not closed in time")
            .with(HINT_KEY, "Send it again; else the session is closed after its idle time")
    })??;
    if closed.status() == StatusCode::NOT_FOUND {
        // Nobody has used it: the place is free.
        gateway.release(key).await;
    }
    Ok(Some(closed))
}
