//! What a token of the edge allows: commands by its scopes, and sessions.

use browse_base::{Error, HINT_KEY, Result};
use browse_fleet::{CallerRole, SessionScope};
use browse_proto::{Reason, Scope, metadata};
use http::HeaderMap;

use super::CallBody;
use crate::auth::AuthenticatedCaller;

/// Refuses `what` to a caller without `scope`.
///
/// # Errors
/// `SCOPE_DENIED`.
pub fn require_scope(caller: &AuthenticatedCaller, what: &str, scope: Scope) -> Result<()> {
    let required = scope.name();
    if caller.scopes.iter().any(|held| held == required) {
        return Ok(());
    }
    let message = format!("{what} needs the `{required}` scope");
    Err(Error::new(Reason::ScopeDenied, message)
        .with("required", required)
        .with("held", caller.scopes.join(","))
        .with(HINT_KEY, format!("Get a token with the scope `{required}` from your issuer")))
}

/// As what the caller acts. A call may say that it is a person's at a dashboard: the person opens it
/// with a token that has the scope `control`, as on one machine, and agents have none.
pub fn role_of(caller: &AuthenticatedCaller, headers: &HeaderMap) -> CallerRole {
    let holds_control = caller.scopes.iter().any(|held| held == Scope::Control.name());
    match headers.contains_key(metadata::DASHBOARD) && holds_control {
        true => CallerRole::Person,
        false => CallerRole::Program,
    }
}

/// The session of a call: the one that it names, else the one of its token.
///
/// # Errors
/// `SESSION_DENIED`: the token is for another one.
pub fn session_of(caller: &AuthenticatedCaller, body: &CallBody) -> Result<String> {
    let named = body.session();
    match &caller.session {
        SessionScope::Any => Ok(named.unwrap_or("default").to_owned()),
        SessionScope::Only(own) if named.is_none_or(|named| named == own) => Ok(own.clone()),
        SessionScope::Only(_) => {
            let message = "the token is good for another session alone";
            Err(Error::new(Reason::SessionDenied, message))
        }
    }
}
