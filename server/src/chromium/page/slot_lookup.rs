//! Whether there are slots in the shadow trees of a page, closed ones too.

use std::time::{Duration, Instant};

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;
use tokio::time::timeout;

use super::page::Page;
use crate::chromium::connection::params::NoParams;
use crate::chromium::connection::session::CdpSession;
use crate::chromium::error::Result;

/// Time that the browser gets to look for them, which it does between the tasks of
/// the page.
const LOOKUP_TIMEOUT: Duration = Duration::from_secs(2);

/// What every slot has in its name, with a prefix or without. Texts and attributes
/// that hold it are found as well.
const SLOT_QUERY: &str = "slot>";

/// Ends the domain when it goes.
struct DomDomainGuard<'a>(&'a CdpSession);

impl Drop for DomDomainGuard<'_> {
    fn drop(&mut self) {
        self.0.call_method::<IgnoredAny>("DOM.disable", &NoParams).ignore();
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PerformSearchResult {
    result_count: u32,
}

/// The latest look of a page.
pub(crate) struct SlotLookup {
    session: CdpSession,
    started_at: Instant,
    may_have_slots: bool,
}

impl Page {
    /// Whether the documents that `session` serves may have slots in their shadow
    /// trees. The browser goes through their markup and text for it, which takes
    /// 3 ms in most documents and 15 ms in large ones; who asks while another waits
    /// shares its answer. None when the page is too busy to tell.
    ///
    /// # Errors
    /// When the page goes away meanwhile.
    pub async fn may_have_slots(&self, session: &CdpSession) -> Result<Option<bool>> {
        let asked = Instant::now();
        // One at a time: the end of one would disable the other.
        let _turn = self.inspect_lock.lock().await;
        let is_news =
            |looked: &&SlotLookup| looked.session == *session && looked.started_at >= asked;
        if let Some(looked) = self.slot_lookup.lock().as_ref().filter(is_news) {
            return Ok(Some(looked.may_have_slots));
        }
        let begun = Instant::now();
        let _enabled = DomDomainGuard(session);
        session.call_method::<IgnoredAny>("DOM.enable", &NoParams).ignore();
        let search = session.call_method::<PerformSearchResult>(
            "DOM.performSearch",
            &json!({ "query": SLOT_QUERY }),
        );
        let Ok(search) = timeout(LOOKUP_TIMEOUT, search).await else { return Ok(None) };
        let may_have = search?.result_count > 0;
        *self.slot_lookup.lock() = Some(SlotLookup {
            session: session.clone(),
            started_at: begun,
            may_have_slots: may_have,
        });
        Ok(Some(may_have))
    }
}
