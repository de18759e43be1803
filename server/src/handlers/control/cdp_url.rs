//! Gives out addresses for clients of the DevTools protocol.

use std::time::{Duration, SystemTime};

use browse_base::{Error, Result};
use browse_policy::ClientKind;
use browse_proto::{Reason, v1};
use browse_sessions::DisplayMode;

use crate::{devtools::AddressTerms, dispatch::CallContext, ttl};

/// How long an address is good when the caller does not say.
const DEFAULT_LIFETIME: Duration = Duration::from_secs(3600);

/// The longest that one is good.
const MAX_LIFETIME: Duration = Duration::from_secs(24 * 3600);

/// Makes an address, or ends those of the session.
pub async fn cdp_url(cx: &CallContext, request: v1::CdpUrlRequest) -> Result<v1::CdpUrlResponse> {
    // Its holder reads and acts without the guards.
    if !cx.is_root() {
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
    // The setting of the owner: a client passes on what it reads.
    if cx.daemon().egress().mode(ClientKind::Root).needs_approval() {
        return Err(Error::new(Reason::CdpUrlDenied, "egress is set to `block` or `ask`"));
    }
    cx.ensure_own_browser()?;
    let session = cx.session()?;
    if *session.watch_display_mode().borrow() != DisplayMode::Headless {
        return Err(Error::new(Reason::HandedOff, "a person has the session in a window"));
    }
    let name = session.name().to_owned();
    let working_directory = cx.cwd().map_or_else(std::env::temp_dir, |cwd| cwd.to_owned());
    let (url, _) = devtools.issue(AddressTerms { session, lifetime, working_directory }).await?;
    cx.add_notice("its clients read pages without the guard, and what they read is not tracked");
    let expires = humantime::format_rfc3339_seconds(SystemTime::now() + lifetime).to_string();
    Ok(v1::CdpUrlResponse { url: Some(url), session: name, expires: Some(expires), outcome: None })
}
