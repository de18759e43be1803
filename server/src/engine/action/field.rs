//! Filling fields, choosing options, focusing.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::aim::Attempts;
use super::changes::Changes;
use super::outcome::Before;
use super::receipt::{Fact, Receipt};
use crate::chromium::{Call, KeyCombination, World};
use crate::engine::error::{Error, Result};
use crate::engine::page::engine::Engine;
use crate::engine::target::target::Target;

/// What the script asks for while it fills an editor.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Step {
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
const MOST_STEPS: usize = 12;

/// An answer of the script: a step to take, or what changed in the end.
#[derive(Debug, Deserialize)]
struct Filling {
    step: Option<Step>,
    #[serde(flatten)]
    changes: Changes,
}

impl Engine {
    /// Replaces the text or value of a field, and fires the events that typing
    /// would. What the field holds afterwards is in the receipt; a text that it
    /// does not hold, whole and in some form, is an error.
    pub async fn fill(&self, target: &Target, text: &str, deadline: Instant) -> Result<Receipt> {
        let _turn = self.state().acting.lock().await;
        let mut attempts = Attempts::new(deadline);
        loop {
            let before = self.begin_action();
            match self.ask_about::<Filling>(target, "fill", json!({ "text": text })).await {
                Ok(Filling { step: None, changes }) => {
                    let before = self.watched(before, target).await;
                    return Ok(self.receipt(before, Some(changes), deadline).await);
                }
                Ok(Filling { step: Some(step), .. }) => {
                    let filled = self.fill_by_steps(target, step, text).await;
                    if filled.is_err() {
                        self.state().witness.end();
                    }
                    let changes = filled?;
                    let before = self.watched(before, target).await;
                    return Ok(self.receipt(before, changes, deadline).await);
                }
                Err(error) => {
                    self.state().witness.end();
                    attempts.again(self.page(), target, error).await?;
                }
            }
        }
    }

    /// Sends the events that an editor needs, as the script asks for them.
    async fn fill_by_steps(
        &self,
        target: &Target,
        mut step: Step,
        text: &str,
    ) -> Result<Option<Changes>> {
        let world = self.world_for(target).await?;
        for _ in 0..MOST_STEPS {
            let sent = self.unless_navigating(send(&world, step, text)).await?;
            let answer = async {
                let answer = self.ask(&world, "fillNext", &json!({})).text().await;
                self.understand::<Filling>(target, &world, answer).await
            };
            let answer = match sent {
                Some(()) => self.unless_navigating(answer).await?,
                None => None,
            };
            match answer {
                Some(Filling { step: Some(next), .. }) => step = next,
                Some(Filling { step: None, changes }) => return Ok(Some(changes)),
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

    /// Notes in which document the receipt may look again.
    async fn watched(&self, before: Before, target: &Target) -> Before {
        match self.world_for(target).await {
            Ok(world) => before.watched_in(&world),
            Err(_) => before,
        }
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
                    let before = self.watched(before, target).await;
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

async fn send(world: &World, step: Step, text: &str) -> Result<()> {
    let mac = cfg!(target_os = "macos");
    let calls = match step {
        Step::Insert => vec![world.insert_text(text)],
        Step::Type => world.type_text(text),
        Step::Select => press(world, if mac { "Meta+a" } else { "Control+a" }),
        Step::Delete => press(world, "Delete"),
        Step::End => press(world, if mac { "Meta+ArrowDown" } else { "Control+End" }),
    };
    for call in calls {
        call.await?;
    }
    Ok(())
}

fn press(world: &World, key: &str) -> Vec<Call<IgnoredAny>> {
    let combination = KeyCombination::parse(key).expect("the key has a name");
    world.press(&combination)
}
