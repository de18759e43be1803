//! Moving a tab to another browser: what it leaves with, and how another tab
//! takes it on.
//!
//! Storage is read and written in an isolated world of each frame, so that the
//! right partition is met, and no page can see or tamper with the scripts.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::time::{Instant, timeout, timeout_at};

use super::frames::Frame;
use super::navigate::Navigated;
use super::page::Page;
use super::state::LoadState;
use crate::connection::call::CdpCall;
use crate::connection::session::CdpSession;
use crate::error::Result;
use crate::world::world::InjectedScript;
use browse_base::Lock;

/// The world that the scripts run in.
static SNAPSHOT_WORLD: InjectedScript = InjectedScript { world_name: "browse carry", script: "" };

/// Time that a document gets to tell what it keeps, with the wait for an earlier question.
const READ_TIMEOUT: Duration = Duration::from_secs(1);

/// Frames of a page that are asked.
const MAX_FRAMES: usize = 50;

/// For how long documents of a page are given their storage: it is for those of
/// the first load, and not for what the page opens later.
const SEED_LIFETIME: Duration = Duration::from_secs(20);

/// Time that a document whose server has answered gets to be shown.
const COMMIT_TIMEOUT: Duration = Duration::from_secs(1);

/// Keys and values are answered as JSON in strings: they may hold half
/// surrogates, which only JavaScript can take apart.
const READ_SCRIPT: &str = r#"(main) => {
  const all = (name) => {
    try {
      const store = globalThis[name], pairs = [];
      for (let index = 0; index < store.length; index++) {
        const key = Storage.prototype.key.call(store, index);
        pairs.push([key, Storage.prototype.getItem.call(store, key)]);
      }
      return JSON.stringify(pairs);
    } catch { return null; }
  };
  const blank = main && location.href === "about:blank" && document.body;
  return JSON.stringify({
    origin: self.origin,
    main,
    local: all("localStorage"),
    session: all("sessionStorage"),
    html: blank && document.body.childNodes.length
      ? document.documentElement.outerHTML.toWellFormed() : null,
    scroll: [scrollX, scrollY],
  });
}"#;

/// Runs before the scripts of a document.
const SEED_SCRIPT: &str = r#"((seeds, until) => {
  if (Date.now() > until) return;
  const main = self === top;
  const seed = seeds.find((seed) => seed.origin === self.origin && seed.main === main);
  if (!seed) return;
  for (const [name, pairs] of [["localStorage", seed.local], ["sessionStorage", seed.session]]) {
    if (pairs === null) continue;
    try {
      const store = globalThis[name];
      store.clear();
      for (const [key, value] of JSON.parse(pairs)) {
        Storage.prototype.setItem.call(store, key, value);
      }
    } catch {}
  }
})"#;

/// What a document keeps.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DocumentSnapshot {
    /// Its origin; `null` for one of its own.
    pub origin: String,
    /// Whether it is the tab's main document.
    pub main: bool,
    /// Its localStorage, as JSON in a string.
    pub local: Option<String>,
    /// Its sessionStorage, as JSON in a string.
    pub session: Option<String>,
    /// The document itself, where it has no address.
    #[serde(skip_serializing)]
    pub html: Option<String>,
    /// How far it is scrolled, in CSS pixels.
    #[serde(skip_serializing)]
    pub scroll: (f64, f64),
}

impl DocumentSnapshot {
    /// Bytes that it takes, about.
    pub fn bytes(&self) -> usize {
        let texts = [&self.local, &self.session, &self.html].into_iter().flatten();
        self.origin.len() + texts.map(String::len).sum::<usize>()
    }
}

#[derive(Deserialize)]
struct AddScriptResult {
    identifier: String,
}

impl Page {
    /// What the documents of the tab keep. A frame that does not answer within 1 s is
    /// left out; until it has, the tab is not asked again.
    pub async fn document_snapshots(&self) -> Vec<DocumentSnapshot> {
        let Some(page) = self.weak().upgrade().filter(|page| page.ensure_answering().is_ok())
        else {
            return Vec::new();
        };
        let until = Instant::now() + READ_TIMEOUT;
        // What is being answered to somebody else may be older than what the caller did.
        let turn = Arc::clone(&self.snapshot_lock).lock_owned();
        let Ok(turn) = timeout_at(until, turn).await else { return Vec::new() };
        let heard = Arc::new(Lock::new(Vec::new()));
        let hearing = Arc::clone(&heard);
        // Goes on when nobody waits any more: an abandoned question would stay
        // in the queue of a page that hangs, and so would the next one.
        let asking = tokio::spawn(async move {
            let frames = page.frames().into_iter().take(MAX_FRAMES);
            let asked = frames.map(|frame| async {
                if let Some(reported) = page.snapshot_frame(frame).await {
                    hearing.lock().push(reported);
                }
            });
            futures::future::join_all(asked).await;
            drop(turn);
        });
        let _ = timeout_at(until, asking).await;
        std::mem::take(&mut *heard.lock())
    }

