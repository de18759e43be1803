//! Waiting for a tab to get somewhere. Nothing polls: each event that changes
//! a page wakes those who wait for it.

use super::page::Page;
use super::state::{LoadState, MAX_RECENT_DOCUMENTS, PageState};
use crate::error::Result;
use crate::ids::LoaderId;

impl Page {
    /// Waits until `look` finds what it looks for; ends early when the tab
    /// closes or crashes.
    pub(crate) async fn wait_until<T>(
        &self,
        mut look: impl FnMut(&PageState) -> Option<T>,
    ) -> Result<T> {
        let mut changes = self.changes();
        loop {
            {
                let state = self.state.lock();
                if let Some(found) = look(&state) {
                    return Ok(found);
                }
                state.ensure_alive()?;
            }
            // The sender lives in `self`, so this only ends with a change.
            let _ = changes.changed().await;
        }
    }

    /// Waits until the tab has been set up. Tabs that pages open are reported
    /// before they are.
    pub async fn wait_ready(&self) -> Result<()> {
        self.wait_until(|state| state.ready.clone()).await?
    }

    /// Waits until the tab is closed.
    pub async fn wait_closed(&self) {
        let mut changes = self.changes();
        while !self.state.lock().closed {
            // The sender lives in `self`, so this only ends with a change.
            let _ = changes.changed().await;
        }
    }

    /// Waits until the document of `loader` reaches a milestone, and answers
    /// the loader that did. A document that is replaced meanwhile hands the
    /// wait over to its successor, so client-side redirects are followed.
    pub async fn wait_for(&self, loader: &LoaderId, milestone: LoadState) -> Result<LoaderId> {
        // Of a long row of redirects only the last documents are remembered.
        let mut was_shown = false;
        let mut begun = None;
        self.wait_until(|state| {
            let since = state.commits - *begun.get_or_insert(state.commits);
            was_shown |= state.is_recent_document(loader) || since >= MAX_RECENT_DOCUMENTS as u64;
            let main = state.frames.get(state.frames.root())?;
            let reached = main.milestones.0 == main.loader && main.milestones.1.contains(milestone);
            // Itself, or a successor that is not about to be replaced as well.
            // The commit of `loader` may not have been reported yet.
            let arrived =
                main.loader == *loader || (was_shown && state.pending_navigation.is_none());
            if arrived && reached {
                return Some(Ok(main.loader.clone()));
            }
            // It was left for somewhere forbidden, and may never be loaded.
            let is_here = main.loader == *loader || was_shown;
            let denied =
                state.last_denied_main.clone().filter(|denied| is_here || denied.was_answered);
            denied.map(|denied| Err(denied.into()))
        })
        .await?
    }

    /// Waits until whatever the tab shows or is loading reaches a milestone.
    pub async fn wait_for_current(&self, milestone: LoadState) -> Result<LoaderId> {
        self.wait_until(|state| {
            let main = state.frames.get(state.frames.root())?;
            let reached = main.milestones.0 == main.loader && main.milestones.1.contains(milestone);
            (state.pending_navigation.is_none() && reached).then(|| main.loader.clone())
        })
        .await
    }
}
