//! What goes on while the daemon serves: the browser is started, and the state
//! file stays where commands look for it.

use std::{
    path::Path,
    sync::{Arc, OnceLock},
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
    sessions::BrowserState,
};

/// How often the state file is looked at.
const LOOK: Duration = Duration::from_millis(500);

/// Time without a call after which a daemon whose browser does not start ends.
const ALONE: Duration = Duration::from_secs(1);

/// Starts the browser, and keeps the state file. Goes on until it is aborted,
/// which removes the file.
pub async fn keep(daemon: Arc<Daemon>, guardian: Arc<Guardian>, state: StateFile) {
    let browser = OnceLock::new();
    let start = async {
        let running = launch(&daemon, &guardian).await;
        tracing::info!(info = ?running.info(), "the browser runs");
        if let Err(error) = state.update(&describe(&daemon, Some(&running))) {
            tracing::warn!(%error, "the state file does not name the browser");
        }
        daemon.sessions().slot().set(BrowserState::Running(Arc::clone(&running)));
        let running = browser.get_or_init(|| running);
        let reason = running.gone().await;
        if !daemon.is_ending() {
            let tabs = daemon.sessions().tabs().len();
            tracing::error!(%reason, tabs, "the browser is gone");
            daemon.end(Ending::BrowserGone);
        }
    };
    tokio::join!(start, restore(&daemon, &state, &browser));
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
async fn launch(daemon: &Daemon, guardian: &Arc<Guardian>) -> Arc<Browser> {
    let slot = daemon.sessions().slot();
    loop {
        let error = if daemon.settings().no_browser {
            let message = "the daemon was started without a browser";
            Error::new(Reason::BrowserMissing, message).with("install", "unset BROWSE_NO_BROWSER")
        } else {
            match Browser::launch(browser_options(daemon, Some(Arc::clone(guardian)))).await {
                Ok(browser) => return browser,
                Err(fault) => fault.into(),
            }
        };
        tracing::error!(%error, "the browser does not start");
        slot.set(BrowserState::Failed(error, Instant::now()));
        tokio::select! {
            () = slot.wanted_again() => {}
            () = left_alone(daemon) => {
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
async fn restore(daemon: &Daemon, state: &StateFile, browser: &OnceLock<Arc<Browser>>) {
    let mut look = tokio::time::interval(LOOK);
    loop {
        look.tick().await;
        if state.is_lost() {
            let browser = browser.get().map(Arc::as_ref);
            let folder = super::life::folder(daemon.settings());
            let written =
                Project::prepare(&folder).and_then(|_| state.update(&describe(daemon, browser)));
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
