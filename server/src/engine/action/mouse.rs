//! The mouse by hand: moves, presses, releases and the wheel, at an element or
//! at a point. What is down stays down from one call to the next.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::time::{Instant, timeout};

use super::aim::{Attempts, Wants};
use super::changes::Changes;
use super::click::{Button, Modifiers};
use super::proof::unheard;
use super::receipt::Receipt;
use crate::chromium::{Call, MouseEvent, MouseEventKind, World};
use crate::engine::error::{Error, Result};
use crate::engine::page::engine::Engine;
use crate::engine::target::target::Target;

/// How long a page may take to scroll after the wheel.
const SCROLLING: Duration = Duration::from_millis(250);

/// Two frames: what the wheel moved is where it goes.
const FRAMES: &str =
    "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))";

/// Where the pointer goes.
#[derive(Debug, Clone, PartialEq)]
pub enum Spot {
    /// Nowhere else.
    Here,
    /// To a point of the viewport, in CSS pixels.
    At(f64, f64),
    /// To an element; to a point of it from its top left corner, or its middle.
    On(Target, Option<(f64, f64)>),
}

/// What the mouse does there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Mouse {
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
struct Found {
    world: Arc<World>,
    x: f64,
    y: f64,
    /// The guard of the element, when it is one.
    guard: Option<super::aim::Aimed>,
}

impl Engine {
    /// Uses the mouse. A press that an element was named for is proven to have
    /// reached it, as a click is.
    pub async fn use_mouse(
        &self,
        spot: &Spot,
        mouse: Mouse,
        modifiers: Modifiers,
        deadline: Instant,
    ) -> Result<Receipt> {
        let _turn = self.state().acting.lock().await;
        let mut attempts = Attempts::new(deadline);
        loop {
            let error = match self.use_mouse_once(spot, mouse, modifiers, deadline).await {
                Ok(receipt) => return Ok(receipt),
                Err(error) => error,
            };
            match spot {
                Spot::On(target, _) => attempts.again(self.page(), target, error).await?,
                _ => return Err(error),
            }
        }
    }

    async fn use_mouse_once(
        &self,
        spot: &Spot,
        mouse: Mouse,
        modifiers: Modifiers,
        deadline: Instant,
    ) -> Result<Receipt> {
        let found = self.find_spot(spot, deadline).await?;
        let before = self.begin_action().watched_in(&found.world);
        let at = |kind, x, y| self.page().mouse(MouseEvent { kind, x, y, modifiers: modifiers.0 });
        if !matches!(spot, Spot::Here) {
            let from = self.page().mouse_state();
            let steps = if let Mouse::Move(steps) = mouse { steps.max(1) } else { 1 };
            for step in 1..=steps {
                let part = f64::from(step) / f64::from(steps);
                let x = from.x + (found.x - from.x) * part;
                let y = from.y + (found.y - from.y) * part;
                self.handled(at(MouseEventKind::Move { held: 0 }, x, y)).await?;
            }
        }
        let kinds = match mouse {
            Mouse::Move(_) => Vec::new(),
            Mouse::Down(button) => vec![MouseEventKind::Press { button, count: 1 }],
            Mouse::Up(button) => vec![MouseEventKind::Release { button, count: 1 }],
            Mouse::Click(button, clicks) => {
                let click = |count| {
                    [
                        MouseEventKind::Press { button, count },
                        MouseEventKind::Release { button, count },
                    ]
                };
                (1..=clicks).flat_map(click).collect()
            }
            Mouse::Wheel(dx, dy) => vec![MouseEventKind::Wheel { dx, dy }],
        };
        for kind in kinds {
            self.handled(at(kind, found.x, found.y)).await?;
        }
        if matches!(mouse, Mouse::Wheel(..)) {
            let frames = found.world.evaluate::<serde::de::IgnoredAny>(FRAMES);
            let _ = timeout(SCROLLING, frames).await;
        }
        let changes = self.mouse_changes(&found).await?;
        if let (Some(aimed), Some(changes)) = (&found.guard, &changes) {
            // While a button is down the pointer may be captured by another.
            let proven = match mouse {
                Mouse::Down(_) => changes.delivered,
                _ => true,
            };
            if !proven {
                self.state().witness.end();
                if let Mouse::Down(button) = mouse {
                    at(MouseEventKind::Release { button, count: 1 }, found.x, found.y).ignore();
                }
                return Err(unheard(aimed, changes));
            }
        }
        Ok(self.receipt(before, changes, deadline).await)
    }

    async fn find_spot(&self, spot: &Spot, deadline: Instant) -> Result<Found> {
        if let Spot::On(target, offset) = spot {
            let aimed = self.aim_at(target, Wants::Visible, *offset, deadline).await?;
            let (world, x, y) = (Arc::clone(&aimed.world), aimed.x, aimed.y);
            return Ok(Found { world, x, y, guard: Some(aimed) });
        }
        let pointer = self.page().mouse_state();
        let (x, y) = match spot {
            Spot::At(x, y) => (*x, *y),
            _ => (pointer.x, pointer.y),
        };
        let world = self.world(&self.page().main_frame().id).await?;
        self.ask(&world, "watch", &json!({})).text().await?;
        Ok(Found { world, x, y, guard: None })
    }

    async fn mouse_changes(&self, found: &Found) -> Result<Option<Changes>> {
        let answer = match &found.guard {
            Some(aimed) => self.ask(&found.world, "settle", &json!({ "token": aimed.token })),
            None => self.ask(&found.world, "report", &json!({})),
        };
        let changes = self.unless_navigating(answer.read::<Changes>()).await?;
        if let Some(aimed) = &found.guard {
            self.disarm(&aimed.others, aimed.token);
        }
        Ok(changes)
    }

    /// Waits until the page has handled an event, or is being left.
    pub(crate) async fn handled(&self, event: Call<serde::de::IgnoredAny>) -> Result<()> {
        let handled = async { event.await.map(drop).map_err(Error::from) };
        self.unless_navigating(handled).await.map(drop)
    }
}
