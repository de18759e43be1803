//! Actions that a question of the page interrupts, and what follows its answer.

use std::time::Duration;

use serde_json::json;
use tokio::time::{Instant, timeout};

use super::effects::ActionEffects;
use super::outcome::TabBaseline;
use super::receipt::{ActionReceipt, OpenDialog, OpenedTab};
use crate::page::engine::Engine;
use browse_chromium::{LoaderId, NavigationState};

/// How long a page may take to go on where the question stopped it.
const RESUME_TIMEOUT: Duration = Duration::from_millis(500);

/// How long a navigation that the page asked for may take to begin.
const NAVIGATION_START_TIMEOUT: Duration = Duration::from_millis(300);

/// How long a navigation that the answer began may take to arrive.
const NAVIGATION_COMMIT_TIMEOUT: Duration = Duration::from_secs(2);

impl Engine {
    /// Whether an action was begun and has no receipt yet.
    pub fn is_acting(&self) -> bool {
        self.state().side_effects.is_collecting()
    }

    /// The receipt of an action that a question interrupted: what was seen of it
    /// so far, without a word of the page, which cannot be asked now.
    pub fn interrupted_receipt(&self, asked: OpenDialog) -> ActionReceipt {
        let seen = self.state().side_effects.collected();
        let opened = seen.opened_tabs.iter().map(|tab| OpenedTab {
            target_id: tab.target_id().clone(),
            tab_id: None,
            url: tab.url(),
        });
        let opened = opened.collect();
        ActionReceipt {
            opened_tabs: opened,
            errors: seen.console_errors,
            dialogs: seen.dialogs,
            downloads: seen.downloads,
            denied_urls: seen.denied_urls,
            open_dialog: Some(asked),
            ..ActionReceipt::default()
        }
    }

    /// The receipt of an answer to a question that no action of ours led to.
    /// `before` is the tab before it was answered.
    pub async fn dialog_answer_receipt(
        &self,
        before: TabBaseline,
        deadline: Instant,
    ) -> ActionReceipt {
        let going_on = async {
            let world = self.world(&self.page().main_frame().id).await?;
            let report = self.send_command(&world, "report", &json!({})).read::<ActionEffects>();
            self.unless_navigating(report).await
        };
        let changes = timeout(RESUME_TIMEOUT, going_on).await.ok().and_then(Result::ok).flatten();
        self.receipt(before, Some(changes.unwrap_or_default()), deadline).await
    }

    /// Waits a moment for the navigation that the answer began, where the receipt
    /// does not tell of it: it may have been made after the deadline of its action.
    /// `left` is the document that asked.
    pub async fn await_late_navigation(
        &self,
        receipt: ActionReceipt,
        left: &LoaderId,
        deadline: Instant,
    ) -> ActionReceipt {
        let page = self.page();
        if receipt.navigated || receipt.open_dialog.is_some() {
            return receipt;
        }
        let time = |most: Duration| most.min(deadline.saturating_duration_since(Instant::now()));
        let begun = page.wait_for_requested_navigation();
        let _ = timeout(time(NAVIGATION_START_TIMEOUT), begun).await;
        if page.navigation() == NavigationState::Idle && page.loader() == *left {
            return receipt;
        }
        let _ = timeout(time(NAVIGATION_COMMIT_TIMEOUT), page.wait_until_parsed()).await;
        if page.loader() == *left {
            return receipt;
        }
        ActionReceipt { url: Some(page.url()), navigated: true, pending_url: None, ..receipt }
    }
}
