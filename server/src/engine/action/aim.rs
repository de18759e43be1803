//! Aiming: asks until an element can be operated, or the patience ends.

use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use tokio::time::{Instant, sleep};

use super::place::Placed;
use crate::chromium::{self, LoadState, Page, World};
use crate::engine::error::{Error, Kind, Result};
use crate::engine::page::engine::Engine;
use crate::engine::target::target::Target;

/// How long an action waits for its element at most. An agent learns more from
/// the reason than from the rest of its deadline.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);

/// How long it waits for an element that is not there, when the page has
/// finished loading.
const SETTLED_PATIENCE: Duration = Duration::from_secs(1);

/// Kept free before the deadline, so that the reason arrives in time.
const MARGIN: Duration = Duration::from_millis(100);

/// How long a guard stands at most: when the daemon is gone, or its caller is, nobody
/// takes it away, and a person may be at the page.
const STANDS: Duration = Duration::from_secs(60);

/// Pauses between attempts.
const PAUSES_MS: [u64; 5] = [8, 16, 32, 64, 100];

/// What an action wants of its element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wants {
    /// It must be enabled, as for a click.
    Enabled,
    /// It only must be there, as for a hover.
    Visible,
}

/// An element under the pointer to be.
pub(crate) struct Aimed {
    pub world: Arc<World>,
    pub token: u64,
    pub role: String,
    pub name: String,
    /// In the viewport of the main frame.
    pub x: f64,
    pub y: f64,
    /// Worlds of all other frames that are guarded.
    pub others: Vec<Arc<World>>,
}

/// What stands before an element while an action is under way.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Guard {
    pub token: u64,
    /// When the action is over at the latest.
    pub until: Instant,
}

impl Guard {
    /// For how long it stands: a page may take all that time for one event.
    pub fn life_ms(self) -> u64 {
        let left = self.until.saturating_duration_since(Instant::now()).min(STANDS);
        u64::try_from(left.as_millis()).unwrap_or(u64::MAX)
    }
}

#[derive(Deserialize)]
struct Point {
    x: f64,
    y: f64,
    role: String,
    name: String,
}

impl Engine {
    /// Aims once: checks the element, scrolls it into view, hit-tests it in
    /// every frame around it, and arms the guards.
    pub(crate) async fn aim(
        &self,
        target: &Target,
        wants: Wants,
        deadline: Instant,
    ) -> Result<Aimed> {
        self.aim_at(target, wants, None, deadline).await
    }

    /// The same, at a point from the top left corner of the element.
    pub(crate) async fn aim_at(
        &self,
        target: &Target,
        wants: Wants,
        offset: Option<(f64, f64)>,
        deadline: Instant,
    ) -> Result<Aimed> {
        let guard = Guard { token: self.next_token(), until: deadline };
        let token = guard.token;
        let world = self.world_for(target).await?;
        let others = self.arm_others(&world, guard);
        let point = self.aim_in(target, &world, wants, offset, guard).await;
        let others = self.armed(others).await;
        match point {
            Ok((point, placed)) => Ok(Aimed {
                world,
                token,
                role: point.role,
                name: point.name,
                x: placed.x,
                y: placed.y,
                others,
            }),
            Err(error) => {
                self.disarm(&others, token);
                Err(error)
            }
        }
    }

    async fn aim_in(
        &self,
        target: &Target,
        world: &World,
        wants: Wants,
        offset: Option<(f64, f64)>,
        guard: Guard,
    ) -> Result<(Point, Placed)> {
        let argument = json!({
            "target": target.query,
            "enabled": wants == Wants::Enabled,
            "offset": offset,
            "guard": guard.token,
            "life": guard.life_ms(),
        });
        let answer = self.ask(world, "aim", &argument).text().await;
        let point: Point = self.understand(target, world, answer).await?;
        let placed = self.place(world, point.x, point.y).await?;
        Ok((point, placed))
    }
}

/// When to give up.
pub(crate) struct Attempts {
    begun: Instant,
    until: Instant,
    pauses: std::slice::Iter<'static, u64>,
    pause: u64,
}

impl Attempts {
    pub fn new(deadline: Instant) -> Self {
        let now = Instant::now();
        let until = (now + PATIENCE).min(deadline.checked_sub(MARGIN).unwrap_or(now));
        Self { begun: now, until, pauses: PAUSES_MS.iter(), pause: 0 }
    }

    /// Waits before another attempt, or answers the error when it is final or
    /// the time is over.
    pub async fn again(&mut self, page: &Page, target: &Target, error: Error) -> Result<()> {
        let passes = match &error {
            Error::Refused { kind, .. } => kind.may_pass(),
            // A selector may match in the document that replaced this one.
            Error::Browser(chromium::Error::StaleContext) => target.number().is_none(),
            Error::Browser(_) => false,
        };
        // A ref that does not resolve is not waited for.
        let dead = target.number().is_some() && error.kind() == Some(Kind::NotFound);
        if !passes || dead {
            return Err(error);
        }
        self.pause = *self.pauses.next().unwrap_or(&self.pause);
        let pause = Duration::from_millis(self.pause);
        let settled =
            error.kind() == Some(Kind::NotFound) && page.has_reached(LoadState::NetworkIdle);
        let until =
            if settled { self.until.min(self.begun + SETTLED_PATIENCE) } else { self.until };
        if Instant::now() + pause >= until {
            return Err(error);
        }
        sleep(pause).await;
        Ok(())
    }
}
