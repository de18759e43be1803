//! Passes a call on to its pod, with the pod's own token instead of the caller's.

use std::time::{Duration, Instant, SystemTime};

use browse_base::{Error, Result};
use browse_fleet::{
    ADDRESS_HEADER, CallerRole, DEVTOOLS_PATH, LIFETIME_HEADER, MISMATCH_HEADER, MOVED_HEADER,
    POD_HEADER, SPAN_HOSTS_HEADER, SPANS_HEADER, SessionKey, TENANT_HEADER, TokenRequest,
};
use browse_proto::{Command, Reason, Requires, Scope, metadata};
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, header};
use hyper::body::Incoming;
use tonic::body::Body;

use super::{
    CallBody, Gateway, call_record::CallRecord, devtools, header_value, skill_call::CallOrigin,
};
use crate::{auth::AuthenticatedCaller, cluster::PodRecord, peer::PeerError};

/// Sends of one call, when that is safe.
const MAX_SENDS: u32 = 3;

/// Pods of one call: a pod may be about to end that the session has just got.
const MAX_MOVES: u32 = 2;

/// Time that a session gets at least to find another pod: its pod may have been silent for as long
/// as the caller wanted to wait.
const MIN_MOVE_WAIT: Duration = Duration::from_secs(5);

/// Time between two sends.
const RESEND_DELAY: Duration = Duration::from_millis(100);

/// Headers of the connection to the caller, and what a caller does not say itself: the gateway gives
/// a call a place in a trace, and pods alone report spans.
const DROPPED_HEADERS: [&str; 19] = [
    "connection",
    "keep-alive",
    "proxy-authorization",
    "proxy-connection",
    "transfer-encoding",
    "upgrade",
    metadata::CWD,
    metadata::CALLER,
    metadata::SCOPES,
    metadata::SKILL_HOSTS,
    metadata::REMOTE,
    metadata::DASHBOARD,
    ADDRESS_HEADER,
    LIFETIME_HEADER,
    "x-forwarded-for",
    metadata::TRACEPARENT,
    "tracestate",
    SPANS_HEADER,
    SPAN_HOSTS_HEADER,
];

/// A call that may be sent.
pub struct AdmittedCall<'a> {
    /// Who calls.
    pub caller: &'a AuthenticatedCaller,
    /// Whether a skill does.
    pub origin: &'a CallOrigin,
    /// As what.
    pub role: CallerRole,
    /// What.
    pub command: &'static Command,
    /// Where.
    pub key: &'a SessionKey,
    /// When the caller stops waiting for another pod.
    pub until: Instant,
}

/// The status of gRPC for a token that is not known.
const GRPC_UNAUTHENTICATED: &[u8] = b"16";

/// Why a call has no answer yet.
enum Unanswered {
    /// The pod did nothing: the session has moved.
    Moved,
    /// The pod did nothing: it is another one, its daemon was started anew, or it has ended the token.
    Mismatch,
    /// The pod gave no token, so that nothing was sent.
    NoToken(Error),
    /// The connection failed.
    Broken(PeerError),
}

