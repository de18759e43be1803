//! How a session gets into a browser that runs already.

use std::sync::Arc;

use super::{Daemon, browser_options};
use browse_base::Result;
use browse_chromium::{Browser, BrowserOptions, CdpAddress, SpareOptions};
use browse_sessions::Session;

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
