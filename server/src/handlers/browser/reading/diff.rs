//! The difference of two pages, each read in a throwaway tab.

use std::{sync::Arc, time::Duration};

use browse_proto::{Reason, v1};
use futures::future::{join, try_join};
use similar::{ChangeTag, TextDiff};
use url::Url;

use crate::{address, dispatch::CallContext, handlers::browser::navigation};
use browse_base::{Error, Result};
use browse_content::Sources;
use browse_sessions::{Session, Tab};

/// Time after which the difference may be larger than it needs to be.
const DIFF_TIMEOUT: Duration = Duration::from_secs(5);

/// Compares the readable texts of two addresses.
pub async fn diff(cx: &CallContext, request: v1::DiffRequest) -> Result<v1::DiffResponse> {
    let (before, after) = (parse_url(cx, &request.url1)?, parse_url(cx, &request.url2)?);
    let session = cx.session()?;
    // The throwaway tabs must not be the only ones, or calls would go to them.
    session.active_or_first(cx.client()).await?;
    let (left, right) =
        try_join(open_temporary_tab(cx, &session), open_temporary_tab(cx, &session)).await?;
    let texts =
        try_join(read_text(cx, &left.tab, &before), read_text(cx, &right.tab, &after)).await;
    join(left.close(), right.close()).await;
    let (first, second) = texts?;
    let mut sources = Sources::default();
    for url in [&before, &after] {
        if !sources.add_url(url.as_str()) {
            sources.add("a file");
        }
    }
    cx.set_sources(sources);
    let compared = tokio::task::spawn_blocking(move || {
        diff_texts((before.as_str(), &first), (after.as_str(), &second))
    });
    let response = compared.await.map_err(|error| Error::new(Reason::Bug, error.to_string()))?;
    if response.diff.is_empty() {
        cx.add_notice("the texts of the two pages are the same");
    }
    Ok(response)
}

fn parse_url(cx: &CallContext, text: &str) -> Result<Url> {
    let url = address::parse(text, &cx.url_requester())?;
    cx.check_address(&url)?;
    Ok(url)
}

/// A tab that is closed when it is dropped, whatever its page is doing.
struct TemporaryTab {
    session: Arc<Session>,
    tab: Arc<Tab>,
    closed: bool,
}

impl TemporaryTab {
    async fn close(mut self) {
        self.closed = true;
        let closing = self.session.close_tab(self.tab.id()).await;
        if let Err(error) = closing {
            tracing::debug!(tab = self.tab.id(), %error, "a throwaway tab was not closed");
        }
    }
}

impl Drop for TemporaryTab {
    fn drop(&mut self) {
        if self.closed {
            return;
        }
        let (session, id) = (Arc::clone(&self.session), self.tab.id());
        tokio::spawn(async move { session.close_tab(id).await });
    }
}

/// Opens a throwaway tab. A call that is given up meanwhile does not leave it
/// behind: the task ends, and what it answers is dropped.
async fn open_temporary_tab(cx: &CallContext, session: &Arc<Session>) -> Result<TemporaryTab> {
    let (session, owner) = (Arc::clone(session), cx.client().clone());
    let opening = tokio::spawn(async move {
        let tab = session.open_background_tab(&owner).await?;
        Ok(TemporaryTab { session, tab, closed: false })
    });
    opening.await.map_err(|error| Error::new(Reason::Bug, error.to_string()))?
}

async fn read_text(cx: &CallContext, tab: &Tab, url: &Url) -> Result<String> {
    let read = async {
        navigation::navigate(tab, url.as_str(), v1::WaitUntil::Unspecified).await?;
        let reading = tab.engine().read_text(None, cx.filters_hidden_text()).await?;
        cx.add_hidden_counts(&reading.hidden_parts);
        super::note_unresponsive_frames(cx, reading.unresponsive_frames);
        Ok(reading.text)
    };
    read.await.map_err(|error: Error| error.with_default("url", url))
}

fn diff_texts(before: (&str, &str), after: (&str, &str)) -> v1::DiffResponse {
    // Without a final newline the last lines would differ for nothing.
    let (first, second) = (format!("{}\n", before.1), format!("{}\n", after.1));
    if first == second {
        return v1::DiffResponse::default();
    }
    let diff = TextDiff::configure().timeout(DIFF_TIMEOUT).diff_lines(&first, &second);
    let count = |tag| diff.iter_all_changes().filter(|change| change.tag() == tag).count();
    let total = |tag| u32::try_from(count(tag)).unwrap_or(u32::MAX);
    v1::DiffResponse {
        diff: diff.unified_diff().context_radius(2).header(before.0, after.0).to_string(),
        added: total(ChangeTag::Insert),
        removed: total(ChangeTag::Delete),
    }
}
