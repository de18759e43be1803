//! What goes on while the daemon serves: the browser is started, and the state
//! file stays where commands look for it.

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use browse_proto::Reason;
use tokio::time::Instant;

use super::state_file::{self, DaemonState, StateFile};
use crate::{
    daemon::{Daemon, ShutdownReason, attach_default_session, browser_options},
    project::Project,
};
use browse_base::Error;
use browse_chromium::Browser;
use browse_process::Guardian;
use browse_sessions::{BrowserState, keep_sessions};

/// How often the state file is looked at.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// Time without a call after which a daemon whose browser does not start ends.
const NO_BROWSER_IDLE_TIMEOUT: Duration = Duration::from_secs(1);

/// Keeps the browser running, what its sessions hold, and the state file. Goes on
/// until it is aborted, which removes the file.
pub async fn run_background_tasks(daemon: Arc<Daemon>, guardian: Arc<Guardian>, state: StateFile) {
    let runs = |browser: &Browser| {
        if let Err(error) = state.update(&daemon_state(&daemon, Some(browser))) {
            tracing::warn!(%error, "the state file does not name the browser");
        }
    };
    tokio::join!(
        supervise_browser(&daemon, Some(guardian), runs),
        keep_sessions(Arc::clone(daemon.sessions())),
        attach_default_session(&daemon),
        restore_state_file(&daemon, &state),
    );
}

/// Starts the browser, and starts it anew when it ends: sessions, pairings and grants
/// outlive it. `runs` is called with each.
pub async fn supervise_browser(
    daemon: &Daemon,
    guardian: Option<Arc<Guardian>>,
    runs: impl Fn(&Browser),
) {
    let slot = daemon.sessions().browser_handle();
    let mut is_first = true;
    loop {
        let running = launch_browser(daemon, guardian.as_ref(), is_first).await;
        is_first = false;
        tracing::info!(info = ?running.info(), "the browser runs");
        runs(&running);
        slot.set_state(BrowserState::Running(Arc::clone(&running)));
        let reason = running.wait_gone().await;
        if daemon.is_shutting_down() {
            return;
        }
        let tabs = daemon.sessions().tabs().len();
        tracing::error!(%reason, tabs, "the browser is gone");
        daemon.sessions().mark_browser_lost(&reason);
        slot.set_exit_reason(&reason);
        running.close().await;
        slot.wait_for_backoff().await;
    }
}

/// What the state file says of `daemon`.
pub fn daemon_state<'a>(daemon: &'a Daemon, browser: Option<&Browser>) -> DaemonState<'a> {
    DaemonState {
        pid: std::process::id(),
        address: daemon.address().to_string(),
        token: daemon.authority().root_token(),
        started_at: timestamp(daemon.started_at()),
        build_id: daemon.build_id().to_owned(),
        browser: browser.map(|browser| state_file::StateFileBrowser {
            pid: browser.info().pid,
            program: browser.info().executable.clone(),
        }),
    }
}

fn timestamp(time: SystemTime) -> String {
    humantime::format_rfc3339_millis(time).to_string()
}

/// Starts the browser while the daemon already serves. A start that failed is
/// tried again when somebody asks: the cause may have been fixed.
async fn launch_browser(
    daemon: &Daemon,
    guardian: Option<&Arc<Guardian>>,
    is_first: bool,
) -> Arc<Browser> {
    let slot = daemon.sessions().browser_handle();
    if is_first && daemon.settings().defer_browser {
        slot.defer().await;
    }
    loop {
        let error = if daemon.settings().no_browser {
            let message = "the daemon was started without a browser";
            Error::new(Reason::BrowserMissing, message).with("install", "unset BROWSE_NO_BROWSER")
        } else {
            match Browser::launch(browser_options(daemon, guardian.cloned())).await {
                Ok(browser) => return browser,
                Err(fault) => fault.into(),
            }
        };
        tracing::error!(%error, "the browser does not start");
        slot.set_state(BrowserState::Failed(error, Instant::now()));
        tokio::select! {
            () = slot.wait_for_retry() => {}
            () = wait_until_idle(daemon), if is_first => {
                daemon.shut_down(ShutdownReason::NoBrowser);
                // The end aborts this.
                std::future::pending::<()>().await;
            }
        }
    }
}

/// Waits until nobody calls any more. A daemon without a browser serves nobody by
/// staying: the next one reads the settings anew, those of the environment too.
async fn wait_until_idle(daemon: &Daemon) {
    if daemon.settings().no_browser {
        std::future::pending::<()>().await;
    }
    while daemon.idle_time() < NO_BROWSER_IDLE_TIMEOUT {
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

/// Writes the state file again when it is gone. Whoever cleans a checkout
/// (`git clean -fdx`) takes it along, and without it no command would find the
/// daemon again.
async fn restore_state_file(daemon: &Daemon, state: &StateFile) {
    let mut look = tokio::time::interval(POLL_INTERVAL);
    loop {
        look.tick().await;
        if state.is_lost() {
            let browser = match daemon.sessions().browser_handle().state() {
                BrowserState::Running(browser) => Some(browser),
                _ => None,
            };
            let folder = daemon.settings().state_folder();
            let written = Project::prepare(&folder)
                .and_then(|_| state.update(&daemon_state(daemon, browser.as_deref())));
            if let Err(error) = written {
                tracing::warn!(%error, "the state file is gone and cannot be written again");
            }
        }
    }
}
