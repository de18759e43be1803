//! The mouse by hand: moves, presses, releases and the wheel, at an element or
//! at a point. What is down stays down from one call to the next.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::time::{Instant, timeout};

use super::actionability::{ActionRetry, Actionability};
use super::delivery::undelivered;
use super::effects::ActionEffects;
use super::gesture::{Button, Modifiers};
use super::receipt::ActionReceipt;
use crate::error::{Error, Result};
use crate::page::engine::Engine;
use crate::target::target::Target;
use browse_chromium::{CdpCall, MouseEvent, MouseEventKind, World};

/// How long a page may take to scroll after the wheel.
const WHEEL_SCROLL_TIMEOUT: Duration = Duration::from_millis(250);

/// Two frames: what the wheel moved is where it goes.
const TWO_FRAMES_JS: &str =
    "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))";

/// Where the pointer goes.
#[derive(Debug, Clone, PartialEq)]
pub enum PointerTarget {
    /// Nowhere else.
    Current,
    /// To a point of the viewport, in CSS pixels.
    Viewport(f64, f64),
    /// To an element; to a point of it from its top left corner, or its middle.
    Element(Target, Option<(f64, f64)>),
}

/// What the mouse does there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MouseAction {
    /// Comes there, in so many moves.
    Move(u32),
    /// Presses a button, which stays down.
    Down(Button),
    /// Lets a button go.
    Up(Button),
    /// Presses a button and lets it go, so often.
    Click(Button, u32),
    /// Turns the wheel, by pixels to the right and down.
    Wheel(f64, f64),
}

/// Where a spot turned out to be.
struct ResolvedPointer {
    world: Arc<World>,
    x: f64,
    y: f64,
    /// The guard of the element, when it is one.
    element: Option<super::actionability::ActionTarget>,
}

impl Engine {
    /// Uses the mouse. A press that an element was named for is proven to have
    /// reached it, as a click is.
    pub async fn use_mouse(
        &self,
        spot: &PointerTarget,
        mouse: MouseAction,
        modifiers: Modifiers,
        deadline: Instant,
    ) -> Result<ActionReceipt> {
        let _turn = self.state().action_lock.lock().await;
        let mut attempts = ActionRetry::new(deadline);
        loop {
            let error = match self.use_mouse_once(spot, mouse, modifiers, deadline).await {
                Ok(receipt) => return Ok(receipt),
                Err(error) => error,
            };
            match spot {
                PointerTarget::Element(target, _) => {
                    attempts.wait_or_fail(self.page(), target, error).await?
                }
                _ => return Err(error),
            }
        }
    }

    async fn use_mouse_once(
        &self,
        spot: &PointerTarget,
        mouse: MouseAction,
        modifiers: Modifiers,
        deadline: Instant,
    ) -> Result<ActionReceipt> {
        let found = self.resolve_pointer(spot, deadline).await?;
        let before = self.begin_action().with_world(&found.world);
        let at = |kind, x, y| {
            self.page().send_mouse_event(MouseEvent { kind, x, y, modifiers: modifiers.0 })
        };
        if !matches!(spot, PointerTarget::Current) {
            let from = self.page().mouse_state();
            let steps = if let MouseAction::Move(steps) = mouse { steps.max(1) } else { 1 };
            for step in 1..=steps {
                let part = f64::from(step) / f64::from(steps);
                let x = from.x + (found.x - from.x) * part;
                let y = from.y + (found.y - from.y) * part;
                self.await_event_handled(at(MouseEventKind::Move { held_buttons: 0 }, x, y))
                    .await?;
            }
        }
        let kinds = match mouse {
            MouseAction::Move(_) => Vec::new(),
            MouseAction::Down(button) => vec![MouseEventKind::Press { button, count: 1 }],
            MouseAction::Up(button) => vec![MouseEventKind::Release { button, count: 1 }],
            MouseAction::Click(button, clicks) => {
                let click = |count| {
                    [
                        MouseEventKind::Press { button, count },
                        MouseEventKind::Release { button, count },
                    ]
                };
                (1..=clicks).flat_map(click).collect()
            }
            MouseAction::Wheel(dx, dy) => vec![MouseEventKind::Wheel { dx, dy }],
        };
        for kind in kinds {
            self.await_event_handled(at(kind, found.x, found.y)).await?;
        }
        if matches!(mouse, MouseAction::Wheel(..)) {
            let frames = found.world.evaluate::<serde::de::IgnoredAny>(TWO_FRAMES_JS);
            let _ = timeout(WHEEL_SCROLL_TIMEOUT, frames).await;
        }
        let changes = self.mouse_effects(&found).await?;
        if let (Some(aimed), Some(changes)) = (&found.element, &changes) {
            // While a button is down the pointer may be captured by another.
            let proven = match mouse {
                MouseAction::Down(_) => changes.delivered,
                _ => true,
            };
            if !proven {
                self.state().side_effects.finish();
                if let MouseAction::Down(button) = mouse {
                    at(MouseEventKind::Release { button, count: 1 }, found.x, found.y).ignore();
                }
                return Err(undelivered(aimed, changes));
            }
        }
        Ok(self.receipt(before, changes, deadline).await)
    }

    async fn resolve_pointer(
        &self,
        spot: &PointerTarget,
        deadline: Instant,
    ) -> Result<ResolvedPointer> {
        if let PointerTarget::Element(target, offset) = spot {
            let aimed =
                self.prepare_target_at(target, Actionability::Visible, *offset, deadline).await?;
            let (world, x, y) = (Arc::clone(&aimed.world), aimed.x, aimed.y);
            return Ok(ResolvedPointer { world, x, y, element: Some(aimed) });
        }
        let pointer = self.page().mouse_state();
        let (x, y) = match spot {
            PointerTarget::Viewport(x, y) => (*x, *y),
            _ => (pointer.x, pointer.y),
        };
        let world = self.world(&self.page().main_frame().id).await?;
        self.send_command(&world, "watch", &json!({})).text().await?;
        Ok(ResolvedPointer { world, x, y, element: None })
    }

    async fn mouse_effects(&self, found: &ResolvedPointer) -> Result<Option<ActionEffects>> {
        let answer = match &found.element {
            Some(aimed) => {
                self.send_command(&found.world, "settle", &json!({ "token": aimed.token }))
            }
            None => self.send_command(&found.world, "report", &json!({})),
        };
        let changes = self.unless_navigating(answer.read::<ActionEffects>()).await?;
        if let Some(aimed) = &found.element {
            self.remove_click_guards(&aimed.guarded_worlds, aimed.token);
        }
        Ok(changes)
    }

    /// Waits until the page has handled an event, or is being left.
    pub(crate) async fn await_event_handled(
        &self,
        event: CdpCall<serde::de::IgnoredAny>,
    ) -> Result<()> {
        let handled = async { event.await.map(drop).map_err(Error::from) };
        self.unless_navigating(handled).await.map(drop)
    }
}
