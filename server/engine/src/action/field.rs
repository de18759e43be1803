//! Filling fields, choosing options, focusing.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::actionability::ActionRetry;
use super::effects::ActionEffects;
use super::outcome::TabBaseline;
use super::receipt::ActionReceipt;
use crate::error::{Error, Result};
use crate::page::engine::Engine;
use crate::page::fact::Fact;
use crate::target::target::Target;
use browse_chromium::{CdpCall, KeyCombination, World};

/// What the script asks for while it fills an editor.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum FillStep {
    /// The shortcut that selects everything.
    Select,
    /// The text, in one step.
    Insert,
    /// The text, a key for each character.
    Type,
    /// The key that deletes what is selected.
    Delete,
    /// The shortcut that goes to the end.
    End,
}

/// Steps that a fill takes at most.
const MAX_FILL_STEPS: usize = 12;

/// An answer of the script: a step to take, or what changed in the end.
#[derive(Debug, Deserialize)]
struct FillAnswer {
    step: Option<FillStep>,
    #[serde(flatten)]
    changes: ActionEffects,
}

impl Engine {
    /// Replaces the text or value of a field, and fires the events that typing
    /// would. What the field holds afterwards is in the receipt; a text that it
    /// does not hold, whole and in some form, is an error.
    pub async fn fill(
        &self,
        target: &Target,
        text: &str,
        deadline: Instant,
    ) -> Result<ActionReceipt> {
        let _turn = self.state().action_lock.lock().await;
        let mut attempts = ActionRetry::new(deadline);
        loop {
            let before = self.begin_action();
            match self.query_target::<FillAnswer>(target, "fill", json!({ "text": text })).await {
                Ok(FillAnswer { step: None, changes }) => {
                    let before = self.with_target_world(before, target).await;
                    return Ok(self.receipt(before, Some(changes), deadline).await);
                }
                Ok(FillAnswer { step: Some(step), .. }) => {
                    let filled = self.fill_by_steps(target, step, text).await;
                    if filled.is_err() {
                        self.state().side_effects.finish();
                    }
                    let changes = filled?;
                    let before = self.with_target_world(before, target).await;
                    return Ok(self.receipt(before, changes, deadline).await);
                }
                Err(error) => {
                    self.state().side_effects.finish();
                    attempts.wait_or_fail(self.page(), target, error).await?;
                }
            }
        }
    }

    /// Sends the events that an editor needs, as the script asks for them.
    async fn fill_by_steps(
        &self,
        target: &Target,
        mut step: FillStep,
        text: &str,
    ) -> Result<Option<ActionEffects>> {
        let world = self.world_for(target).await?;
        for _ in 0..MAX_FILL_STEPS {
            let sent = self.unless_navigating(send_fill_step(&world, step, text)).await?;
            let answer = async {
                let answer = self.send_command(&world, "fillNext", &json!({})).text().await;
                self.decode_target_answer::<FillAnswer>(target, &world, answer).await
            };
            let answer = match sent {
                Some(()) => self.unless_navigating(answer).await?,
                None => None,
            };
            match answer {
                Some(FillAnswer { step: Some(next), .. }) => step = next,
                Some(FillAnswer { step: None, changes }) => return Ok(Some(changes)),
                None => return Ok(None),
            }
        }
        Err(Error::internal("an editor takes too many steps"))
    }

    /// Chooses options of a list by value, label or text.
    pub async fn select(
        &self,
        target: &Target,
        values: &[String],
        deadline: Instant,
    ) -> Result<ActionReceipt> {
        let mut receipt =
            self.run_field_command(target, "choose", json!({ "values": values }), deadline).await?;
        receipt.result = Some(Fact::new("selected").text(receipt.selected.join(", ")));
        Ok(receipt)
    }

    /// Gives an element the focus without a click.
    pub async fn focus(&self, target: &Target, deadline: Instant) -> Result<ActionReceipt> {
        self.run_field_command(target, "focus", json!({}), deadline).await
    }

    /// Notes in which document the receipt may look again.
    async fn with_target_world(&self, before: TabBaseline, target: &Target) -> TabBaseline {
        match self.world_for(target).await {
            Ok(world) => before.with_world(&world),
            Err(_) => before,
        }
    }

    /// One command that checks and changes in one step.
    async fn run_field_command(
        &self,
        target: &Target,
        command: &str,
        more: Value,
        deadline: Instant,
    ) -> Result<ActionReceipt> {
        let _turn = self.state().action_lock.lock().await;
        let mut attempts = ActionRetry::new(deadline);
        loop {
            let before = self.begin_action();
            match self.query_target::<ActionEffects>(target, command, more.clone()).await {
                Ok(changes) => {
                    let before = self.with_target_world(before, target).await;
                    return Ok(self.receipt(before, Some(changes), deadline).await);
                }
                Err(error) => {
                    self.state().side_effects.finish();
                    attempts.wait_or_fail(self.page(), target, error).await?;
                }
            }
        }
    }
}

async fn send_fill_step(world: &World, step: FillStep, text: &str) -> Result<()> {
    let mac = cfg!(target_os = "macos");
    let calls = match step {
        FillStep::Insert => vec![world.insert_text(text)],
        FillStep::Type => world.type_text(text),
        FillStep::Select => press_key(world, if mac { "Meta+a" } else { "Control+a" }),
        FillStep::Delete => press_key(world, "Delete"),
        FillStep::End => press_key(world, if mac { "Meta+ArrowDown" } else { "Control+End" }),
    };
    for call in calls {
        call.await?;
    }
    Ok(())
}

fn press_key(world: &World, key: &str) -> Vec<CdpCall<IgnoredAny>> {
    let combination = KeyCombination::parse(key).expect("the key has a name");
    world.press(&combination)
}