/// Sends the call to `pod`, and answers what that answers. Where sessions are restored, one whose
/// pod does not serve it any more gets another place, until the time of the call.
///
/// # Errors
/// `POD_UNREACHABLE`: nothing was done. `ACTION_UNKNOWN`: the connection broke after the call was
/// sent, and it may have acted.
pub async fn forward(
    gateway: &Gateway,
    admitted: &AdmittedCall<'_>,
    mut call: CallBody,
    mut pod: PodRecord,
    record: &mut CallRecord,
) -> Result<Response<Body>> {
    let AdmittedCall { caller, command, key, until, .. } = *admitted;
    let max_moves = if gateway.restores_sessions { MAX_MOVES } else { 0 };
    // What a WebSocket opened ended with its connection.
    let can_repeat = call.is_upgrade() || only_reads(command);
    let (mut sends, mut moves) = (0, 0);
    loop {
        sends += 1;
        let (outcome, is_kept) = send(gateway, admitted, &mut call, &pod, record).await?;
        let unanswered = match outcome {
            Ok(response) if response.headers().contains_key(MISMATCH_HEADER) => {
                gateway.pods.forget(&pod.uid);
                Unanswered::Mismatch
            }
            Ok(response) => {
                if is_unauthenticated(&response) {
                    // Its token has ended, and it may have ended while the call ran.
                    gateway.pods.forget(&pod.uid);
                    if !can_repeat {
                        return Err(unknown_outcome(command, key));
                    }
                    if is_kept && sends == 1 {
                        continue;
                    }
                }
                if !(is_kept && moves < max_moves && has_moved(&response)) {
                    if command.name == "session close" && is_success(&response) {
                        gateway.release(key).await;
                    }
                    return Ok(response.map(Body::new));
                }
                Unanswered::Moved
            }
            Err(unanswered) => unanswered,
        };
        gateway.metrics.record_upstream_error(unanswered.cause());
        let (error, is_safe) = unanswered.judge(command, key);
        if !(is_kept && is_safe) {
            return Err(error);
        }
        let is_leaving = pod.is_ending || !pod.is_ready;
        let is_worth_a_try = unanswered.may_be_over_soon() && !(is_leaving && max_moves > 0);
        if is_worth_a_try
            && sends < MAX_SENDS
            && let Some(next) = next_pod(gateway, key).await
        {
            pod = next;
            continue;
        }
        if moves >= max_moves {
            return Err(error);
        }
        tracing::info!(%error, %key, pod = %pod.name, "the session gets another pod");
        (sends, moves) = (0, moves + 1);
        let wait = until.saturating_duration_since(Instant::now()).max(MIN_MOVE_WAIT);
        pod = record.time("place", gateway.place(caller, wait, key, Some(&pod))).await?;
    }
}

/// Sends the call once; answers whether it can be sent again, too.
async fn send(
    gateway: &Gateway,
    admitted: &AdmittedCall<'_>,
    call: &mut CallBody,
    pod: &PodRecord,
    record: &mut CallRecord,
) -> Result<(std::result::Result<Response<Incoming>, Unanswered>, bool)> {
    let token = match gateway.pods.token(pod, token_request(admitted, pod)).await {
        Ok(token) => token,
        // The body is still there.
        Err(error) => return Ok((Err(Unanswered::NoToken(error)), true)),
    };
    let (mut request, is_kept) = call.next_request();
    set_headers(request.headers_mut(), &token, pod, admitted.key)?;
    if admitted.command.name == devtools::COMMAND {
        let address = gateway.url.websocket_for_caller(request.uri(), request.headers());
        set_client_headers(request.headers_mut(), admitted.caller, pod, address)?;
    }
    record.begin_send(request.headers_mut(), pod);
    let mut response = match call.is_upgrade() {
        true => gateway.pods.connect(pod, request).await,
        false => gateway.pods.send(pod, request).await,
    };
    record.take_response(&mut response);
    Ok((response.map_err(Unanswered::Broken), is_kept))
}

impl Unanswered {
    /// The cause, for the metrics.
    fn cause(&self) -> &'static str {
        match self {
            Self::Moved => "moved",
            Self::Mismatch => "mismatch",
            Self::NoToken(_) => "token",
            Self::Broken(error) if error.is_unsent => "connect",
            Self::Broken(_) => "broken",
        }
    }

    /// The error of the call when it is not sent again, and whether it can be.
    fn judge(&self, command: &Command, key: &SessionKey) -> (Error, bool) {
        match self {
            Self::Moved => {
                let message = format!("the session `{}` has moved to another pod", key.session);
                (Error::new(Reason::SessionMoved, message).with("session", &key.session), true)
            }
            Self::Mismatch => {
                (unreachable_pod(key, "it is another pod, or does not know the token"), true)
            }
            Self::NoToken(error) => match error.reason() {
                // Another pod has its address, or its daemon was started anew, and it is deleted.
                Reason::GateUnavailable | Reason::PodMismatch => {
                    (unreachable_pod(key, &error.to_string()), true)
                }
                // It is about to end.
                Reason::PodDraining => (error.clone(), true),
                _ => (error.clone(), false),
            },
            Self::Broken(error) => {
                (failure(command, key, error), error.is_unsent || only_reads(command))
            }
        }
    }

    /// Whether the same pod may answer a moment later.
    fn may_be_over_soon(&self) -> bool {
        match self {
            Self::Moved => false,
            Self::NoToken(error) => error.reason() == Reason::GateUnavailable,
            Self::Mismatch | Self::Broken(_) => true,
        }
    }
}

