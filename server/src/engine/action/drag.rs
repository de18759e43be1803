//! Dragging one element onto another.
//!
//! Two things are called so. Pages that follow the pointer get its moves and a
//! release. A page that uses HTML5 drag and drop lets the browser take over
//! once the pointer has moved far enough; then the rest of the way is told to
//! the browser as a drag.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep, timeout};

use super::aim::{Aimed, Attempts, Wants};
use super::changes::Changes;
use super::receipt::{Fact, Receipt};
use crate::chromium::{DragStep, MouseButton, MouseEvent, MouseEventKind, Page};
use crate::engine::error::{Error, Kind, Result};
use crate::engine::page::engine::Engine;
use crate::engine::page::refusal::{Cover, about, subject};
use crate::engine::target::target::Target;

/// How long the browser may take to hand over a drag that has begun.
const HANDING_OVER: Duration = Duration::from_secs(1);

/// How long the events at the end of a drag may take to reach the page.
const ENDING: Duration = Duration::from_millis(300);

/// How long items may take to make room for what is dragged.
const STILL: Duration = Duration::from_secs(1);

/// The time after which a browser tells a page again that something is dragged over it.
const OVER_AGAIN: Duration = Duration::from_millis(50);

/// How to drag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Drag {
    /// Moves on the way.
    pub steps: u32,
    /// How long the button is down before the first move.
    pub hold: Duration,
}

/// What a frame knows of the drag.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Dragging {
    began: bool,
    dropped: bool,
    effect: String,
    /// Whether something on the page is moving to another place.
    moving: bool,
    delivered: bool,
    stray: Option<Cover>,
}

/// A drag in the middle. Dropping it lets go of everything.
struct Hand<'a> {
    page: &'a Page,
    at: (f64, f64),
    /// What the browser handed over, once it did.
    data: Option<Value>,
    /// Whether something is to be let go.
    down: bool,
}

impl Engine {
    /// Drags `source` onto `onto`. What was dragged is let go in any case.
    pub async fn drag(
        &self,
        source: &Target,
        onto: &Target,
        how: Drag,
        deadline: Instant,
    ) -> Result<Receipt> {
        let _turn = self.state().acting.lock().await;
        let mut attempts = Attempts::new(deadline);
        let (aimed, to) = loop {
            match self.aim_both(source, onto, deadline).await {
                Ok(both) => break both,
                Err((target, error)) => attempts.again(self.page(), target, error).await?,
            }
        };
        let outcome = self.carry(&aimed, onto, to, how, deadline).await;
        self.disarm(&aimed.others, aimed.token);
        if outcome.is_err() {
            self.state().witness.end();
            self.ask(&aimed.world, "settle", &json!({ "token": aimed.token })).text().await.ok();
        }
        outcome
    }

