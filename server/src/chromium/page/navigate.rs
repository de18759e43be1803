//! Going somewhere.

use std::time::Duration;

use chromiumoxide_cdp::cdp::browser_protocol::page as cdp;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;

use super::page::Page;
use super::state::{LoadState, PageState};
use super::swap::across_swap;
use crate::chromium::connection::call::Call;
use crate::chromium::connection::params::NoParams;
use crate::chromium::error::{Error, Result};
use crate::chromium::guard::reach::Refused;
use crate::chromium::ids::LoaderId;

/// A document that no site's process is for.
const BLANK: &str = "data:text/html,";

/// Time that the process of a document that was left needs to end.
const PARTING: Duration = Duration::from_secs(2);

/// Entries that Chromium keeps in a history.
const MOST_ENTRIES: usize = 50;

/// How a navigation began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Navigated {
    /// A new document is being loaded; wait for it with [`Page::wait_for`].
    Document(LoaderId),
    /// Only the fragment changed; nothing is loaded.
    SameDocument,
    /// The server sent a file, which is being downloaded; the page stays.
    Download,
}

/// A download, an answer without content, or stopped: no page comes of it.
const ABORTED: &str = "net::ERR_ABORTED";

/// How long Chromium may take to show its page for an error.
const ERROR_PAGE: Duration = Duration::from_millis(500);

/// `Page.navigate`'s answer.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct NavigateAnswer {
    #[serde(default)]
    loader_id: Option<LoaderId>,
    #[serde(default)]
    error_text: Option<String>,
    #[serde(default)]
    is_download: bool,
}

/// `Page.getNavigationHistory`'s answer.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct History {
    current_index: i64,
    entries: Vec<HistoryEntry>,
}

#[derive(Deserialize)]
struct HistoryEntry {
    id: i64,
}

impl History {
    /// The entry `step` away from the current one. Those in `blank` are nobody's:
    /// they are no step, and to stand on one is to stand where it was left.
    fn entry(&self, step: i64, blank: &[i64]) -> Option<&HistoryEntry> {
        let current = usize::try_from(self.current_index).ok()?;
        let is_own = |entry: &&HistoryEntry| !blank.contains(&entry.id);
        let mut before = self.entries.get(..=current)?.iter().filter(is_own);
        let mut after = self.entries.get(current + 1..)?.iter().filter(is_own);
        match usize::try_from(step) {
            Ok(0) => before.next_back(),
            Ok(steps) => after.nth(steps - 1),
            Err(_) => before.nth_back(usize::try_from(-step).ok()?),
        }
    }
}

impl Page {
    /// Goes to `url`; answers when its server has answered.
    pub async fn navigate(&self, url: &str) -> Result<Navigated> {
        let before = {
            let mut state = self.state.lock();
            state.begin_navigation()?;
            state.commits
        };
        let call: Call<NavigateAnswer> =
            self.session().call_method("Page.navigate", &json!({ "url": url }));
        let answer = call.await?;
        self.state.lock().deserted = false;
        // The guard's reason says more than `net::ERR_ABORTED`, and a document
        // that came from a forbidden address was dropped after its commit.
        let failed = answer.error_text.as_ref().is_some_and(|text| !text.is_empty());
        let denied = self.state.lock().denied_main.clone();
        // Where this navigation succeeded, the document before it was refused one.
        if let Some(denied) = denied.filter(|denied| failed || denied.answered) {
            return Err(denied.into());
        }
        if answer.is_download {
            return Ok(Navigated::Download);
        }
        if let Some(error_text) = answer.error_text.filter(|text| !text.is_empty()) {
            // An error status without a body: Chromium shows its own page, but
            // the server did answer.
            if error_text != "net::ERR_HTTP_RESPONSE_CODE_FAILURE" {
                let is_aborted = error_text == ABORTED;
                let asked = self.state.lock().asked.clone();
                let error = self.navigation_error(asked.as_deref().unwrap_or(url), error_text);
                // Chromium's own page for it is on its way. Whoever looks next
                // is to meet that one.
                if !is_aborted {
                    let shown = self.wait_until(|state| (state.commits != before).then_some(()));
                    let _ = tokio::time::timeout(ERROR_PAGE, shown).await;
                }
                return Err(error);
            }
        }
        Ok(match answer.loader_id {
            Some(loader) => Navigated::Document(loader),
            None => Navigated::SameDocument,
        })
    }

