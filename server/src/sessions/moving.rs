//! A session that moves to another browser: its tabs keep their ids.

use std::sync::Arc;

use tokio::{
    sync::{OnceCell, watch},
    time::Instant,
};

use super::{Place, Session, Tab, TabId, session::TOGETHER};
use crate::{
    chromium::{Context, Page},
    error::Result,
};

impl Session {
    /// Where its browser is; callers watch it change.
    pub fn place(&self) -> watch::Receiver<Place> {
        self.place.subscribe()
    }

    /// Says where its browser is.
    pub(crate) fn set_place(&self, place: Place) {
        self.place.send_replace(place);
    }

    /// Has callers wait until it is back: its visible browser ended.
    pub(crate) fn leave(&self) {
        self.place.send_if_modified(|place| {
            let shown = *place == Place::Shown;
            if shown {
                *place = Place::Left;
            }
            shown
        });
    }

    /// Waits while the session is on its way to another browser.
    pub async fn settled(&self) {
        let still = |place: &Place| matches!(place, Place::Hidden | Place::Shown);
        // The sender lives in `self`.
        let _ = self.place.subscribe().wait_for(still).await;
    }

    /// The tabs that went together with its window, whichever was the last.
    pub(crate) fn departed(&self) -> Vec<Arc<Tab>> {
        let tabs = self.lock();
        let last = tabs.departed.last().map(|(when, _)| *when);
        let together = |when: &Instant| last.is_some_and(|last| last - *when < TOGETHER);
        let gone = tabs.departed.iter().filter(|(when, _)| together(when));
        gone.map(|(_, tab)| Arc::clone(tab)).collect()
    }

    /// Gives the session another context, and its tabs the pages there; answers
    /// them. Of the old ones nobody hears again.
    pub(crate) fn move_to(
        &self,
        context: &Context,
        tabs: &[(Arc<Tab>, Arc<Page>)],
        active: Option<TabId>,
    ) -> Vec<Arc<Tab>> {
        let moved: Vec<_> = tabs.iter().map(|(tab, page)| tab.moved_to(Arc::clone(page))).collect();
        {
            let mut own = self.lock();
            own.all.clone_from(&moved);
            own.departed.clear();
            let there = active.filter(|id| moved.iter().any(|tab| tab.id() == *id));
            own.active = there.or(moved.last().map(|tab| tab.id()));
        }
        *self.lock_context() = Arc::new(OnceCell::new_with(Some(context.clone())));
        moved
    }

    /// Makes a tab of a page that is nobody's yet.
    pub(crate) fn adopt(&self, page: Arc<Page>) -> Result<Arc<Tab>> {
        Ok(self.all()?.adopt(self, page))
    }

    /// A context out of sight, with its first page.
    pub(crate) async fn lease(&self) -> Result<(Context, Arc<Page>)> {
        self.all()?.lease(self).await
    }
}
