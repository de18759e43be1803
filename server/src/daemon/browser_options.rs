//! How the browser of a daemon is started.

use std::{path::Path, sync::Arc};

use super::Daemon;
use browse_chromium::{BrowserOptions, LaunchOptions, SpareOptions};
use browse_process::Guardian;

/// How the browser of `daemon` is started; `doctor` uses the same.
pub fn browser_options(daemon: &Daemon, guardian: Option<Arc<Guardian>>) -> BrowserOptions {
    let settings = daemon.settings();
    BrowserOptions {
        launch: LaunchOptions {
            executable: settings.chromium.clone(),
            extra_args: settings.chromium_args.clone(),
            user_agent: settings.user_agent,
            page_tools: settings.webmcp,
            guardian,
            downloads: daemon.sessions().downloads().folder().map(Path::to_owned),
            ..LaunchOptions::default()
        },
        dialog_policy: settings.dialogs,
        spare_options: SpareOptions { unrestricted: true, restricted: true },
        preload_script: Some(&browse_engine::PRELOAD_SCRIPT),
        warm_up_script: Some(&browse_engine::ENGINE_SCRIPT),
        max_windows: settings.max_windows,
        sink: daemon.sessions().event_handler(),
        ..BrowserOptions::default()
    }
}