    /// Loads the document again; answers when the new one is committed.
    /// Revives a crashed tab.
    pub async fn reload(&self) -> Result<Navigated> {
        if self.state.lock().deserted {
            return self.go_in_history(0, "earlier").await;
        }
        self.state.lock().begin_navigation()?;
        let before = self.state.lock().commits;
        let session = self.session();
        across_swap(|| session.call_method::<IgnoredAny>("Page.reload", &NoParams)).await?;
        self.committed_after(before).await
    }

    /// Leaves the document for a blank one in another process. A script that
    /// cannot be ended would hold up the next document of its site, which would
    /// come into its process.
    ///
    /// # Errors
    /// The tab is closed. May never answer: when a document is on its way into
    /// the process that hangs already.
    pub async fn desert(&self) -> Result<()> {
        let before = self.state.lock().commits;
        match self.navigate(BLANK).await {
            // Another navigation came between, which leaves the document as well.
            Err(Error::NavigationFailed { error_text, .. }) if error_text == ABORTED => {
                return Ok(());
            }
            gone => gone?,
        };
        // One that is overtaken by the next document stands in no history.
        self.committed_after(before).await?;
        let history = self.history().await?;
        let current = usize::try_from(history.current_index).ok();
        let mut state = self.state.lock();
        state.deserted = true;
        if let Some(entry) = current.and_then(|index| history.entries.get(index)) {
            if state.blank_entries.len() >= MOST_ENTRIES {
                state.blank_entries.remove(0);
            }
            state.blank_entries.push(entry.id);
        }
        Ok(())
    }

    /// Goes one entry back in the tab's history.
    pub async fn back(&self) -> Result<Navigated> {
        self.go_in_history(-1, "earlier").await
    }

    /// Goes one entry forward in the tab's history.
    pub async fn forward(&self) -> Result<Navigated> {
        self.go_in_history(1, "later").await
    }

    /// Ends whatever is loading. Works while a server does not answer.
    pub async fn stop_loading(&self) -> Result<()> {
        self.session().call(&cdp::StopLoadingParams::default()).await?;
        // Chromium reports no event when the navigation had not begun to load.
        self.state.lock().pending = None;
        self.notify();
        Ok(())
    }

    /// Replaces the document's content with `html`, at `about:blank`, so that
    /// it has no origin of anybody's. Answers when it is parsed.
    pub async fn set_content(&self, html: &str) -> Result<LoaderId> {
        if let Navigated::Document(loader) = self.navigate("about:blank").await? {
            self.wait_for(&loader, LoadState::Load).await?;
        }
        let frame = self.main_frame();
        let params = json!({ "frameId": frame.id, "html": html });
        let written: Call<IgnoredAny> =
            frame.session.call_method("Page.setDocumentContent", &params);
        written.await?;
        Ok(frame.loader)
    }

    async fn go_in_history(&self, step: i64, direction: &'static str) -> Result<Navigated> {
        self.state.lock().begin_navigation()?;
        let history = self.history().await?;
        let blank = self.state.lock().blank_entries.clone();
        let entry = history.entry(step, &blank).ok_or(Error::HistoryEnd { direction })?;
        let session = self.session();
        let (before, deserted) = {
            let mut state = self.state.lock();
            (state.commits, std::mem::take(&mut state.deserted))
        };
        let params = json!({ "entryId": entry.id });
        let method = "Page.navigateToHistoryEntry";
        let ask = || async {
            across_swap(|| session.call_method::<IgnoredAny>(method, &params)).await.map(drop)
        };
        // The process that hangs may live on for a moment, and get the document.
        let patience = deserted.then_some(PARTING);
        until_settled(patience, ask, || self.committed_after(before)).await
    }

    async fn history(&self) -> Result<History> {
        let session = self.session();
        across_swap(|| session.call_method("Page.getNavigationHistory", &NoParams)).await
    }

    /// Waits for the next commit, or for the failure of the navigation.
    async fn committed_after(&self, before: u64) -> Result<Navigated> {
        let loader = self.loader();
        self.wait_until(|state| {
            if let Some(denied) = &state.denied_main {
                return Some(Err(denied.clone().into()));
            }
            let failed = state.failed.as_ref().map(|(_, text)| text.as_str());
            if state.commits == before {
                // Aborted: a download, an answer without content, or stopped.
                let aborted = failed.filter(|text| *text == ABORTED)?;
                return Some(Err(self.navigation_error(&self.shown(state), aborted.to_owned())));
            }
            if let Some(url) = &state.unreachable {
                let text = failed.unwrap_or("net::ERR_FAILED").to_owned();
                return Some(Err(self.navigation_error(url, text)));
            }
            let main = state.frames.get(state.frames.root())?;
            Some(Ok(if main.loader == loader {
                Navigated::SameDocument
            } else {
                Navigated::Document(main.loader.clone())
            }))
        })
        .await?
    }

