//! Actions that a question of the page interrupts, and what follows its answer.

use std::time::Duration;

use serde_json::json;
use tokio::time::{Instant, timeout};

use super::changes::Changes;
use super::outcome::Before;
use super::receipt::{Asked, OpenedTab, Receipt};
use crate::chromium::{LoadState, LoaderId, NavigationState};
use crate::engine::page::engine::Engine;

/// How long a page may take to go on where the question stopped it.
const GOING_ON: Duration = Duration::from_millis(500);

/// How long a navigation that the page asked for may take to begin.
const BEGINNING: Duration = Duration::from_millis(300);

/// How long a navigation that the answer began may take to arrive.
const ARRIVAL: Duration = Duration::from_secs(2);

impl Engine {
    /// Whether an action was begun and has no receipt yet.
    pub fn is_acting(&self) -> bool {
        self.state().witness.is_collecting()
    }

    /// The receipt of an action that a question interrupted: what was seen of it
    /// so far, without a word of the page, which cannot be asked now.
    pub(crate) fn interrupted(&self, asked: Asked) -> Receipt {
        let seen = self.state().witness.so_far();
        let opened = seen.opened.iter().map(|tab| OpenedTab {
            target_id: tab.target_id().clone(),
            id: None,
            url: tab.url(),
        });
        let opened = opened.collect();
        Receipt {
            opened,
            errors: seen.errors,
            dialogs: seen.dialogs,
            downloads: seen.downloads,
            denied: seen.denied,
            asked: Some(asked),
            ..Receipt::default()
        }
    }

    /// The receipt of an answer to a question that no action of ours led to.
    /// `before` is the tab before it was answered.
    pub(crate) async fn followed(&self, before: Before, deadline: Instant) -> Receipt {
        let going_on = async {
            let world = self.world(&self.page().main_frame().id).await?;
            let report = self.ask(&world, "report", &json!({})).read::<Changes>();
            self.unless_navigating(report).await
        };
        let changes = timeout(GOING_ON, going_on).await.ok().and_then(Result::ok).flatten();
        self.receipt(before, Some(changes.unwrap_or_default()), deadline).await
    }

    /// Waits a moment for the navigation that the answer began, where the receipt
    /// does not tell of it: it may have been made after the deadline of its action.
    /// `left` is the document that asked.
    pub(crate) async fn arrived_late(
        &self,
        receipt: Receipt,
        left: &LoaderId,
        deadline: Instant,
    ) -> Receipt {
        let page = self.page();
        if receipt.navigated || receipt.asked.is_some() {
            return receipt;
        }
        let time = |most: Duration| most.min(deadline.saturating_duration_since(Instant::now()));
        let begun = page.wait_until(|state| state.requested.is_none().then_some(()));
        let _ = timeout(time(BEGINNING), begun).await;
        if page.navigation() == NavigationState::Idle && page.loader() == *left {
            return receipt;
        }
        let arrived = page.wait_until(|state| {
            let main = state.frames.get(state.frames.root())?;
            let parsed = main.reached.0 == main.loader
                && main.reached.1.contains(LoadState::DomContentLoaded);
            (state.pending.is_none() && (parsed || !state.loading)).then_some(())
        });
        let _ = timeout(time(ARRIVAL), arrived).await;
        if page.loader() == *left {
            return receipt;
        }
        Receipt { url: Some(page.url()), navigated: true, navigating: None, ..receipt }
    }
}
