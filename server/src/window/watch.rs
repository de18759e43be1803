//! Watches a window: keeps what its session is, and brings the session back
//! when the window is closed, or its browser ends.

use std::{
    sync::{Arc, Weak},
    time::Duration,
};

use super::Window;
use crate::{daemon::Daemon, sessions::Place};

/// Time between two looks.
const LOOK: Duration = Duration::from_secs(1);

/// Watches `window` until it is closed.
pub(super) fn start(daemon: &Arc<Daemon>, window: &Arc<Window>) {
    let (daemon, window) = (Arc::downgrade(daemon), Arc::clone(window));
    tokio::spawn(async move { watch(&daemon, &window).await });
}

async fn watch(daemon: &Weak<Daemon>, window: &Arc<Window>) {
    let mut place = window.session().place();
    let browser = window.context().browser();
    let why = loop {
        tokio::select! {
            reason = browser.gone() => break format!("its browser ended ({reason})"),
            _ = place.wait_for(|place| *place == Place::Left) => break "it was closed".to_owned(),
            () = tokio::time::sleep(LOOK) => {}
        }
        if *window.closed.lock().await {
            return;
        }
        window.remember().await;
    };
    let Some(daemon) = daemon.upgrade() else { return };
    daemon.touch();
    let name = window.session().name();
    let returned = match daemon.windows().close(window).await {
        Ok(Some(returned)) => returned,
        // Somebody asked for it meanwhile.
        Ok(None) => return,
        Err(error) => return tracing::error!(%error, "the tabs of a window are lost"),
    };
    let count = window.session().tabs().len();
    tracing::info!(%why, count, "a window is gone");
    let handed = window.terms().handoff.is_some();
    if handed {
        daemon.windows().finished().insert(name.to_owned(), returned.changes);
    }
    let tabs = if count == 1 { "its tab is".to_owned() } else { format!("its {count} tabs are") };
    let next = if handed { "; `browse resume` tells what changed" } else { "" };
    daemon.tell(format!(
        "the window of the session `{name}` is gone: {why}; {tabs} back in the hidden browser{next}"
    ));
}
