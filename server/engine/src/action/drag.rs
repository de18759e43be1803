//! Dragging one element onto another.
//!
//! Two things are called so. Pages that follow the pointer get its moves and a
//! release. A page that uses HTML5 drag and drop lets the browser take over
//! once the pointer has moved far enough; then the rest of the way is asked to
//! the browser as a drag.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep, timeout};

use super::actionability::{ActionRetry, ActionTarget, Actionability};
use super::effects::ActionEffects;
use super::receipt::ActionReceipt;
use crate::error::{Error, RefusalKind, Result};
use crate::page::engine::Engine;
use crate::page::fact::Fact;
use crate::page::refusal::{CoveringElement, subject_phrase, with_element};
use crate::target::target::Target;
use browse_chromium::{DragStep, MouseButton, MouseEvent, MouseEventKind, Page};

/// How long the browser may take to hand over a drag that has begun.
const DRAG_INTERCEPT_TIMEOUT: Duration = Duration::from_secs(1);

/// How long the events at the end of a drag may take to reach the page.
const DROP_EVENT_TIMEOUT: Duration = Duration::from_millis(300);

/// How long items may take to make room for what is dragged.
const DROP_TARGET_SETTLE_TIMEOUT: Duration = Duration::from_secs(1);

/// The time after which a browser tells a page again that something is dragged over it.
const DRAG_OVER_INTERVAL: Duration = Duration::from_millis(50);

/// How to drag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DragOptions {
    /// Moves on the way.
    pub steps: u32,
    /// How long the button is down before the first move.
    pub press_delay: Duration,
}

/// What a frame knows of the drag.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct DragState {
    began: bool,
    dropped: bool,
    effect: String,
    /// Whether something on the page is moving to another place.
    moving: bool,
    delivered: bool,
    stray: Option<CoveringElement>,
}

/// A drag in the middle. Dropping it lets go of everything.
struct ActiveDrag<'a> {
    page: &'a Page,
    position: (f64, f64),
    /// What the browser handed over, once it did.
    drag_data: Option<Value>,
    /// Whether something is to be let go.
    is_button_down: bool,
}

impl Engine {
    /// Drags `source` onto `onto`. What was dragged is let go in any case.
    pub async fn drag(
        &self,
        source: &Target,
        onto: &Target,
        how: DragOptions,
        deadline: Instant,
    ) -> Result<ActionReceipt> {
        let _turn = self.state().action_lock.lock().await;
        let mut attempts = ActionRetry::new(deadline);
        let (aimed, to) = loop {
            match self.prepare_drag_endpoints(source, onto, deadline).await {
                Ok(both) => break both,
                Err((target, error)) => attempts.wait_or_fail(self.page(), target, error).await?,
            }
        };
        let outcome = self.perform_drag(&aimed, onto, to, how, deadline).await;
        self.remove_click_guards(&aimed.guarded_worlds, aimed.token);
        if outcome.is_err() {
            self.state().side_effects.finish();
            self.send_command(&aimed.world, "settle", &json!({ "token": aimed.token }))
                .text()
                .await
                .ok();
        }
        outcome
    }

