//! The difference of two pages, each read in a throwaway tab.

use std::{sync::Arc, time::Duration};

use browse_proto::{Reason, v1};
use futures::future::{join, try_join};
use similar::{ChangeTag, TextDiff};
use url::Url;

use crate::{
    browser::{address, navigation},
    content::Sources,
    dispatch::Context,
    error::{Error, Result},
    sessions::{Session, Tab},
};

/// Time after which the difference may be larger than it needs to be.
const PATIENCE: Duration = Duration::from_secs(5);

/// Compares the readable texts of two addresses.
pub async fn diff(cx: &Context, request: v1::DiffRequest) -> Result<v1::DiffResponse> {
    let (before, after) = (parse(cx, &request.url1)?, parse(cx, &request.url2)?);
    let session = cx.session()?;
    // The throwaway tabs must not be the only ones, or calls would go to them.
    session.active_or_first(cx.client()).await?;
    let (left, right) = try_join(aside(cx, &session), aside(cx, &session)).await?;
    let texts = try_join(text_of(cx, &left.tab, &before), text_of(cx, &right.tab, &after)).await;
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
        compare((before.as_str(), &first), (after.as_str(), &second))
    });
    let response = compared.await.map_err(|error| Error::new(Reason::Bug, error.to_string()))?;
    if response.diff.is_empty() {
        cx.say("the texts of the two pages are the same");
    }
    Ok(response)
}

fn parse(cx: &Context, text: &str) -> Result<Url> {
    let url = address::parse(text, &navigation::asker(cx))?;
    cx.check_address(&url)?;
    Ok(url)
}

/// A tab that is closed when it is dropped, whatever its page is doing.
struct Throwaway {
    session: Arc<Session>,
    tab: Arc<Tab>,
    closed: bool,
}

impl Throwaway {
    async fn close(mut self) {
        self.closed = true;
        let closing = self.session.close_tab(self.tab.id()).await;
        if let Err(error) = closing {
            tracing::debug!(tab = self.tab.id(), %error, "a throwaway tab was not closed");
        }
    }
}

impl Drop for Throwaway {
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
async fn aside(cx: &Context, session: &Arc<Session>) -> Result<Throwaway> {
    let (session, owner) = (Arc::clone(session), cx.client().clone());
    let opening = tokio::spawn(async move {
        let tab = session.open_aside(&owner).await?;
        Ok(Throwaway { session, tab, closed: false })
    });
    opening.await.map_err(|error| Error::new(Reason::Bug, error.to_string()))?
}

async fn text_of(cx: &Context, tab: &Tab, url: &Url) -> Result<String> {
    let read = async {
        navigation::open(tab, url.as_str(), v1::WaitUntil::Unspecified).await?;
        let reading = tab.engine().read_text(None, cx.hides()).await?;
        cx.note_unseen(&reading.unseen);
        super::note_silent(cx, reading.silent);
        Ok(reading.text)
    };
    read.await.map_err(|error: Error| error.or_with("url", url))
}

fn compare(before: (&str, &str), after: (&str, &str)) -> v1::DiffResponse {
    // Without a final newline the last lines would differ for nothing.
    let (first, second) = (format!("{}\n", before.1), format!("{}\n", after.1));
    if first == second {
        return v1::DiffResponse::default();
    }
    let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(&first, &second);
    let count = |tag| diff.iter_all_changes().filter(|change| change.tag() == tag).count();
    let total = |tag| u32::try_from(count(tag)).unwrap_or(u32::MAX);
    v1::DiffResponse {
        diff: diff.unified_diff().context_radius(2).header(before.0, after.0).to_string(),
        added: total(ChangeTag::Insert),
        removed: total(ChangeTag::Delete),
    }
}
