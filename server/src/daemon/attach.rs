//! How a session gets into a browser that runs already.

use std::sync::Arc;

use super::{Daemon, browser_options};
use browse_base::Result;
use browse_chromium::{Browser, BrowserOptions, CdpAddress, SpareOptions};
use browse_sessions::{Attachment, Session, SessionName};

/// Puts `session` into the browser at `address`.
///
/// # Errors
/// As [`crate::attached::BrowserAttacher::attach`].
pub async fn attach_session(
    daemon: &Arc<Daemon>,
    session: &Arc<Session>,
    address: &CdpAddress,
    gives_consent: bool,
) -> Result<Arc<Browser>> {
    let options = BrowserOptions {
        sink: daemon.sessions().headed_event_handler(session),
        spare_options: SpareOptions::default(),
        ..browser_options(daemon, daemon.guardian().cloned())
    };
    daemon.attacher().attach(session, address, options, gives_consent).await
}

/// Puts the session `default` into the browser of the setting `cdp_url`. Where that fails,
/// its callers get the reason, and not another browser.
pub async fn attach_default_session(daemon: &Arc<Daemon>) {
    let Some(address) = &daemon.settings().cdp_url else { return };
    let name = SessionName::default_session();
    let Some(session) = daemon.sessions().get(name.as_str()) else { return };
    if let Err(error) = attach_session(daemon, &session, address, false).await {
        tracing::error!(%error, "the session `default` is in no browser");
        session.attach(Attachment::Failed(error));
    }
}
