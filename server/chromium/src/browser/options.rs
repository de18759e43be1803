//! How a browser behaves once it runs.

use std::sync::Arc;
use std::time::Duration;

use super::spare::SpareOptions;
use crate::emulation::viewport::Viewport;
use crate::launch::options::LaunchOptions;
use crate::page::dialogs::DialogPolicy;
use crate::page::event::{EventSink, NoSink};
use crate::world::world::InjectedScript;

/// Windows that the pages of a context may have open.
pub const MAX_WINDOWS: usize = 100;

/// How long a question of a page waits for its answer.
pub const DIALOG_TIMEOUT: Duration = Duration::from_secs(60);

/// Everything a browser is started with.
#[derive(Clone)]
pub struct BrowserOptions {
    /// The process.
    pub launch: LaunchOptions,
    /// What happens to questions.
    pub dialog_policy: DialogPolicy,
    /// How long a question is held before it is dismissed.
    pub dialog_timeout: Duration,
    /// Default size of new pages.
    pub viewport: Viewport,
    /// Contexts kept ready for [`Browser::lease`](super::browser::Browser::lease).
    pub spare_options: SpareOptions,
    /// Runs in its own world before the scripts of every document.
    pub preload_script: Option<&'static InjectedScript>,
    /// Injected into the empty tab of a spare, whose process then has it
    /// compiled when the first real document wants it.
    pub warm_up_script: Option<&'static InjectedScript>,
    /// Windows that the pages of a context may have open; those that were asked for by
    /// a command do not count.
    pub max_windows: usize,
    /// Hears of console lines, requests, dialogs, new pages.
    pub sink: Arc<dyn EventSink>,
}

impl Default for BrowserOptions {
    fn default() -> Self {
        Self {
            launch: LaunchOptions::default(),
            dialog_policy: DialogPolicy::default(),
            dialog_timeout: DIALOG_TIMEOUT,
            viewport: Viewport::default(),
            spare_options: SpareOptions::default(),
            preload_script: None,
            warm_up_script: None,
            max_windows: MAX_WINDOWS,
            sink: Arc::new(NoSink),
        }
    }
}
