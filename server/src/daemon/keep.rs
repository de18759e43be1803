//! What goes on while the daemon serves: the browser is started, and the state
//! file stays where commands look for it.

use std::{
    path::Path,
    sync::Arc,
    time::{Duration, SystemTime},
};

use browse_proto::Reason;
use tokio::time::Instant;

use super::{
    Daemon, Ending, Project,
    state_file::{self, State, StateFile},
};
use crate::{
    chromium::{Browser, BrowserOptions, LaunchOptions, Spares},
    engine,
    error::Error,
    guardian::Guardian,
    sessions::{BrowserState, keep_sessions},
};

/// How often the state file is looked at.
const LOOK: Duration = Duration::from_millis(500);

/// Time without a call after which a daemon whose browser does not start ends.
const ALONE: Duration = Duration::from_secs(1);

/// Keeps the browser running, what its sessions hold, and the state file. Goes on
/// until it is aborted, which removes the file.
pub async fn keep(daemon: Arc<Daemon>, guardian: Arc<Guardian>, state: StateFile) {
    let runs = |browser: &Browser| {
        if let Err(error) = state.update(&describe(&daemon, Some(browser))) {
            tracing::warn!(%error, "the state file does not name the browser");
        }
    };
    tokio::join!(
        keep_browser(&daemon, Some(guardian), runs),
        keep_sessions(Arc::clone(daemon.sessions())),
        restore(&daemon, &state),
    );
}

/// Starts the browser, and starts it anew when it ends: sessions, pairings and grants
/// outlive it. `runs` is called with each.
pub async fn keep_browser(
    daemon: &Daemon,
    guardian: Option<Arc<Guardian>>,
    runs: impl Fn(&Browser),
) {
    let slot = daemon.sessions().slot();
    let mut is_first = true;
    loop {
        let running = launch(daemon, guardian.as_ref(), is_first).await;
        is_first = false;
        tracing::info!(info = ?running.info(), "the browser runs");
        runs(&running);
        slot.set(BrowserState::Running(Arc::clone(&running)));
        let reason = running.gone().await;
        if daemon.is_ending() {
            return;
        }
        let tabs = daemon.sessions().tabs().len();
        tracing::error!(%reason, tabs, "the browser is gone");
        daemon.sessions().lose_browser(&reason);
        slot.explain(&reason);
        running.close().await;
        slot.rested().await;
    }
}

/// What the state file says of `daemon`.
pub fn describe<'a>(daemon: &'a Daemon, browser: Option<&Browser>) -> State<'a> {
    State {
        pid: std::process::id(),
        address: daemon.address().to_string(),
        token: daemon.authority().root_token(),
        started_at: timestamp(daemon.started_at()),
        build_id: daemon.build_id().to_owned(),
        browser: browser.map(|browser| state_file::Browser {
            pid: browser.info().pid,
            program: browser.info().executable.clone(),
        }),
    }
}

fn timestamp(time: SystemTime) -> String {
    humantime::format_rfc3339_millis(time).to_string()
}

/// Starts the browser while the daemon already serves. A start that failed is
/// tried again when somebody asks: the cause may have been mended.
async fn launch(daemon: &Daemon, guardian: Option<&Arc<Guardian>>, is_first: bool) -> Arc<Browser> {
    let slot = daemon.sessions().slot();
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
        slot.set(BrowserState::Failed(error, Instant::now()));
        tokio::select! {
            () = slot.wanted_again() => {}
            () = left_alone(daemon), if is_first => {
                daemon.end(Ending::NoBrowser);
                // The end aborts this.
                std::future::pending::<()>().await;
            }
        }
    }
}

/// Waits until nobody calls any more. A daemon without a browser serves nobody by
/// staying: the next one reads the settings anew, those of the environment too.
async fn left_alone(daemon: &Daemon) {
    if daemon.settings().no_browser {
        std::future::pending::<()>().await;
    }
    while daemon.idle() < ALONE {
        tokio::time::sleep(LOOK).await;
    }
}

/// Writes the state file again when it is gone. Whoever cleans a checkout
/// (`git clean -fdx`) takes it along, and without it no command would find the
/// daemon again.
async fn restore(daemon: &Daemon, state: &StateFile) {
    let mut look = tokio::time::interval(LOOK);
    loop {
        look.tick().await;
        if state.is_lost() {
            let browser = match daemon.sessions().slot().state() {
                BrowserState::Running(browser) => Some(browser),
                _ => None,
            };
            let folder = super::life::folder(daemon.settings());
            let written = Project::prepare(&folder)
                .and_then(|_| state.update(&describe(daemon, browser.as_deref())));
            if let Err(error) = written {
                tracing::warn!(%error, "the state file is gone and cannot be written again");
            }
        }
    }
}

/// How the browser of `daemon` is started; `doctor` uses the same.
pub fn browser_options(daemon: &Daemon, guardian: Option<Arc<Guardian>>) -> BrowserOptions {
    let settings = daemon.settings();
    BrowserOptions {
        launch: LaunchOptions {
            executable: settings.chromium.clone(),
            extra_args: settings.chromium_args.clone(),
            guardian,
            downloads: daemon.sessions().downloads().folder().map(Path::to_owned),
            ..LaunchOptions::default()
        },
        dialogs: settings.dialogs,
        spares: Spares { free: true, restricted: true },
        first_script: Some(&engine::FIRST),
        warm_script: Some(&engine::SCRIPT),
        max_windows: settings.max_windows,
        sink: daemon.sessions().ear(),
        ..BrowserOptions::default()
    }
}
