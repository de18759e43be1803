//! A tab that works for a handler: it shares the cookies of its context, and
//! is in nobody's list.
//!
//! The target of a new tab is known only when Chromium answers, which is after
//! it was attached. So tabs that appear in the context meanwhile are held
//! back; then ours is hidden, and the others are reported.

use std::ops::Deref;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;

use super::browser::Browser;
use super::registry::Registry;
use crate::connection::call::CdpCall;
use crate::error::{Error, Result};
use crate::ids::{BrowserContextId, TargetId};
use crate::launch::info::Flavour;
use crate::page::page::Page;

/// A hidden tab; closed when it is dropped.
pub struct HiddenPage {
    browser: Arc<Browser>,
    page: Arc<Page>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct HiddenTargetResult {
    target_id: TargetId,
}

impl Browser {
    /// Opens a hidden blank tab in a context.
    pub async fn hidden_page(self: &Arc<Self>, context: &BrowserContextId) -> Result<HiddenPage> {
        let (browser, context) = (Arc::clone(self), context.clone());
        // A task of its own: when the caller is gone meanwhile, the tab is
        // dropped by the task, and with that closed.
        let opening = tokio::spawn(async move { open_hidden_page(browser, context).await });
        opening.await.unwrap_or(Err(Error::TabClosed))
    }
}

async fn open_hidden_page(browser: Arc<Browser>, context: BrowserContextId) -> Result<HiddenPage> {
    let held = NewPagesHold::begin(&browser, context.clone());
    let params = json!({
        "url": "about:blank",
        "browserContextId": context,
        "newWindow": browser.info().flavour != Flavour::HeadlessShell,
    });
    let created: CdpCall<HiddenTargetResult> =
        browser.connection().call_method(None, "Target.createTarget", &params);
    let target = created.await?.target_id;
    browser.registry().hide_target(&target);
    drop(held);
    let page = browser.registry().wait_page_ready(&target).await?;
    page.mark_unattended();
    Ok(HiddenPage { browser, page })
}

/// While it lives, new tabs of the context are held back.
struct NewPagesHold<'a> {
    registry: &'a Registry,
    context: BrowserContextId,
}

impl<'a> NewPagesHold<'a> {
    fn begin(browser: &'a Browser, context: BrowserContextId) -> Self {
        let registry = browser.registry();
        *registry.maps.lock().hold_counts.entry(context.clone()).or_default() += 1;
        Self { registry, context }
    }
}

impl Drop for NewPagesHold<'_> {
    fn drop(&mut self) {
        let released: Vec<Arc<Page>> = {
            let mut maps = self.registry.maps.lock();
            let left = maps.hold_counts.get_mut(&self.context).map_or(0, |holders| {
                *holders -= 1;
                *holders
            });
            if left > 0 {
                return;
            }
            maps.hold_counts.remove(&self.context);
            let held = std::mem::take(&mut maps.held_pages);
            let (ours, others): (Vec<_>, Vec<_>) =
                held.into_iter().partition(|page| *page.context_id() == self.context);
            maps.held_pages = others;
            ours.into_iter().filter(|page| !maps.hidden_tabs.contains(page.target_id())).collect()
        };
        released.into_iter().for_each(|page| self.registry.report_opened(page));
    }
}

impl Registry {
    fn hide_target(&self, target: &TargetId) {
        self.maps.lock().hidden_tabs.insert(target.clone());
    }
}

impl Deref for HiddenPage {
    type Target = Arc<Page>;

    fn deref(&self) -> &Arc<Page> {
        &self.page
    }
}

impl Drop for HiddenPage {
    fn drop(&mut self) {
        let target = self.page.target_id();
        let params = json!({ "targetId": target });
        let connection = self.browser.connection();
        connection.call_method::<IgnoredAny>(None, "Target.closeTarget", &params).ignore();
        self.browser.registry().close_page(target);
        self.browser.registry().maps.lock().hidden_tabs.remove(target);
    }
}
