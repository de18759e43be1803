//! A warm spare: a context with a tab that wait for the next session, because
//! making them takes longer than most commands.

use std::{sync::Arc, time::Duration};

use super::{BrowserState, Session, Sessions};
use crate::{
    chromium::{Context, ContextOptions, Page, Result as BrowserResult},
    error::Result,
};

/// Time after a lease in which the machine is left to whoever took it.
const REST: Duration = Duration::from_millis(400);

/// A context with a tab that no session has.
pub struct Spare {
    context: Context,
    page: Arc<Page>,
}

impl Sessions {
    /// A context for `session`, and the tab that came with it. A session that
    /// is restricted gets a context of its own making.
    pub(super) async fn lease(self: &Arc<Self>, session: &Session) -> Result<(Context, Option<Arc<Page>>)> {
        if session.rules().hosts.is_any() {
            // Whoever makes one right now is nearly done.
            let spare = self.spare.lock().await.take();
            if let Some(Spare { context, page }) = spare.filter(|spare| !spare.page.is_closed()) {
                self.replace();
                return Ok((context, Some(page)));
            }
        }
        Ok((self.new_context(session).await?, None))
    }

    /// Makes the spare, if there is none. Trouble is left to those who will
    /// ask for a tab.
    pub async fn warm(&self) {
        let mut spare = self.spare.lock().await;
        if spare.is_none() {
            match self.make().await {
                Ok(made) => *spare = made,
                Err(error) => tracing::debug!(%error, "there is no warm spare"),
            }
        }
    }

    async fn make(&self) -> BrowserResult<Option<Spare>> {
        let BrowserState::Running(browser) = self.slot().state() else { return Ok(None) };
        let context = browser.new_context(&ContextOptions::default()).await?;
        let page = context.new_page().await?;
        Ok(Some(Spare { context, page }))
    }

    fn replace(self: &Arc<Self>) {
        let sessions = Arc::downgrade(self);
        tokio::spawn(async move {
            tokio::time::sleep(REST).await;
            if let Some(sessions) = sessions.upgrade() {
                sessions.warm().await;
            }
        });
    }
}
