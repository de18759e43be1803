//! Filling fields, choosing options, focusing.

use serde_json::{Value, json};
use tokio::time::Instant;

use super::aim::Attempts;
use super::changes::Changes;
use super::receipt::{Fact, Receipt};
use crate::engine::error::Result;
use crate::engine::page::engine::Engine;
use crate::engine::target::target::Target;

impl Engine {
    /// Replaces the text or value of a field, and fires the events that typing
    /// would. A field that does not take the text is an error.
    pub async fn fill(&self, target: &Target, text: &str, deadline: Instant) -> Result<Receipt> {
        self.change(target, "fill", json!({ "text": text }), deadline).await
    }

    /// Chooses options of a list by value, label or text.
    pub async fn select(
        &self,
        target: &Target,
        values: &[String],
        deadline: Instant,
    ) -> Result<Receipt> {
        let mut receipt =
            self.change(target, "choose", json!({ "values": values }), deadline).await?;
        receipt.result = Some(Fact::new("selected").text(receipt.selected.join(", ")));
        Ok(receipt)
    }

    /// Gives an element the focus without a click.
    pub async fn focus(&self, target: &Target, deadline: Instant) -> Result<Receipt> {
        self.change(target, "focus", json!({}), deadline).await
    }

    /// One command that checks and changes in one step.
    async fn change(
        &self,
        target: &Target,
        command: &str,
        more: Value,
        deadline: Instant,
    ) -> Result<Receipt> {
        let _turn = self.state().acting.lock().await;
        let mut attempts = Attempts::new(deadline);
        loop {
            let before = self.begin_action();
            match self.ask_about::<Changes>(target, command, more.clone()).await {
                Ok(changes) => {
                    let before = match self.world_for(target).await {
                        Ok(world) => before.watched_in(&world),
                        Err(_) => before,
                    };
                    return Ok(self.receipt(before, Some(changes), deadline).await);
                }
                Err(error) => {
                    self.state().witness.end();
                    attempts.again(self.page(), target, error).await?;
                }
            }
        }
    }
}
