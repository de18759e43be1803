//! A session that moves to another browser: its tabs keep their ids.

use std::sync::Arc;

use tokio::{
    sync::{OnceCell, watch},
    time::Instant,
};

use super::{DisplayMode, Session, Tab, TabId, session::WINDOW_CLOSE_SPAN};
use browse_base::Result;
use browse_chromium::{BrowserContext, Page};

impl Session {
    /// Where its browser is; callers watch it change.
    pub fn watch_display_mode(&self) -> watch::Receiver<DisplayMode> {
        self.display_mode.subscribe()
    }

    /// Says where its browser is.
    pub fn set_display_mode(&self, place: DisplayMode) {
        self.display_mode.send_replace(place);
    }

    /// Has callers wait until it is back: its visible browser ended.
    pub fn mark_window_closed(&self) {
        self.display_mode.send_if_modified(|place| {
            let shown = *place == DisplayMode::Headed;
            if shown {
                *place = DisplayMode::WindowClosed;
            }
            shown
        });
    }

    /// Waits while the session is on its way to another browser.
    pub async fn wait_until_settled(&self) {
        let still = |place: &DisplayMode| {
            matches!(place, DisplayMode::Headless | DisplayMode::Headed | DisplayMode::Attached)
        };
        // The sender lives in `self`.
        let _ = self.display_mode.subscribe().wait_for(still).await;
    }

    /// The tabs that went together with its window, whichever was the last.
    pub fn tabs_closed_with_window(&self) -> Vec<Arc<Tab>> {
        let tabs = self.lock();
        let last = tabs.recently_closed.last().map(|(when, _)| *when);
        let together = |when: &Instant| last.is_some_and(|last| last - *when < WINDOW_CLOSE_SPAN);
        let gone = tabs.recently_closed.iter().filter(|(when, _)| together(when));
        gone.map(|(_, tab)| Arc::clone(tab)).collect()
    }

    /// Gives the session another context, and its tabs the pages there; answers
    /// them. Of the old ones nobody hears again.
    pub fn move_to(
        &self,
        context: &BrowserContext,
        tabs: &[(Arc<Tab>, Arc<Page>)],
        active: Option<TabId>,
    ) -> Vec<Arc<Tab>> {
        let moved: Vec<_> =
            tabs.iter().map(|(tab, page)| tab.with_page(Arc::clone(page))).collect();
        {
            let mut own = self.lock();
            own.all.clone_from(&moved);
            own.recently_closed.clear();
            let there = active.filter(|id| moved.iter().any(|tab| tab.id() == *id));
            own.active = there.or(moved.last().map(|tab| tab.id()));
        }
        *self.lock_context() = Arc::new(OnceCell::new_with(Some(context.clone())));
        self.update_privacy();
        moved
    }

    /// Makes a tab of a page that is nobody's yet.
    pub fn adopt(&self, page: Arc<Page>) -> Result<Arc<Tab>> {
        Ok(self.registry()?.adopt(self, page))
    }

    /// A context out of sight, with its first page.
    pub async fn lease_context(&self) -> Result<(BrowserContext, Arc<Page>)> {
        self.registry()?.lease_context(self).await
    }
}
