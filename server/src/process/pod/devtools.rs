//! Clients of the DevTools protocol, whose connections the gateway passes on: by the capability of
//! an address that the pod gave out, or by the token of a caller and the name of a session.

use std::time::Duration;

use browse_base::{Error, Result};
use browse_fleet::{DEVTOOLS_PATH, LIFETIME_HEADER};
use browse_policy::{
    Listener, check,
    layer::{bearer_token, error_reply},
};
use browse_proto::{Command, Reason, metadata};
use browse_sessions::{SessionName, SessionRules};
use http::{HeaderMap, Request, Response};
use tonic::body::Body;

use super::Pod;
use crate::{devtools::AddressTerms, handlers::control::check_devtools_client};

/// The longest that a client is connected by one token.
const MAX_LIFETIME: Duration = Duration::from_secs(24 * 3600);

/// Whether a path is for clients of the DevTools protocol.
pub fn is_client_path(path: &str) -> bool {
    let rest = path.strip_prefix(DEVTOOLS_PATH);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Answers a request for a WebSocket that is meant for this pod and its tenant.
pub async fn answer(pod: &Pod, request: Request<Body>) -> Response<Body> {
    let capability = request.uri().path().strip_prefix(DEVTOOLS_PATH).unwrap_or_default();
    let capability = capability.trim_start_matches('/').to_owned();
    if !capability.is_empty() {
        return pod.daemon.devtools().connect(&capability, request).await.map(Body::new);
    }
    let headers = request.headers().clone();
    connect(pod, request).await.unwrap_or_else(|error| error_reply(&headers, error))
}

/// Connects a caller who may call `cdp-url`, as a call of that command would be checked.
async fn connect(pod: &Pod, mut request: Request<Body>) -> Result<Response<Body>> {
    let daemon = &pod.daemon;
    let command = Command::by_name("cdp-url")
        .ok_or_else(|| Error::new(Reason::Bug, "there is no command `cdp-url`"))?;
    let token = bearer_token(&request)?;
    let grant = daemon.authority().identify(token.as_deref(), Listener::Gateway)?;
    let permit = check(&grant, command, Listener::Gateway)?;
    let capability = permit.capability();
    check_devtools_client(daemon, capability)?;
    let name = session_name(request.headers())?;
    let lifetime = lifetime(request.headers());
    if let Some(fleet) = daemon.fleet_sessions() {
        fleet.open(name.as_str(), &capability.client, &SessionRules::unrestricted()).await?;
    }
    let session = daemon.sessions().get_or_open(&name, &capability.client);
    if session.is_attached() {
        let message = format!("the session `{name}` is in a browser of a person");
        return Err(Error::new(Reason::ForeignBrowser, message));
    }
    session.mark_used();
    request.headers_mut().remove(http::header::AUTHORIZATION);
    let terms = AddressTerms { session, lifetime, working_directory: None };
    Ok(daemon.devtools().connect_once(terms, request).await?.map(Body::new))
}

fn session_name(headers: &HeaderMap) -> Result<SessionName> {
    let name = headers.get(metadata::SESSION).and_then(|name| name.to_str().ok());
    let name = name.ok_or_else(|| {
        let message = "the request names no session";
        Error::new(Reason::ArgumentInvalid, message).with("command", "cdp-url")
    })?;
    name.parse()
}

/// How long the token of the caller is good at the gateway.
fn lifetime(headers: &HeaderMap) -> Duration {
    let left = headers.get(LIFETIME_HEADER).and_then(|left| left.to_str().ok());
    let left = left.and_then(|left| left.parse().ok()).map(Duration::from_secs);
    left.map_or(MAX_LIFETIME, |left| left.min(MAX_LIFETIME))
}

#[cfg(test)]
mod tests {
    use super::is_client_path;

    #[test]
    fn only_paths_of_clients_are_theirs() {
        assert!(is_client_path("/cdp") && is_client_path("/cdp/") && is_client_path("/cdp/cdp_a"));
        assert!(!is_client_path("/cdpa") && !is_client_path("/") && !is_client_path("/fleet/cdp"));
    }
}
