//! A session in a browser that runs already.

use std::sync::Arc;

use browse_proto::{Reason, v1};

use crate::{daemon::attach_session, dispatch::CallContext};
use browse_base::{Error, HINT_KEY, Result, quote};
use browse_chromium::CdpAddress;
use browse_sessions::{Attachment, Tab};

/// Puts the session into the browser that runs at `address`.
pub async fn connect(
    cx: &CallContext,
    address: &str,
    gives_consent: bool,
) -> Result<v1::ConnectResponse> {
    // It acts with the logins of a person.
    if !cx.is_root() {
        let message = format!("`{}` may not use the browser of a person", cx.client());
        return Err(Error::new(Reason::ScopeDenied, message));
    }
    let address: CdpAddress = address.parse().map_err(|expected: String| {
        let message = format!("`--cdp` names no browser: {expected}");
        Error::new(Reason::ArgumentInvalid, message).with("command", "connect")
    })?;
    let session = cx.session()?;
    session.wait_until_settled().await;
    if session.is_kept() {
        let message = format!("the session `{}` is kept, and stays here", session.name());
        let hint = "Connect another session: `browse --session other connect --cdp channel:chrome`";
        return Err(Error::new(Reason::SessionRestricted, message).with(HINT_KEY, hint));
    }
    let name = address.to_string();
    // Ends with the call: a browser that answers later gets no session of a caller who is gone.
    let browser = attach_session(cx.daemon(), &session, &address, gives_consent).await?;
    let summary = format!(
        "the session is in {} ({name}) and has no tab yet: `browse goto` opens one, \
         `browse adopt ADDRESS` takes one of its person, `browse disconnect` ends this",
        quote(&browser.info().product),
    );
    Ok(v1::ConnectResponse { summary, tabs: Vec::new() })
}

/// Brings the session back from the browser that ran already.
pub async fn disconnect(cx: &CallContext) -> Result<v1::DisconnectResponse> {
    let session = cx.session()?;
    let tabs = tokio::spawn(async move { session.detach().await });
    let failed = |error| Error::new(Reason::Bug, format!("the end did not come: {error}"));
    let summary = match tabs.await.map_err(failed)? {
        0 => "the session has left the browser, in which it had no tab".to_owned(),
        1 => "the session has left the browser, and its tab there".to_owned(),
        tabs => format!("the session has left the browser, and its {tabs} tabs there"),
    };
    Ok(v1::DisconnectResponse { summary, tabs: Vec::new() })
}

/// Takes a tab that the person of the browser has open.
pub async fn adopt_tab(cx: &CallContext, address: &str) -> Result<Arc<Tab>> {
    if !cx.is_root() {
        let message = format!("`{}` may not take a tab of a person", cx.client());
        return Err(Error::new(Reason::ScopeDenied, message));
    }
    let session = cx.session()?;
    session.wait_until_settled().await;
    let Attachment::Browser { browser, .. } = session.attachment() else {
        session.ensure_attached().await?;
        let message = format!("the session `{}` is in browse's own browser", session.name());
        let hint = "Connect it first: `browse connect --cdp channel:chrome`";
        return Err(Error::new(Reason::NotConnected, message).with(HINT_KEY, hint));
    };
    session.ensure_attached().await?;
    let taken = browser.take_tab(address.trim()).await?;
    let tab = session.adopt_attached(Arc::clone(taken.page()))?;
    taken.keep();
    Ok(tab)
}