/// The pod of a session a moment later: it may be another one by now.
async fn next_pod(gateway: &Gateway, key: &SessionKey) -> Option<PodRecord> {
    tokio::time::sleep(RESEND_DELAY).await;
    gateway.update_routes();
    gateway.lock().pod(key).cloned()
}

fn token_request(admitted: &AdmittedCall<'_>, pod: &PodRecord) -> TokenRequest {
    let AdmittedCall { caller, origin, role, .. } = *admitted;
    TokenRequest {
        tenant: caller.tenant.clone(),
        pod: pod.uid.clone(),
        subject: caller.subject.clone(),
        scopes: caller.scopes.clone(),
        session: caller.session.clone(),
        skill_hosts: origin.skill_hosts().cloned(),
        role,
    }
}

fn set_headers(
    headers: &mut HeaderMap,
    token: &str,
    pod: &PodRecord,
    key: &SessionKey,
) -> Result<()> {
    for name in DROPPED_HEADERS {
        headers.remove(name);
    }
    let values = [
        (header::AUTHORIZATION.as_str(), format!("Bearer {token}")),
        (TENANT_HEADER, key.tenant.to_string()),
        (POD_HEADER, pod.uid.to_string()),
        (metadata::SESSION, key.session.clone()),
    ];
    for (name, value) in values {
        headers.insert(HeaderName::from_static(name), header_value(name, &value)?);
    }
    Ok(())
}

/// Says to the pod where its clients of the DevTools protocol come from, and for how long.
fn set_client_headers(
    headers: &mut HeaderMap,
    caller: &AuthenticatedCaller,
    pod: &PodRecord,
    address: Option<String>,
) -> Result<()> {
    if let Some(address) = address {
        let address = format!("{address}{DEVTOOLS_PATH}/{}", pod.uid);
        headers.insert(ADDRESS_HEADER, header_value(ADDRESS_HEADER, &address)?);
    }
    if let Some(end) = caller.expires_at {
        let left = end.duration_since(SystemTime::now()).unwrap_or_default();
        // A token is good for some seconds after its end.
        let left = left.as_secs().max(1).to_string();
        headers.insert(LIFETIME_HEADER, header_value(LIFETIME_HEADER, &left)?);
    }
    Ok(())
}

fn is_unauthenticated(response: &Response<Incoming>) -> bool {
    let status = response.headers().get("grpc-status").map(HeaderValue::as_bytes);
    response.status() == StatusCode::UNAUTHORIZED || status == Some(GRPC_UNAUTHENTICATED)
}

/// Whether the pod did nothing, because the session has moved.
fn has_moved(response: &Response<Incoming>) -> bool {
    response.headers().contains_key(MOVED_HEADER)
}

/// Whether a call was done; a failure of gRPC has its status in the headers or at the end, which
/// is not read here: the leader finds out by itself what such a call has closed.
pub(super) fn is_success(response: &Response<Incoming>) -> bool {
    let status = response.headers().get("grpc-status").map(HeaderValue::as_bytes);
    response.status().is_success() && status.is_none_or(|status| status == b"0")
}

/// Whether a call can be made twice. Chains and batches read by their scope, and their steps may
/// act.
fn only_reads(command: &Command) -> bool {
    command.scope == Scope::Read
        && !command.has_side_effects
        && matches!(command.requires, Requires::Tab | Requires::Page)
        && !command.streaming
}

fn failure(command: &Command, key: &SessionKey, error: &PeerError) -> Error {
    if error.is_unsent || only_reads(command) {
        return unreachable_pod(key, &error.to_string());
    }
    tracing::warn!(%error, %key, "a call has an unknown outcome");
    unknown_outcome(command, key)
}

fn unknown_outcome(command: &Command, key: &SessionKey) -> Error {
    let message = format!(
        "the connection to the pod of the session `{}` broke after `{}` was sent",
        key.session, command.name
    );
    Error::new(Reason::ActionUnknown, message).with("session", &key.session)
}

fn unreachable_pod(key: &SessionKey, why: &str) -> Error {
    tracing::warn!(why, %key, "a pod does not answer");
    let message = format!("the pod of the session `{}` does not answer", key.session);
    Error::new(Reason::PodUnreachable, message).with("session", &key.session).with("retry_ms", 1000)
}