    async fn snapshot_frame(&self, frame: Frame) -> Option<DocumentSnapshot> {
        let main = frame.parent.is_none();
        let world = self.world(&frame.id, &SNAPSHOT_WORLD).await.ok()?;
        let text = world.call::<String>(READ_SCRIPT, &[main.into()]).await.ok()?;
        let reported: DocumentSnapshot = serde_json::from_str(&text).ok()?;
        (main || reported.origin != "null").then_some(reported)
    }

    /// URL that the tab is for: of the page that could not be reached, when an
    /// error page is shown instead; of the one that it loads, when it has shown none yet.
    pub fn intended_url(&self) -> String {
        let state = self.state.lock();
        let first = (state.commits == 0).then(|| match &state.pending_navigation {
            Some(pending) => Some(pending.url.clone()),
            None => state.last_navigation_url.clone().filter(|_| state.loading),
        });
        let intended = state.unreachable_url.clone().or_else(|| first.flatten());
        drop(state);
        intended.unwrap_or_else(|| self.url())
    }

    /// Local files that the tab may show.
    pub fn allowed_files(&self) -> Vec<String> {
        self.allowed_files.lock().clone()
    }

    /// Opens `url` with the storage that its documents had somewhere else; answers
    /// when its server has answered and the document is shown, or after [`COMMIT_TIMEOUT`].
    pub async fn open_with_storage(
        &self,
        url: &str,
        storages: &[DocumentSnapshot],
    ) -> Result<Navigated> {
        let until = SystemTime::now() + SEED_LIFETIME;
        let until = until.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
        let script = format!("{SEED_SCRIPT}({}, {until})", json!(storages));
        *self.seed_script.lock() = Some(script.clone());
        let added: AddScriptResult = self.send_seed(self.session(), &script).await?;
        let before = self.commit_count();
        let went = self.navigate(url).await;
        if matches!(went, Ok(Navigated::Document(_))) {
            // Chromium answers before the renderer has the document.
            let shown = self.wait_until(|state| {
                let is_over = state.commits != before || state.failed_navigation.is_some();
                is_over.then_some(())
            });
            let _ = timeout(COMMIT_TIMEOUT, shown).await;
        }
        // The main document has it, and its successors must not.
        let params = json!({ "identifier": added.identifier });
        let method = "Page.removeScriptToEvaluateOnNewDocument";
        let removed: CdpCall<serde::de::IgnoredAny> = self.session().call_method(method, &params);
        let frames: Vec<_> = storages.iter().filter(|one| !one.main).collect();
        let script = format!("{SEED_SCRIPT}({}, {until})", json!(frames));
        *self.seed_script.lock() = Some(script.clone());
        let added: CdpCall<AddScriptResult> = self.send_seed(self.session(), &script);
        removed.await?;
        added.await?;
        went
    }

    /// Waits until the document has loaded, and scrolls to where it was.
    pub async fn restore_scroll(&self, (x, y): (f64, f64)) -> Result<()> {
        self.wait_for_current(LoadState::Load).await?;
        if (x, y) != (0.0, 0.0) {
            let world = self.world(&self.main_frame().id, &SNAPSHOT_WORLD).await?;
            let arguments = [x.into(), y.into()];
            world.call::<serde_json::Value>("(x, y) => scrollTo(x, y)", &arguments).await?;
        }
        Ok(())
    }

    /// Gives the storage to the documents of a session that is just set up.
    pub(crate) fn seed_session(&self, session: &CdpSession) {
        if let Some(script) = self.seed_script.lock().as_ref() {
            self.send_seed::<serde::de::IgnoredAny>(session, script).ignore();
        }
    }

    fn send_seed<T: serde::de::DeserializeOwned>(
        &self,
        session: &CdpSession,
        script: &str,
    ) -> CdpCall<T> {
        let params = json!({ "source": script, "worldName": SNAPSHOT_WORLD.world_name });
        session.call_method("Page.addScriptToEvaluateOnNewDocument", &params)
    }
}
