//! Gives out addresses for clients of the DevTools protocol.

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use browse_base::{Error, HINT_KEY, Result};
use browse_policy::{Capability, ClientKind, SessionRule};
use browse_proto::{Reason, Scope, v1};
use browse_sessions::{DisplayMode, Session};

use crate::{daemon::Daemon, devtools::AddressTerms, dispatch::CallContext, ttl};

/// How long an address is good when the caller does not say.
const DEFAULT_LIFETIME: Duration = Duration::from_secs(3600);

/// The longest that one is good.
const MAX_LIFETIME: Duration = Duration::from_secs(24 * 3600);

/// Makes an address, or ends those of the session.
pub async fn cdp_url(cx: &CallContext, request: v1::CdpUrlRequest) -> Result<v1::CdpUrlResponse> {
    // Its holder reads and acts without the guards.
    if !cx.is_root() && !cx.is_of_fleet() {
        let message = format!("`{}` gets no address", cx.client());
        return Err(Error::new(Reason::ScopeDenied, message));
    }
    let devtools = cx.daemon().devtools();
    if request.revoke {
        let session = cx.session_name();
        let outcome = match devtools.revoke(&session) {
            0 => "there was no address".to_owned(),
            1 => "revoked 1 address".to_owned(),
            count => format!("revoked {count} addresses"),
        };
        return Ok(v1::CdpUrlResponse { session, outcome: Some(outcome), ..Default::default() });
    }
    let lifetime = request
        .ttl
        .as_deref()
        .map_or(Ok(DEFAULT_LIFETIME), |text| ttl::parse("cdp-url", text, MAX_LIFETIME))?;
    // An address must not be good for longer than the token that it was got with.
    let lifetime = cx.token_lifetime().map_or(lifetime, |left| left.min(lifetime));
    check_devtools_client(cx.daemon(), cx.capability())?;
    cx.ensure_own_browser()?;
    let session = cx.session()?;
    if *session.watch_display_mode().borrow() != DisplayMode::Headless {
        return Err(Error::new(Reason::HandedOff, "a person has the session in a window"));
    }
    let name = session.name().to_owned();
    let url = issue(cx, session, lifetime).await?;
    cx.add_notice("its clients read pages without the guard, and what they read is not tracked");
    let expires = humantime::format_rfc3339_seconds(SystemTime::now() + lifetime).to_string();
    Ok(v1::CdpUrlResponse { url: Some(url), session: name, expires: Some(expires), outcome: None })
}

/// Makes an address at the listener of this machine, or at the gateway that the call came by.
async fn issue(cx: &CallContext, session: Arc<Session>, lifetime: Duration) -> Result<String> {
    let devtools = cx.daemon().devtools();
    if !cx.is_of_fleet() {
        let folder = cx.cwd().map_or_else(std::env::temp_dir, |cwd| cwd.to_owned());
        let terms = AddressTerms { session, lifetime, working_directory: Some(folder) };
        return Ok(devtools.issue(terms).await?.0);
    }
    let address = cx.gateway_address().ok_or_else(|| {
        let message = "the gateway does not know at which address clients reach it";
        Error::new(Reason::SettingInvalid, message)
            .with("setting", "public_url")
            .with("place", "the settings of the gateway")
            .with(HINT_KEY, "Ask the operator to set `public_url` (docs/fleet.md)")
    })?;
    let terms = AddressTerms { session, lifetime, working_directory: None };
    let issued = devtools.issue_for_gateway(terms).await?;
    Ok(format!("{address}/{}", issued.capability))
}

/// Checks that the holder of a capability may act as a client of the DevTools protocol.
///
/// # Errors
/// `CDP_URL_DENIED` where egress needs approval. Of a caller of a fleet, `SCOPE_DENIED` without the
/// scope `admin`, and `SESSION_DENIED` for a token of one session.
pub fn check_devtools_client(daemon: &Daemon, capability: &Capability) -> Result<()> {
    // The setting of the owner: a client passes on what it reads.
    if daemon.egress().mode(ClientKind::Root).needs_approval() {
        return Err(Error::new(Reason::CdpUrlDenied, "egress is set to `block` or `ask`"));
    }
    if capability.is_root() {
        return Ok(());
    }
    // A client runs scripts and reads cookies.
    if !capability.scopes.allows(Scope::Admin) {
        let required = Scope::Admin.name();
        let message = format!("clients of the DevTools protocol need the `{required}` scope");
        return Err(Error::new(Reason::ScopeDenied, message)
            .with("required", required)
            .with("held", capability.scopes.names().join(",")));
    }
    match &capability.session {
        SessionRule::Any => Ok(()),
        SessionRule::Only(own) => {
            let message = format!(
                "clients of the DevTools protocol reach the clipboard, which all sessions share, \
                 and the token is for `{own}`"
            );
            let hint = "Use a token that is good for all sessions of the tenant";
            Err(Error::new(Reason::SessionDenied, message).with(HINT_KEY, hint))
        }
    }
}
