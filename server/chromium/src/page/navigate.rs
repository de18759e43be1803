//! Going somewhere.

use std::time::Duration;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;

use super::page::Page;
use super::state::{LoadState, PageState};
use super::swap_retry::retry_on_swap;
use crate::connection::call::CdpCall;
use crate::connection::params::NoParams;
use crate::error::{Error, Result};
use crate::guard::connect_policy::ConnectError;
use crate::ids::LoaderId;
use crate::url_credentials::strip_credentials;

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
const ERR_ABORTED: &str = "net::ERR_ABORTED";

/// How long Chromium may take to show its page for an error.
const ERROR_PAGE_TIMEOUT: Duration = Duration::from_millis(500);

/// `Page.navigate`'s answer.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct NavigateResult {
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
struct NavigationHistory {
    current_index: i64,
    entries: Vec<NavigationHistoryEntry>,
}

#[derive(Deserialize)]
struct NavigationHistoryEntry {
    id: i64,
}

impl NavigationHistory {
    /// The entry `step` away from the current one.
    fn entry(&self, step: i64) -> Option<&NavigationHistoryEntry> {
        self.entries.get(usize::try_from(self.current_index.checked_add(step)?).ok()?)
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
        let call: CdpCall<NavigateResult> =
            self.session().call_method("Page.navigate", &json!({ "url": url }));
        let answer = call.await?;
        // The guard's reason says more than `net::ERR_ABORTED`, and a document
        // that came from a forbidden address was dropped after its commit.
        let failed = answer.error_text.as_ref().is_some_and(|text| !text.is_empty());
        let denied = self.state.lock().last_denied_main.clone();
        // Where this navigation succeeded, the document before it was refused one.
        if let Some(denied) = denied.filter(|denied| failed || denied.was_answered) {
            return Err(denied.into());
        }
        if answer.is_download {
            return Ok(Navigated::Download);
        }
        if let Some(error_text) = answer.error_text.filter(|text| !text.is_empty()) {
            // An error status without a body: Chromium shows its own page, but
            // the server did answer.
            if error_text != "net::ERR_HTTP_RESPONSE_CODE_FAILURE" {
                let is_aborted = error_text == ERR_ABORTED;
                let asked = self.state.lock().last_request_url.clone();
                let error = self.navigation_error(asked.as_deref().unwrap_or(url), error_text);
                // Chromium's own page for it is on its way. Whoever looks next
                // is to meet that one.
                if !is_aborted {
                    let shown = self.wait_until(|state| (state.commits != before).then_some(()));
                    let _ = tokio::time::timeout(ERROR_PAGE_TIMEOUT, shown).await;
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
        self.state.lock().begin_navigation()?;
        let before = self.state.lock().commits;
        let session = self.session();
        retry_on_swap(|| session.call_method::<IgnoredAny>("Page.reload", &NoParams)).await?;
        self.wait_committed_after(before).await
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
        self.session().call_method::<IgnoredAny>("Page.stopLoading", &NoParams).await?;
        // Chromium reports no event when the navigation had not begun to load.
        self.state.lock().pending_navigation = None;
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
        let written: CdpCall<IgnoredAny> =
            frame.session.call_method("Page.setDocumentContent", &params);
        written.await?;
        Ok(frame.loader)
    }

    async fn go_in_history(&self, step: i64, direction: &'static str) -> Result<Navigated> {
        self.state.lock().begin_navigation()?;
        let history = self.history().await?;
        let entry = history.entry(step).ok_or(Error::HistoryEnd { direction })?;
        let session = self.session();
        let before = self.state.lock().commits;
        let params = json!({ "entryId": entry.id });
        let method = "Page.navigateToHistoryEntry";
        retry_on_swap(|| session.call_method::<IgnoredAny>(method, &params)).await?;
        self.wait_committed_after(before).await
    }

    async fn history(&self) -> Result<NavigationHistory> {
        let session = self.session();
        retry_on_swap(|| session.call_method("Page.getNavigationHistory", &NoParams)).await
    }

    /// Waits for the next commit, or for the failure of the navigation.
    async fn wait_committed_after(&self, before: u64) -> Result<Navigated> {
        let loader = self.loader();
        self.wait_until(|state| {
            if let Some(denied) = &state.last_denied_main {
                return Some(Err(denied.clone().into()));
            }
            let failed = state.failed_navigation.as_ref().map(|(_, text)| text.as_str());
            if state.commits == before {
                // Aborted: a download, an answer without content, or stopped.
                let aborted = failed.filter(|text| *text == ERR_ABORTED)?;
                return Some(
                    Err(self.navigation_error(&self.shown_url(state), aborted.to_owned())),
                );
            }
            if let Some(url) = &state.unreachable_url {
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
    fn shown_url(&self, state: &PageState) -> String {
        let main = state.frames.get(state.frames.root());
        main.map(|frame| frame.url.clone()).unwrap_or_default()
    }

    /// Names the cause of a failed navigation as well as it is known.
    fn navigation_error(&self, url: &str, error_text: String) -> Error {
        let shown = strip_credentials(url);
        let url: &str = &shown;
        let refused = || {
            let restriction = self.shared.policies.get(self.context_id())?;
            let parsed = url::Url::parse(url).ok()?;
            restriction.proxy.take_refusal(parsed.host_str()?)
        };
        // The proxy gives no answer to what it refuses, only a reason to us.
        match refused() {
            // All that the browser knows is that its proxy hung up.
            Some(ConnectError::Unreachable { code, .. }) => {
                let hung_up =
                    CONNECTION_CLOSED_ERRORS.iter().any(|code| error_text.ends_with(code));
                let error_text = if hung_up { format!("net::{code}") } else { error_text };
                Error::NavigationFailed { url: url.to_owned(), error_text }
            }
            Some(refused) => Error::HostDenied { url: url.to_owned(), reason: refused.to_string() },
            None => Error::NavigationFailed { url: url.to_owned(), error_text },
        }
    }
}

/// What a connection is called that ended before an answer.
const CONNECTION_CLOSED_ERRORS: [&str; 4] = [
    "ERR_EMPTY_RESPONSE",
    "ERR_CONNECTION_CLOSED",
    "ERR_CONNECTION_RESET",
    "ERR_TUNNEL_CONNECTION_FAILED",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_beyond_the_history_leads_nowhere() {
        let at = |current_index, step| {
            let entries = (1..=3).map(|id| NavigationHistoryEntry { id }).collect();
            NavigationHistory { current_index, entries }.entry(step).map(|entry| entry.id)
        };
        assert_eq!([-1, 1].map(|step| at(1, step)), [Some(1), Some(3)]);
        assert_eq!([at(0, -1), at(2, 1), at(-1, -1), at(i64::MAX, 1)], [None; 4]);
    }
}
