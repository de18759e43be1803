//! What a token of the edge allows: commands by its scopes, and sessions.

use browse_base::{Error, HINT_KEY, Result};
use browse_fleet::SessionScope;
use browse_proto::{Reason, Scope};

use super::CallBody;
use crate::auth::Caller;

/// Refuses `what` to a caller without `scope`.
///
/// # Errors
/// `SCOPE_DENIED`.
pub fn require_scope(caller: &Caller, what: &str, scope: Scope) -> Result<()> {
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

/// The session of a call: the one that it names, else the one of its token.
///
/// # Errors
/// `SESSION_DENIED`: the token is for another one.
pub fn session_of(caller: &Caller, body: &CallBody) -> Result<String> {
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