    /// URL of the document that is shown.
    fn shown(&self, state: &PageState) -> String {
        let main = state.frames.get(state.frames.root());
        main.map(|frame| frame.url.clone()).unwrap_or_default()
    }

    /// Names the cause of a failed navigation as well as it is known.
    fn navigation_error(&self, url: &str, error_text: String) -> Error {
        let refused = || {
            let restriction = self.shared.policies.get(self.context_id())?;
            let parsed = url::Url::parse(url).ok()?;
            restriction.proxy.refusal(parsed.host_str()?)
        };
        // The proxy gives no answer to what it refuses, only a reason to us.
        match refused() {
            // All that the browser knows is that its proxy hung up.
            Some(Refused::Unreachable { code, .. }) => {
                let hung_up = HUNG_UP.iter().any(|code| error_text.ends_with(code));
                let error_text = if hung_up { format!("net::{code}") } else { error_text };
                Error::NavigationFailed { url: url.to_owned(), error_text }
            }
            Some(refused) => Error::HostDenied { url: url.to_owned(), reason: refused.to_string() },
            None => Error::NavigationFailed { url: url.to_owned(), error_text },
        }
    }
}

/// What a connection is called that ended before an answer.
const HUNG_UP: [&str; 4] = [
    "ERR_EMPTY_RESPONSE",
    "ERR_CONNECTION_CLOSED",
    "ERR_CONNECTION_RESET",
    "ERR_TUNNEL_CONNECTION_FAILED",
];

/// Asks, and waits for what comes of it; asks again whenever nothing has come
/// for as long as `patience`.
async fn until_settled<T, Asked, Settled>(
    patience: Option<Duration>,
    ask: impl Fn() -> Asked,
    settled: impl Fn() -> Settled,
) -> Result<T>
where
    Asked: Future<Output = Result<()>>,
    Settled: Future<Output = Result<T>>,
{
    loop {
        ask().await?;
        let Some(patience) = patience else { return settled().await };
        if let Ok(settled) = tokio::time::timeout(patience, settled()).await {
            return settled;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::future::pending;

    use super::*;

    /// How often it was asked when these come of it, and what came in the end.
    async fn asked(
        patience: Option<Duration>,
        answers: [Option<Result<u32>>; 3],
    ) -> (u32, Result<u32>) {
        let count = Cell::new(0);
        let ask = || async {
            count.set(count.get() + 1);
            Ok(())
        };
        let settled = || async {
            match answers[count.get() as usize - 1].clone() {
                Some(answer) => answer,
                None => pending().await,
            }
        };
        let came = until_settled(patience, ask, settled).await;
        (count.get(), came)
    }

    #[tokio::test]
    async fn what_came_into_a_process_that_hangs_is_asked_for_again() {
        let soon = Some(Duration::from_millis(1));
        assert!(matches!(asked(soon, [None, None, Some(Ok(7))]).await, (3, Ok(7))));
        assert!(matches!(asked(soon, [Some(Ok(7)), None, None]).await, (1, Ok(7))));
        // A failure is an answer.
        let failed = Some(Err(Error::TabClosed));
        assert!(matches!(asked(soon, [None, failed, None]).await, (2, Err(Error::TabClosed))));
        // Nothing hangs: who waits for a slow server asks it once.
        let asking = asked(None, [None, Some(Ok(7)), None]);
        assert!(tokio::time::timeout(Duration::from_millis(5), asking).await.is_err());
        // A history that refuses is not asked again.
        let refuse = || async { Err(Error::TabClosed) };
        let came = until_settled(soon, refuse, || async { Ok(()) }).await;
        assert!(matches!(came, Err(Error::TabClosed)));
    }

    #[test]
    fn blank_entries_are_no_steps() {
        let entries = || (1..=5).map(|id| HistoryEntry { id }).collect();
        let at = |current_index, step, blank: &[i64]| {
            let history = History { current_index, entries: entries() };
            history.entry(step, blank).map(|entry| entry.id)
        };
        assert_eq!([-1, 0, 1].map(|step| at(1, step, &[])), [Some(1), Some(2), Some(3)]);
        // Left for 3: whoever stands there stands on 2.
        assert_eq!([-1, 0, 1].map(|step| at(2, step, &[3])), [Some(1), Some(2), Some(4)]);
        // It was overtaken, and stands between.
        assert_eq!([-1, 0, 1].map(|step| at(3, step, &[3])), [Some(2), Some(4), Some(5)]);
        assert_eq!([-1, 1].map(|step| at(1, step, &[1, 3, 4, 5])), [None, None]);
        assert_eq!(at(9, -1, &[]), None);
    }
}
