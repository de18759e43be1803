//! Clients of the DevTools protocol: a WebSocket through the gateway to the pod of its session, by
//! the token of the caller or by an address that `cdp-url` gave out.

use std::{
    future::{Future, pending},
    sync::Arc,
    time::{Duration, Instant},
};

use browse_base::{Error, HINT_KEY, Result};
use browse_fleet::{
    CallerRole, DEVTOOLS_PATH, MISMATCH_HEADER, POD_HEADER, PodUid, SessionKey, TENANT_HEADER,
    Tenant,
};
use browse_policy::layer::bearer_token;
use browse_proto::{Command, Reason, Scope};
use http::{HeaderMap, Method, Request, Response, StatusCode, Uri, Version, header};
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use tokio::time::sleep;
use tonic::body::Body;

use super::{
    CallBody, DEFAULT_WAIT, Gateway,
    access::{require_scope, session_of},
    call_record::CallRecord,
    client_limits::ClientSlot,
    forward::{self, AdmittedCall},
    header_value,
    skill_call::CallOrigin,
    tunnel,
};
use crate::auth::{AuthenticatedCaller, Authenticator};

/// The command whose scope a client needs.
pub const COMMAND: &str = "cdp-url";

/// Time without a byte after which a client is disconnected.
const IDLE_TIME: Duration = Duration::from_secs(30 * 60);

/// Time between two checks of the token of a client.
const TOKEN_CHECK_INTERVAL: Duration = Duration::from_secs(5);

/// Bytes of the capability of an address, at most.
const MAX_CAPABILITY_BYTES: usize = 64;

/// Headers of the handshake that a pod reads.
const HANDSHAKE_HEADERS: [&str; 2] = ["sec-websocket-key", "sec-websocket-version"];

/// Headers of the handshake that a client reads.
const ACCEPTANCE_HEADERS: [&str; 3] = ["connection", "upgrade", "sec-websocket-accept"];

/// What a client connects to.
#[derive(Debug, PartialEq, Eq)]
pub enum ClientPath {
    /// A session of the tenant of its token: this one, else the one that a header names.
    Session(Option<String>),
    /// An address that a pod gave out.
    Address {
        /// The pod.
        pod: PodUid,
        /// What the pod knows the address by.
        capability: String,
    },
}

impl ClientPath {
    /// Reads the path of a request; none where it is not for clients.
    pub fn read(path: &str) -> Option<Self> {
        let rest = path.strip_prefix(DEVTOOLS_PATH)?;
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        if rest.is_empty() {
            return Some(Self::Session(None));
        }
        let rest = rest.strip_prefix('/')?;
        let Some((pod, capability)) = rest.split_once('/') else {
            return Some(Self::Session(Some(rest.to_owned())));
        };
        let is_word = (1..=MAX_CAPABILITY_BYTES).contains(&capability.len())
            && capability.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let pod = PodUid::new(pod).ok().filter(|_| is_word)?;
        Some(Self::Address { pod, capability: capability.to_owned() })
    }
}

/// Connects a client with its pod.
///
/// # Errors
/// `REQUEST_INVALID`: the request is not for a WebSocket. By a token as for a call of `cdp-url`,
/// also `SESSION_NOT_FOUND`; `FLEET_QUOTA` and `FLEET_BUSY` for too many clients;
/// `POD_UNREACHABLE`.
pub async fn connect(
    gateway: &Gateway,
    path: ClientPath,
    mut request: Request<Body>,
    record: &mut CallRecord,
) -> Result<Response<Body>> {
    check_is_websocket(&request)?;
    let client = hyper::upgrade::on(&mut request);
    match path {
        ClientPath::Session(named) => by_token(gateway, named, request, client, record).await,
        ClientPath::Address { pod, capability } => {
            let headers = std::mem::take(request.headers_mut());
            by_address(gateway, &pod, &capability, headers, client).await
        }
    }
}

async fn by_token(
    gateway: &Gateway,
    named: Option<String>,
    request: Request<Body>,
    client: OnUpgrade,
    record: &mut CallRecord,
) -> Result<Response<Body>> {
    let token = bearer_token(&request)?;
    let command = Command::by_name(COMMAND)
        .ok_or_else(|| Error::new(Reason::Bug, format!("there is no command `{COMMAND}`")))?;
    let caller = authorize(&gateway.authenticator, token.as_deref(), command).await?;
    record.set_tenant(&caller.tenant);
    let call = CallBody::for_client(request, named)?;
    let session = session_of(&caller, &call)?;
    let key = SessionKey { tenant: caller.tenant.clone(), session };
    record.set_session(&key);
    let slot = gateway.clients.enter(&key.tenant)?;
    let pod = gateway.pod_of_open(&key).await?;
    let until = Instant::now() + DEFAULT_WAIT;
    let (origin, role) = (CallOrigin::Caller, CallerRole::Program);
    let admitted =
        AdmittedCall { caller: &caller, origin: &origin, role, command, key: &key, until };
    let response = forward::forward(gateway, &admitted, call, pod, record).await?;
    let ended = token_end(Arc::clone(&gateway.authenticator), token, caller, command);
    Ok(join(response, client, slot, ended))
}