    /// Aims at both ends; the end of the way is left open when both are never
    /// in view together. An error says whose it is.
    async fn aim_both<'a>(
        &self,
        source: &'a Target,
        onto: &'a Target,
        deadline: Instant,
    ) -> Result<(Aimed, Option<(f64, f64)>), (&'a Target, Error)> {
        self.spot(onto, false).await.map_err(|error| (onto, error))?;
        let aimed =
            self.aim(source, Wants::Enabled, deadline).await.map_err(|error| (source, error))?;
        let to = self.spot(onto, true).await.ok();
        Ok((aimed, to))
    }

    /// A point on the target, for the pointer to come to. With `still`,
    /// nothing in its frame is scrolled.
    async fn spot(&self, target: &Target, still: bool) -> Result<(f64, f64)> {
        let world = self.world_for(target).await?;
        let argument = json!({ "target": target.query, "still": still });
        let answer = self.ask(&world, "aim", &argument).text().await;
        let point: Spot = self.understand(target, &world, answer).await?;
        let placed = self.place(&world, point.x, point.y).await?;
        Ok((placed.x, placed.y))
    }

    /// Presses, moves and lets go.
    async fn carry(
        &self,
        aimed: &Aimed,
        onto: &Target,
        to: Option<(f64, f64)>,
        how: Drag,
        deadline: Instant,
    ) -> Result<Receipt> {
        let goal = self.world_for(onto).await?;
        for world in [&aimed.world, &goal] {
            self.ask(world, "watchDrag", &json!({})).text().await?;
        }
        let before = self.begin_action().watched_in(&aimed.world);
        let mut hand = Hand { page: self.page(), at: (aimed.x, aimed.y), data: None, down: false };
        hand.page.intercept_drags(true).await?;
        self.press_down(&mut hand, aimed).await?;
        sleep(how.hold.min(deadline.saturating_duration_since(Instant::now()))).await;
        let to = match to {
            Some(to) => to,
            // Out of the way of what is dragged, and scrolled into view.
            None => {
                self.step(&mut hand, aimed, (aimed.x + 4.0, aimed.y + 4.0)).await?;
                self.spot(onto, false).await?
            }
        };
        let (from, steps) = (hand.at, f64::from(how.steps.max(1)));
        for step in 1..=how.steps.max(1) {
            let part = f64::from(step) / steps;
            let at = (from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part);
            self.step(&mut hand, aimed, at).await?;
        }
        // Pages learn where they are dragged over with the event after the one
        // that brought the pointer there.
        self.step(&mut hand, aimed, to).await?;
        self.stay_until_still(&mut hand, aimed).await?;
        let taken = hand.data.is_some();
        self.let_go(&mut hand).await?;
        let settled =
            self.ask(&aimed.world, "settle", &json!({ "token": aimed.token })).read::<Changes>();
        let changes = self.unless_navigating(settled).await?;
        let dropped = match taken {
            true => Some(self.dropped(aimed, &goal).await?),
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
    async fn press_down(&self, hand: &mut Hand<'_>, aimed: &Aimed) -> Result<()> {
        self.mouse(hand, MouseEventKind::Move { held: 0 }).await?;
        hand.down = true;
        self.mouse(hand, MouseEventKind::Press { button: MouseButton::Left, count: 1 }).await?;
        let state = self.dragging(aimed, false).await?;
        if state.is_none_or(|state| state.delivered) {
            return Ok(());
        }
        let message = format!("{} did not get the press", subject(&aimed.role));
        Err(about(Error::refused(Kind::Missed, message), &aimed.role, &aimed.name))
    }

    /// Moves on, by whatever way the page wants to be dragged.
    async fn step(&self, hand: &mut Hand<'_>, aimed: &Aimed, at: (f64, f64)) -> Result<()> {
        hand.at = at;
        if let Some(data) = &hand.data {
            let over = hand.page.drag(DragStep::Over, at, data);
            return self.handled(over).await;
        }
        self.mouse(hand, MouseEventKind::Move { held: 0 }).await?;
        if !self.dragging(aimed, false).await?.unwrap_or_default().began {
            return Ok(());
        }
        if let Ok(data) = timeout(HANDING_OVER, hand.page.dragged()).await {
            let data = data?;
            let enter = hand.page.drag(DragStep::Enter, at, &data);
            hand.data = Some(data);
            self.handled(enter).await?;
        }
        Ok(())
    }

    /// Stays over the goal, as a browser does that goes on telling the page so,
    /// until items that make room have come to rest: most lists look only then
    /// where the pointer is.
    async fn stay_until_still(&self, hand: &mut Hand<'_>, aimed: &Aimed) -> Result<()> {
        let until = Instant::now() + STILL;
        while let Some(data) = &hand.data
            && Instant::now() < until
            && self.dragging(aimed, false).await?.is_some_and(|state| state.moving)
        {
            sleep(OVER_AGAIN).await;
            let over = hand.page.drag(DragStep::Over, hand.at, data);
            self.handled(over).await?;
        }
        Ok(())
    }

    async fn let_go(&self, hand: &mut Hand<'_>) -> Result<()> {
        hand.down = false;
        match hand.data.take() {
            Some(data) => {
                hand.page.forget_button(MouseButton::Left);
                let drop = hand.page.drag(DragStep::Drop, hand.at, &data);
                self.handled(drop).await
            }
            None => {
                let release = MouseEventKind::Release { button: MouseButton::Left, count: 1 };
                self.mouse(hand, release).await
            }
        }
    }

    /// Whether the page took what was dropped on it.
    async fn dropped(&self, aimed: &Aimed, goal: &crate::chromium::World) -> Result<bool> {
        let until = Instant::now() + ENDING;
        loop {
            let over = Instant::now() >= until;
            let mut taken = false;
            for world in [&aimed.world, goal] {
                let state =
                    self.ask(world, "dragState", &json!({ "end": over })).read::<Dragging>();
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
    async fn dragging(&self, aimed: &Aimed, end: bool) -> Result<Option<Dragging>> {
        let state = self.ask(&aimed.world, "dragState", &json!({ "end": end })).read::<Dragging>();
        self.unless_navigating(state).await
    }

    async fn mouse(&self, hand: &Hand<'_>, kind: MouseEventKind) -> Result<()> {
        let (x, y) = hand.at;
        self.handled(hand.page.mouse(MouseEvent { kind, x, y, modifiers: 0 })).await
    }
}

#[derive(Deserialize)]
struct Spot {
    x: f64,
    y: f64,
}

impl Drop for Hand<'_> {
    fn drop(&mut self) {
        if let Some(data) = &self.data {
            self.page.forget_button(MouseButton::Left);
            self.page.drag(DragStep::Cancel, self.at, data).ignore();
        } else if self.down {
            let kind = MouseEventKind::Release { button: MouseButton::Left, count: 1 };
            let (x, y) = self.at;
            self.page.mouse(MouseEvent { kind, x, y, modifiers: 0 }).ignore();
        }
        self.page.intercept_drags(false).ignore();
    }
}
