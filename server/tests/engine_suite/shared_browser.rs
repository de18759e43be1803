//! One headless browser for all tests of the suite: each has a context of its own.

use std::sync::{Arc, OnceLock, PoisonError, RwLock, Weak};

use browse_chromium::{Browser, BrowserOptions, DialogPolicy, Event, EventSink};
use browse_engine::{Engine, PRELOAD_SCRIPT};
use tokio::runtime::Handle;

use crate::support::browser::options;

/// Hands the browser's events to the engines, as a daemon does. Each engine takes those
/// of its tab.
#[derive(Clone, Default)]
pub struct EngineEvents(Arc<RwLock<Vec<Weak<Engine>>>>);

impl EngineEvents {
    /// Hands events to `engine` for as long as it lives.
    pub fn add(&self, engine: &Arc<Engine>) {
        let mut engines = self.0.write().unwrap_or_else(PoisonError::into_inner);
        engines.retain(|engine| engine.strong_count() > 0);
        engines.push(Arc::downgrade(engine));
    }
}

impl EventSink for EngineEvents {
    fn event(&self, event: Event) {
        let engines = self.0.read().unwrap_or_else(PoisonError::into_inner);
        for engine in engines.iter().filter_map(Weak::upgrade) {
            engine.observe(&event);
        }
    }
}

/// The browser, with the runtime that reads its pipe: a test's own runtime ends with it.
pub struct SharedBrowser {
    pub browser: Arc<Browser>,
    pub events: EngineEvents,
    pub runtime: Handle,
}

/// The options of a browser whose events go to `events`.
pub fn engine_options(events: &EngineEvents) -> BrowserOptions {
    BrowserOptions {
        preload_script: Some(&PRELOAD_SCRIPT),
        sink: Arc::new(events.clone()),
        // Questions are the daemon's: without one nobody answers.
        dialog_policy: DialogPolicy::Accept,
        ..options()
    }
}

/// The browser of the suite, which starts with its first test. Its guardian ends it
/// with the process of the tests.
pub fn shared_browser() -> &'static SharedBrowser {
    static SHARED: OnceLock<SharedBrowser> = OnceLock::new();
    SHARED.get_or_init(|| {
        let start = || {
            let mut builder = tokio::runtime::Builder::new_multi_thread();
            let runtime = builder.worker_threads(1).enable_all().build().unwrap();
            let events = EngineEvents::default();
            let browser = runtime.block_on(Browser::launch(engine_options(&events))).unwrap();
            let handle = runtime.handle().clone();
            std::mem::forget(runtime);
            SharedBrowser { browser, events, runtime: handle }
        };
        // Within a runtime no other can be waited for.
        std::thread::spawn(start).join().unwrap()
    })
}
