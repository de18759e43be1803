//! A browser with one tab.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use browse_chromium::{
    Browser, BrowserContext, BrowserOptions, ContextOptions, EvaluateOptions, InjectedScript,
    LoadState, Navigated, Page,
};
use browse_process::Guardian;
use serde_json::Value;

use super::sink::Recorder;

/// An engine that counts how often it ran in its world.
pub static ENGINE: InjectedScript =
    InjectedScript { world_name: "test", script: "globalThis.runs = (globalThis.runs ?? 0) + 1;" };

/// A browser, a context, a tab, and what was reported.
pub struct Fixture {
    pub browser: Arc<Browser>,
    pub context: BrowserContext,
    pub page: Arc<Page>,
    pub recorder: Recorder,
}

/// The defaults, with the browser of `BROWSE_CHROMIUM` where that is set, and
/// with a guardian, so that a test that is killed leaves nothing behind.
pub fn options() -> BrowserOptions {
    static GUARDIAN: OnceLock<Arc<Guardian>> = OnceLock::new();
    let start = || Guardian::start(env!("CARGO_BIN_EXE_browsed")).unwrap();
    let mut options = BrowserOptions::default();
    options.launch.guardian = Some(Arc::clone(GUARDIAN.get_or_init(start)));
    options.launch.executable = std::env::var_os("BROWSE_CHROMIUM").map(Into::into);
    options
}

impl Fixture {
    pub async fn start() -> Self {
        Self::start_with(options()).await
    }

    /// The full browser instead of the headless shell.
    pub async fn start_full() -> Self {
        let mut options = options();
        options.launch.executable = Some("/usr/lib/chromium/chromium".into());
        Self::start_with(options).await
    }

    pub async fn start_with(mut options: BrowserOptions) -> Self {
        trace_wire();
        let recorder = Recorder::default();
        options.sink = Arc::new(recorder.clone());
        let browser = Browser::launch(options).await.unwrap();
        let context = browser.new_context(&ContextOptions::default()).await.unwrap();
        let page = context.new_page().await.unwrap();
        Self { browser, context, page, recorder }
    }

    /// Goes somewhere and waits for the load event.
    pub async fn goto(&self, url: &str) {
        goto(&self.page, url).await;
    }

    /// Evaluates in the page's own world of the main frame.
    pub async fn js(&self, expression: &str) -> Value {
        js(&self.page, expression).await
    }
}

/// Shows all protocol messages when TRACE_WIRE is set.
pub fn trace_wire() {
    if std::env::var_os("TRACE_WIRE").is_some() {
        let _ = tracing_subscriber::fmt()
            .with_env_filter("chromium::wire=trace")
            .with_writer(std::io::stderr)
            .try_init();
    }
}

pub async fn goto(page: &Page, url: &str) {
    match page.navigate(url).await.unwrap() {
        Navigated::Document(loader) => {
            page.wait_for(&loader, LoadState::Load).await.unwrap();
        }
        other => panic!("expected a document, got {other:?}"),
    }
}

pub async fn js(page: &Page, expression: &str) -> Value {
    let frame = page.main_frame().id;
    let call = page.evaluate(&frame, expression, EvaluateOptions::default()).unwrap();
    call.await.unwrap()
}

/// Fails a test that waits for something that does not come.
pub async fn soon<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(10), future).await.expect("it did not come")
}