    /// Aims at both ends; the end of the way is left open when both are never
    /// in view together. An error says whose it is.
    async fn prepare_drag_endpoints<'a>(
        &self,
        source: &'a Target,
        onto: &'a Target,
        deadline: Instant,
    ) -> Result<(ActionTarget, Option<(f64, f64)>), (&'a Target, Error)> {
        self.drag_point(onto, false).await.map_err(|error| (onto, error))?;
        let aimed = self
            .prepare_target(source, Actionability::Enabled, deadline)
            .await
            .map_err(|error| (source, error))?;
        let to = self.drag_point(onto, true).await.ok();
        Ok((aimed, to))
    }

    /// A point on the target, for the pointer to come to. With `still`,
    /// nothing in its frame is scrolled.
    async fn drag_point(&self, target: &Target, still: bool) -> Result<(f64, f64)> {
        let world = self.world_for(target).await?;
        let argument = json!({ "target": target.query, "still": still });
        let answer = self.send_command(&world, "aim", &argument).text().await;
        let point: DragPoint = self.decode_target_answer(target, &world, answer).await?;
        let placed = self.to_viewport(&world, point.x, point.y).await?;
        Ok((placed.x, placed.y))
    }

    /// Presses, moves and lets go.
    async fn perform_drag(
        &self,
        aimed: &ActionTarget,
        onto: &Target,
        to: Option<(f64, f64)>,
        how: DragOptions,
        deadline: Instant,
    ) -> Result<ActionReceipt> {
        let goal = self.world_for(onto).await?;
        for world in [&aimed.world, &goal] {
            self.send_command(world, "watchDrag", &json!({})).text().await?;
        }
        let before = self.begin_action().with_world(&aimed.world);
        let mut hand = ActiveDrag {
            page: self.page(),
            position: (aimed.x, aimed.y),
            drag_data: None,
            is_button_down: false,
        };
        hand.page.intercept_drags(true).await?;
        self.press_down(&mut hand, aimed).await?;
        sleep(how.press_delay.min(deadline.saturating_duration_since(Instant::now()))).await;
        let to = match to {
            Some(to) => to,
            // Out of the way of what is dragged, and scrolled into view.
            None => {
                self.move_pointer(&mut hand, aimed, (aimed.x + 4.0, aimed.y + 4.0)).await?;
                self.drag_point(onto, false).await?
            }
        };
        let (from, steps) = (hand.position, f64::from(how.steps.max(1)));
        for step in 1..=how.steps.max(1) {
            let part = f64::from(step) / steps;
            let at = (from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part);
            self.move_pointer(&mut hand, aimed, at).await?;
        }
        // Pages learn where they are dragged over with the event after the one
        // that brought the pointer there.
        self.move_pointer(&mut hand, aimed, to).await?;
        self.hover_until_settled(&mut hand, aimed).await?;
        let taken = hand.drag_data.is_some();
        self.release(&mut hand).await?;
        let settled = self
            .send_command(&aimed.world, "settle", &json!({ "token": aimed.token }))
            .read::<ActionEffects>();
        let changes = self.unless_navigating(settled).await?;
        let dropped = match taken {
            true => Some(self.was_dropped(aimed, &goal).await?),
            false => None,
        };
        let mut receipt = self.receipt(before, changes, deadline).await;
        receipt.result = match dropped {
            Some(false) => Some(Fact::new("the page did not take the drop")),
            Some(true) => Some(Fact::new("dropped")),
            None => receipt.result,
        };
        Ok(receipt)
    }

    /// Presses the button, and makes sure that the element got it.
    async fn press_down(&self, hand: &mut ActiveDrag<'_>, aimed: &ActionTarget) -> Result<()> {
        self.send_mouse_event(hand, MouseEventKind::Move { held_buttons: 0 }).await?;
        hand.is_button_down = true;
        self.send_mouse_event(hand, MouseEventKind::Press { button: MouseButton::Left, count: 1 })
            .await?;
        let state = self.drag_state(aimed, false).await?;
        if state.is_none_or(|state| state.delivered) {
            return Ok(());
        }
        let message = format!("{} did not get the press", subject_phrase(&aimed.role));
        Err(with_element(Error::refused(RefusalKind::Missed, message), &aimed.role, &aimed.name))
    }

    /// Moves on, by whatever way the page wants to be dragged.
    async fn move_pointer(
        &self,
        hand: &mut ActiveDrag<'_>,
        aimed: &ActionTarget,
        at: (f64, f64),
    ) -> Result<()> {
        hand.position = at;
        if let Some(data) = &hand.drag_data {
            let over = hand.page.dispatch_drag(DragStep::Over, at, data);
            return self.await_event_handled(over).await;
        }
        self.send_mouse_event(hand, MouseEventKind::Move { held_buttons: 0 }).await?;
        if !self.drag_state(aimed, false).await?.unwrap_or_default().began {
            return Ok(());
        }
        if let Ok(data) = timeout(DRAG_INTERCEPT_TIMEOUT, hand.page.wait_drag_data()).await {
            let data = data?;
            let enter = hand.page.dispatch_drag(DragStep::Enter, at, &data);
            hand.drag_data = Some(data);
            self.await_event_handled(enter).await?;
        }
        Ok(())
    }

    /// Stays over the goal, as a browser does that goes on telling the page so,
    /// until items that make room have come to rest: most lists look only then
    /// where the pointer is.
    async fn hover_until_settled(
        &self,
        hand: &mut ActiveDrag<'_>,
        aimed: &ActionTarget,
    ) -> Result<()> {
        let until = Instant::now() + DROP_TARGET_SETTLE_TIMEOUT;
        while let Some(data) = &hand.drag_data
            && Instant::now() < until
            && self.drag_state(aimed, false).await?.is_some_and(|state| state.moving)
        {
            sleep(DRAG_OVER_INTERVAL).await;
            let over = hand.page.dispatch_drag(DragStep::Over, hand.position, data);
            self.await_event_handled(over).await?;
        }
        Ok(())
    }

    async fn release(&self, hand: &mut ActiveDrag<'_>) -> Result<()> {
        hand.is_button_down = false;
        match hand.drag_data.take() {
            Some(data) => {
                hand.page.forget_button(MouseButton::Left);
                let drop = hand.page.dispatch_drag(DragStep::Drop, hand.position, &data);
                self.await_event_handled(drop).await
            }
            None => {
                let release = MouseEventKind::Release { button: MouseButton::Left, count: 1 };
                self.send_mouse_event(hand, release).await
            }
        }
    }

    /// Whether the page took what was dropped on it.
    async fn was_dropped(
        &self,
        aimed: &ActionTarget,
        goal: &browse_chromium::World,
    ) -> Result<bool> {
        let until = Instant::now() + DROP_EVENT_TIMEOUT;
        loop {
            let over = Instant::now() >= until;
            let mut taken = false;
            for world in [&aimed.world, goal] {
                let state = self
                    .send_command(world, "dragState", &json!({ "end": over }))
                    .read::<DragState>();
                match self.unless_navigating(state).await? {
                    // The page left for what was dropped on it.
                    None => return Ok(true),
                    Some(state) => {
                        taken |= state.dropped || !matches!(state.effect.as_str(), "" | "none");
                    }
                }
            }
            if taken || over {
                return Ok(taken);
            }
            sleep(Duration::from_millis(10)).await;
        }
    }

    /// What the frame of the source knows; none when it is being left.
    async fn drag_state(&self, aimed: &ActionTarget, end: bool) -> Result<Option<DragState>> {
        let state = self
            .send_command(&aimed.world, "dragState", &json!({ "end": end }))
            .read::<DragState>();
        self.unless_navigating(state).await
    }

    async fn send_mouse_event(&self, hand: &ActiveDrag<'_>, kind: MouseEventKind) -> Result<()> {
        let (x, y) = hand.position;
        self.await_event_handled(hand.page.send_mouse_event(MouseEvent {
            kind,
            x,
            y,
            modifiers: 0,
        }))
        .await
    }
}

#[derive(Deserialize)]
struct DragPoint {
    x: f64,
    y: f64,
}

impl Drop for ActiveDrag<'_> {
    fn drop(&mut self) {
        if let Some(data) = &self.drag_data {
            self.page.forget_button(MouseButton::Left);
            self.page.dispatch_drag(DragStep::Cancel, self.position, data).ignore();
        } else if self.is_button_down {
            let kind = MouseEventKind::Release { button: MouseButton::Left, count: 1 };
            let (x, y) = self.position;
            self.page.send_mouse_event(MouseEvent { kind, x, y, modifiers: 0 }).ignore();
        }
        self.page.intercept_drags(false).ignore();
    }
}
