//! Watches a window: keeps what its session is, and brings the session back
//! when the window is closed, or its browser ends.

use std::{
    sync::{Arc, Weak},
    time::Duration,
};

use super::{CloseInitiator, SessionWindow, Windows};
use browse_sessions::DisplayMode;

/// Time between two looks.
const SAVE_INTERVAL: Duration = Duration::from_secs(1);

/// Every so many looks the databases are read, too.
const LOOKS_PER_DATABASE_SAVE: u32 = 5;

/// Watches `window` until it is closed.
pub(super) fn spawn_watch(windows: &Arc<Windows>, window: &Arc<SessionWindow>) {
    let (windows, window) = (Arc::downgrade(windows), Arc::clone(window));
    tokio::spawn(async move { watch(&windows, &window).await });
}

async fn watch(windows: &Weak<Windows>, window: &Arc<SessionWindow>) {
    let mut place = window.session().watch_display_mode();
    let browser = window.context().browser();
    let mut looks = 0_u32;
    loop {
        tokio::select! {
            _ = place.wait_for(|place| *place == DisplayMode::WindowClosed) => break,
            () = tokio::time::sleep(SAVE_INTERVAL) => {}
        }
        if *window.closed.lock().await {
            return;
        }
        // Both may have come about before anybody watched.
        if browser.is_gone() || window.session().tabs().is_empty() {
            window.session().mark_window_closed();
            break;
        }
        looks = looks.wrapping_add(1);
        window.save_state(looks.is_multiple_of(LOOKS_PER_DATABASE_SAVE)).await;
    }
    let why = match browser.is_gone() {
        true => format!("its browser ended ({})", browser.wait_gone().await),
        false => "it was closed".to_owned(),
    };
    let Some(windows) = windows.upgrade() else { return };
    windows.idle_timer.reset();
    let name = window.session().name();
    match windows.close(window, CloseInitiator::Window).await {
        Ok(Some(_)) => {}
        // Somebody asked for it meanwhile.
        Ok(None) => return,
        Err(error) => return tracing::error!(%error, "the tabs of a window are lost"),
    }
    let count = window.session().tabs().len();
    tracing::info!(%why, count, "a window is gone");
    let handed = window.purpose().handoff.is_some();
    let tabs = if count == 1 { "its tab is".to_owned() } else { format!("its {count} tabs are") };
    let next = if handed { "; `browse resume` tells what changed" } else { "" };
    windows.notices.add(format!(
        "the window of the session `{name}` is gone: {why}; {tabs} back in the hidden browser{next}"
    ));
}
