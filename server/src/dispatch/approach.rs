//! The way of a call to its page.

use std::{sync::Arc, time::Duration};

use browse_proto::{Reach, Reason};
use tokio::time::Instant;

use super::Context;
use crate::{
    chromium,
    error::{Error, Result},
    policy::TabPolicy,
    sessions::{Tab, TabState},
};

/// Longest that a command waits for a navigation under way to get its answer.
const HEADERS: Duration = Duration::from_secs(3);

/// Time that a hung page gets to be freed of its script.
const FREEING: Duration = Duration::from_millis(250);

impl Context {
    /// Resolves the tab of a command that acts on a page, and opens the first
    /// tab of a session. Refuses at once what would queue behind a hung page,
    /// and waits a little for a navigation that has no answer yet.
    ///
    /// # Errors
    /// The session or tab does not exist or belongs to somebody else; the page
    /// hangs, or waits for its server.
    pub(super) async fn approach(&self) -> Result<()> {
        match self.command().reach {
            Reach::Daemon => Ok(()),
            reach => {
                let tab = self.enter(reach).await?;
                if matches!(reach, Reach::Page | Reach::Leave) {
                    self.take_share(tab).await;
                }
                Ok(())
            }
        }
    }

    /// The same for a handler that knows only by its arguments what it needs.
    ///
    /// # Errors
    /// As [`Context::approach`].
    pub(crate) async fn enter(&self, reach: Reach) -> Result<&Arc<Tab>> {
        let tab = self.resolve_tab().await?;
        let tab = self.found(tab);
        let hung = tab.state() == TabState::Hung;
        if hung && reach == Reach::Leave {
            // The document is given up: a script that never ends must not hold
            // up the next one, which may share its process.
            tab.page().interrupt(FREEING).await;
        }
        if reach != Reach::Page {
            return Ok(tab);
        }
        if hung {
            let message = format!("tab {} does not answer", tab.id());
            return Err(Error::new(Reason::TabHung, message).with("tab", tab.id()));
        }
        let patience = (Instant::now() + HEADERS).min(self.deadline());
        loop {
            match tab.page().ensure_answering() {
                Err(chromium::Error::NavigationPending { .. }) if Instant::now() < patience => {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
                answering => return answering.map(|()| tab).map_err(Error::from),
            }
        }
    }

    async fn resolve_tab(&self) -> Result<Arc<Tab>> {
        let session = self.session()?;
        // A session that moves to another browser has its tabs in none.
        session.settled().await;
        let own = self.capability().tabs == TabPolicy::Own;
        let last = || session.tabs().into_iter().rfind(|tab| tab.owner() == *self.client());
        let tab = match self.named_tab() {
            Some(id) => session.tab(id)?,
            // The active tab may be somebody else's.
            None if own => match last() {
                Some(tab) => tab,
                None => session.open_tab(self.client()).await?,
            },
            None => session.active_or_first(self.client()).await?,
        };
        self.check_tab(&tab)?;
        Ok(tab)
    }
}