/// The pod checks the capability. Its uid is as hard to guess as that, so that who has no address
/// learns nothing of pods, and does not reach them.
async fn by_address(
    gateway: &Gateway,
    uid: &PodUid,
    capability: &str,
    headers: HeaderMap,
    client: OnUpgrade,
) -> Result<Response<Body>> {
    let found = {
        let routes = gateway.lock();
        let pod = routes.pods().values().find(|pod| pod.uid == *uid && pod.address.is_some());
        pod.and_then(|pod| Some((pod.clone(), pod.claim.as_ref()?.tenant.clone())))
    };
    let Some((pod, tenant)) = found else { return Ok(not_found()) };
    let slot = gateway.clients.enter(&tenant)?;
    let to_pod = address_request(&headers, uid, &tenant, capability)?;
    let response = gateway.pods.connect(&pod, to_pod).await.map_err(|error| {
        gateway.metrics.record_upstream_error("connect");
        tracing::warn!(%error, pod = %pod.name, "a pod does not answer a client");
        let message = "the pod of the address does not answer";
        Error::new(Reason::PodUnreachable, message).with("retry_ms", 1000)
    })?;
    if response.headers().contains_key(MISMATCH_HEADER) {
        return Ok(not_found());
    }
    Ok(join(response.map(Body::new), client, slot, pending()))
}

fn address_request(
    of_client: &HeaderMap,
    pod: &PodUid,
    tenant: &Tenant,
    capability: &str,
) -> Result<Request<Body>> {
    let path = format!("{DEVTOOLS_PATH}/{capability}");
    let mut to_pod = Request::new(Body::empty());
    *to_pod.uri_mut() = Uri::try_from(path)
        .map_err(|error| Error::new(Reason::Bug, format!("the path of an address: {error}")))?;
    let headers = to_pod.headers_mut();
    for name in HANDSHAKE_HEADERS {
        if let Some(value) = of_client.get(name) {
            headers.insert(name, value.clone());
        }
    }
    headers.insert(POD_HEADER, header_value(POD_HEADER, pod.as_str())?);
    headers.insert(TENANT_HEADER, header_value(TENANT_HEADER, tenant.as_str())?);
    Ok(to_pod)
}

/// The caller, where it may act as a client: what that allows needs the scope `admin`, too.
async fn authorize(
    authenticator: &Authenticator,
    token: Option<&str>,
    command: &Command,
) -> Result<AuthenticatedCaller> {
    let caller = authenticator.authenticate(token).await?;
    require_scope(&caller, &format!("`{COMMAND}`"), command.scope)?;
    require_scope(&caller, "a client of the DevTools protocol", Scope::Admin)?;
    Ok(caller)
}

/// Completes when the token is no longer good for what its client is connected to.
async fn token_end(
    authenticator: Arc<Authenticator>,
    token: Option<String>,
    caller: AuthenticatedCaller,
    command: &'static Command,
) -> &'static str {
    loop {
        sleep(TOKEN_CHECK_INTERVAL).await;
        match authorize(&authenticator, token.as_deref(), command).await {
            Ok(now) if now.tenant == caller.tenant && now.session == caller.session => {}
            // The issuer does not answer just now.
            Err(error) if error.reason() == Reason::GateUnavailable => {}
            Ok(_) | Err(_) => return "the token has ended",
        }
    }
}

/// Answers the client as the pod did. Where that accepts the connection, a task copies its bytes.
fn join(
    mut response: Response<Body>,
    client: OnUpgrade,
    slot: ClientSlot,
    ended: impl Future<Output = &'static str> + Send + 'static,
) -> Response<Body> {
    if response.status() != StatusCode::SWITCHING_PROTOCOLS {
        return response;
    }
    let pod = hyper::upgrade::on(&mut response);
    tokio::spawn(async move {
        let _slot = slot;
        match tokio::try_join!(client, pod) {
            Ok((client, pod)) => {
                let (client, pod) = (TokioIo::new(client), TokioIo::new(pod));
                let why = tunnel::run(client, pod, IDLE_TIME, ended).await;
                tracing::debug!(why, "a client of the DevTools protocol has gone");
            }
            Err(error) => tracing::debug!(%error, "a client was not connected"),
        }
    });
    let mut answer = Response::new(Body::empty());
    *answer.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    for name in ACCEPTANCE_HEADERS {
        if let Some(value) = response.headers().get(name) {
            answer.headers_mut().insert(name, value.clone());
        }
    }
    answer
}

fn check_is_websocket(request: &Request<Body>) -> Result<()> {
    let upgrade = request.headers().get(header::UPGRADE);
    let is_websocket = request.method() == Method::GET
        && request.version() == Version::HTTP_11
        && upgrade.is_some_and(|name| name.as_bytes().eq_ignore_ascii_case(b"websocket"));
    if is_websocket {
        return Ok(());
    }
    let message = "the path is that of a WebSocket of the DevTools protocol";
    let hint = "Connect to it with Playwright, Puppeteer or another client, by HTTP/1.1";
    Err(Error::new(Reason::RequestInvalid, message).with(HINT_KEY, hint))
}

fn not_found() -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NOT_FOUND;
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_names_a_session_or_an_address() {
        let session = |name: Option<&str>| Some(ClientPath::Session(name.map(str::to_owned)));
        assert_eq!(ClientPath::read("/cdp"), session(None));
        assert_eq!(ClientPath::read("/cdp/"), session(None));
        assert_eq!(ClientPath::read("/cdp/work"), session(Some("work")));
        assert_eq!(ClientPath::read("/cdp/work/"), session(Some("work")));
        let address = ClientPath::Address {
            pod: PodUid::new("7a-1").expect("a uid"),
            capability: "cdp_0f".to_owned(),
        };
        assert_eq!(ClientPath::read("/cdp/7a-1/cdp_0f"), Some(address));
        for path in ["/", "/cdpa", "/cdp//a", "/cdp/a/b/c", "/cdp/a/../b", "/cdp/-a/b", "/x/cdp"] {
            assert_eq!(ClientPath::read(path), None, "{path}");
        }
    }
}
