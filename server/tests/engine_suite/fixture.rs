//! A browser with one tab and its engine.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use browse_chromium::{Browser, BrowserContext, ContextOptions, Page};
use browse_engine::{
    ActionReceipt, Click, Engine, Error, RefNumbers, RefusalKind, Result, Snapshot,
    SnapshotOptions, Target,
};
use serde_json::Value;
use tokio::time::Instant;

use crate::shared_browser::{EngineEvents, engine_options, shared_browser};
use crate::support::browser::{goto, js, trace_wire};
use crate::support::site::Site;

pub struct Tab {
    /// Of a test that has a browser of its own.
    _own_browser: Option<Arc<Browser>>,
    pub context: BrowserContext,
    pub page: Arc<Page>,
    pub engine: Arc<Engine>,
    pub numbers: Arc<RefNumbers>,
    pub site: Site,
}

impl Drop for Tab {
    fn drop(&mut self) {
        if self._own_browser.is_none() {
            // The runtime of the test ends now.
            shared_browser().runtime.spawn(self.context.clone().dispose());
        }
    }
}

impl Tab {
    /// A tab that shows one page.
    pub async fn show(html: &str) -> Self {
        Self::visit(Site::start().await.page("/", html)).await
    }

    /// A tab that shows the first page of a site.
    pub async fn visit(site: Site) -> Self {
        Self::visit_with(site, &ContextOptions::default()).await
    }

    /// The same in a context of its own kind.
    pub async fn visit_with(site: Site, context: &ContextOptions) -> Self {
        Self::start(site, context, None).await
    }

    /// The same in the full browser, which keeps pages for the way back.
    pub async fn visit_full(site: Site) -> Self {
        let full = Some("/usr/lib/chromium/chromium".into());
        Self::start(site, &ContextOptions::default(), full).await
    }

    async fn start(site: Site, context: &ContextOptions, executable: Option<PathBuf>) -> Self {
        trace_wire();
        let (own_browser, events) = match executable {
            None => (None, shared_browser().events.clone()),
            Some(executable) => {
                let events = EngineEvents::default();
                let mut options = engine_options(&events);
                options.launch.executable = Some(executable);
                (Some(Browser::launch(options).await.unwrap()), events)
            }
        };
        let browser = own_browser.as_ref().unwrap_or_else(|| &shared_browser().browser);
        let context = browser.new_context(context).await.unwrap();
        let page = context.new_page().await.unwrap();
        let numbers = Arc::new(RefNumbers::default());
        let engine = Arc::new(Engine::new(Arc::clone(&page), Arc::clone(&numbers), 1));
        events.add(&engine);
        let tab = Self { _own_browser: own_browser, context, page, engine, numbers, site };
        tab.goto("/").await;
        tab
    }

    pub async fn goto(&self, path: &str) {
        goto(&self.page, &self.site.url(path)).await;
    }

    /// Replaces the page.
    pub async fn goto_html(&self, html: &str) {
        let loader = self.page.set_content(html).await.unwrap();
        self.page.wait_for(&loader, browse_chromium::LoadState::Load).await.unwrap();
    }

    pub async fn js(&self, expression: &str) -> Value {
        js(&self.page, expression).await
    }

    pub async fn snapshot(&self, options: &SnapshotOptions) -> Snapshot {
        self.engine.snapshot(options).await.unwrap()
    }

    /// The whole tree as text.
    pub async fn tree(&self) -> String {
        self.snapshot(&SnapshotOptions::default()).await.text
    }

    /// What can be operated, as text.
    pub async fn controls(&self) -> String {
        self.snapshot(&SnapshotOptions { interactive: true, ..SnapshotOptions::default() })
            .await
            .text
    }

    pub async fn click(&self, text: &str) -> Result<ActionReceipt> {
        self.engine.click(&target(text), &Click::default(), in_seconds(10)).await
    }

    /// A click that is given up soon.
    pub async fn try_click(&self, text: &str) -> Result<ActionReceipt> {
        let deadline = Instant::now() + Duration::from_millis(400);
        self.engine.click(&target(text), &Click::default(), deadline).await
    }

    pub async fn fill(&self, text: &str, value: &str) -> Result<ActionReceipt> {
        let deadline = Instant::now() + Duration::from_millis(700);
        self.engine.fill(&target(text), value, deadline).await
    }

    /// The ref in the line of a snapshot that contains the text.
    pub async fn reference(&self, text: &str) -> String {
        let options = SnapshotOptions { cursor: true, ..SnapshotOptions::default() };
        let tree = self.snapshot(&options).await.text;
        let line = tree.lines().find(|line| line.contains(text));
        let line = line.unwrap_or_else(|| panic!("no line holds {text:?} in\n{tree}"));
        line.split_whitespace().next().unwrap().to_owned()
    }
}

pub fn target(text: &str) -> Target {
    text.parse().unwrap()
}

pub fn in_seconds(seconds: u64) -> Instant {
    Instant::now() + Duration::from_secs(seconds)
}

/// The kind of an error that must be one, and its message with what it quotes.
pub fn kind<T: std::fmt::Debug>(result: Result<T>) -> (RefusalKind, String) {
    let error: Error = result.unwrap_err();
    let kind = error.kind().unwrap_or_else(|| panic!("not a refusal: {error}"));
    (kind, error_text(&error))
}

/// What an error says: its message, and what it quotes of the page.
pub fn error_text(error: &Error) -> String {
    let quotes = error.page_texts().iter().map(|(about, text)| format!("; {about}: {text}"));
    format!("{error}{}", quotes.collect::<String>())
}
