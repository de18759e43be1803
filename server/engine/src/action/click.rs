//! Clicking and hovering with the real mouse.

use std::time::Duration;

use futures::future::join_all;
use serde::de::IgnoredAny;
use serde_json::json;
use tokio::time::{Instant, timeout};

use super::actionability::{ActionRetry, ActionTarget, Actionability};
use super::delivery::verify_delivery;
use super::effects::ActionEffects;
use super::gesture::{Button, Click, Gesture, Modifiers};
use super::receipt::ActionReceipt;
use crate::error::Result;
use crate::page::engine::Engine;
use crate::page::fact::Fact;
use crate::page::script_call;
use crate::target::target::Target;
use browse_chromium::{CdpCall, MouseEvent, MouseEventKind};

/// How long the documents around may take to say what changed in them.
const FRAME_REPORT_TIMEOUT: Duration = Duration::from_millis(300);

impl Engine {
    /// Clicks, when the element is ready for it. An undelivered click is an
    /// error, and was stopped before the page saw it.
    pub async fn click(
        &self,
        target: &Target,
        click: &Click,
        deadline: Instant,
    ) -> Result<ActionReceipt> {
        self.gesture(target, &Gesture::Click(*click), deadline).await
    }

    /// Moves the pointer over an element.
    pub async fn hover(&self, target: &Target, deadline: Instant) -> Result<ActionReceipt> {
        self.gesture(target, &Gesture::Hover, deadline).await
    }

    async fn gesture(
        &self,
        target: &Target,
        gesture: &Gesture,
        deadline: Instant,
    ) -> Result<ActionReceipt> {
        let _turn = self.state().action_lock.lock().await;
        let mut attempts = ActionRetry::new(deadline);
        loop {
            match self.gesture_once(target, gesture, deadline).await {
                Ok(receipt) => return Ok(receipt),
                Err(error) => attempts.wait_or_fail(self.page(), target, error).await?,
            }
        }
    }

    async fn gesture_once(
        &self,
        target: &Target,
        gesture: &Gesture,
        deadline: Instant,
    ) -> Result<ActionReceipt> {
        let wants = if matches!(gesture, Gesture::Click(_)) {
            Actionability::Enabled
        } else {
            Actionability::Visible
        };
        let offset = match gesture {
            Gesture::Click(click) => click.offset,
            Gesture::Hover => None,
        };
        let aimed = self.prepare_target_at(target, wants, offset, deadline).await?;
        let before = self.begin_action().with_world(&aimed.world);
        let changes = self.deliver(&aimed, gesture).await?;
        let changes = self.merge_frame_effects(&aimed, changes).await;
        let proof = verify_delivery(&aimed, gesture, changes.as_ref()).inspect_err(|_| {
            self.state().side_effects.finish();
        })?;
        let mut receipt = self.receipt(before, changes, deadline).await;
        // What it does may be a matter of style alone.
        if matches!(gesture, Gesture::Hover) && !receipt.has_effects() {
            receipt.result = Some(Fact::new("hovered"));
        }
        proof.apply_to(&aimed, receipt)
    }

    /// Writes all events in one flight, and waits until the page handled them.
    /// Answers what changed; nothing when the document went.
    async fn deliver(
        &self,
        aimed: &ActionTarget,
        gesture: &Gesture,
    ) -> Result<Option<ActionEffects>> {
        let (early, events) = self.page().session().batch_writes(|| {
            (self.await_click(aimed, gesture), self.dispatch_events(aimed, gesture))
        });
        let handled = async {
            for event in events {
                self.await_event_handled(event).await?;
            }
            let settled =
                self.send_command(&aimed.world, "settle", &json!({ "token": aimed.token }));
            self.unless_navigating(settled.read()).await
        };
        tokio::select! {
            biased;
            changes = early_click_effects(early) => Ok(Some(changes)),
            changes = handled => changes,
        }
    }

    /// Adds what the documents around have to say of the action, where that is asked:
    /// a frame that was clicked may have reported them, and what nobody heard here they
    /// may have stopped. Their guards are taken down.
    async fn merge_frame_effects(
        &self,
        aimed: &ActionTarget,
        changes: Option<ActionEffects>,
    ) -> Option<ActionEffects> {
        let main = &self.page().main_frame().id;
        let mut changes = match changes {
            Some(changes) if aimed.world.frame() != main || !changes.delivered => changes,
            changes => {
                self.remove_click_guards(&aimed.guarded_worlds, aimed.token);
                return changes;
            }
        };
        let asked =
            aimed.guarded_worlds.iter().map(|world| {
                let settled = self.send_command(world, "settle", &json!({ "token": aimed.token }));
                async move {
                    (world, timeout(FRAME_REPORT_TIMEOUT, settled.read::<ActionEffects>()).await)
                }
            });
        for (world, reported) in join_all(asked).await {
            if let Ok(Ok(other)) = reported {
                changes.add(other, world.frame() == main);
            }
        }
        Some(changes)
    }

    fn dispatch_events(&self, aimed: &ActionTarget, gesture: &Gesture) -> Vec<CdpCall<IgnoredAny>> {
        let at = |kind, modifiers| {
            self.page().send_mouse_event(MouseEvent { kind, x: aimed.x, y: aimed.y, modifiers })
        };
        let still = MouseEventKind::Move { held_buttons: 0 };
        let Gesture::Click(Click { button, count, modifiers: Modifiers(keys), .. }) = *gesture
        else {
            return vec![at(still, 0)];
        };
        let mut calls = vec![at(still, keys)];
        for count in 1..=count.max(1) {
            calls.push(at(MouseEventKind::Press { button, count }, keys));
            calls.push(at(MouseEventKind::Release { button, count }, keys));
        }
        calls
    }

    /// Asks the page to tell of a click by itself, as soon as it has handled it.
    fn await_click(&self, aimed: &ActionTarget, gesture: &Gesture) -> Option<CdpCall<String>> {
        match gesture {
            // What a frame tells the page around it comes there later.
            _ if aimed.world.frame() != &self.page().main_frame().id => None,
            Gesture::Click(Click { button: Button::Left, count, .. }) => {
                let (token, count) = (aimed.token, (*count).max(1));
                let question = format!("browseEngine.heedClick({token},{count})");
                Some(aimed.world.evaluate(&question))
            }
            _ => None,
        }
    }
}

/// What the page tells of a click that was delivered; never anything else. A
/// document that is gone, or no word, is for those who ask.
async fn early_click_effects(early: Option<CdpCall<String>>) -> ActionEffects {
    let Some(early) = early else { return std::future::pending().await };
    match early.await.ok().and_then(|text| script_call::decode::<ActionEffects>(&text).ok()) {
        Some(changes) if changes.delivered => changes,
        _ => std::future::pending().await,
    }
}
