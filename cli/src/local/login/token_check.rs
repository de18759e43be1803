//! One call before a token is kept: what a gateway refuses is of no use later.

use std::time::Duration;

use browse_proto::Reason;

use crate::{
    call, connect,
    failure::{Failure, Result},
    fleet_remote::FleetRemote,
    globals::Globals,
    oidc::ClientRegistration,
};

/// The command that is called: every token may.
const COMMAND: &str = "whoami";

/// What a gateway answers after it has accepted the token: the tenant has no session yet, the
/// token is narrow, or the pod is not there.
const AFTER_TOKEN: &[Reason] = &[
    Reason::SessionNotFound,
    Reason::SessionDenied,
    Reason::SessionLost,
    Reason::ScopeDenied,
    Reason::PodUnreachable,
    Reason::PodDraining,
];

/// Checks the token of `fleet` with its gateway. `registration` is the client whose token it is,
/// when an issuer has just made it.
///
/// # Errors
/// The gateway does not answer, or does not accept the token.
pub fn check(
    name: &str,
    fleet: &FleetRemote,
    registration: Option<&ClientRegistration>,
    time: Duration,
) -> Result<()> {
    let globals = Globals { timeout: Some(time), ..Globals::default() };
    let daemon = connect::connect_gateway(fleet, name, Some(time))?;
    let Err(broken) = call::send_by_name(COMMAND, &globals, daemon) else { return Ok(()) };
    let failure = broken.failure;
    if AFTER_TOKEN.iter().any(|reason| failure.has_reason(*reason)) {
        return Ok(());
    }
    let is_token = failure.has_reason(Reason::TokenInvalid);
    if !is_token && !failure.has_reason(Reason::TokenExpired) {
        return Err(failure);
    }
    let reason = if is_token { Reason::TokenInvalid } else { Reason::TokenExpired };
    let message = format!("the gateway does not accept the token: {}", failure.message);
    Err(Failure::new(reason, message).with_hint(hint(registration)))
}

fn hint(registration: Option<&ClientRegistration>) -> String {
    let Some(ClientRegistration { issuer, client_id, audience, .. }) = registration else {
        return "Pass a token that was made for this fleet; nothing was stored".to_owned();
    };
    let audience = audience.as_ref().map(|audience| format!(" for the audience `{audience}`"));
    let audience = audience.unwrap_or_default();
    format!(
        "Have the client `{client_id}` of `{issuer}` get tokens{audience} with the claims of docs/fleet.md; nothing was stored"
    )
}
