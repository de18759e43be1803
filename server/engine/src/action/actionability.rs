//! Aiming: asks until an element can be operated, or the delay ends.

use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use tokio::time::{Instant, sleep};

use crate::error::{Error, RefusalKind, Result};
use crate::page::click_guard::ClickGuard;
use crate::page::coordinates::ViewportPoint;
use crate::page::engine::Engine;
use crate::target::target::Target;
use browse_chromium::{LoadState, Page, World};

/// How long an action waits for its element at most. An agent learns more from
/// the reason than from the rest of its deadline.
pub(crate) const ACTIONABILITY_TIMEOUT: Duration = Duration::from_secs(5);

/// How long it waits for an element that is not there, when the page has
/// finished loading.
const MISSING_ELEMENT_TIMEOUT: Duration = Duration::from_secs(1);

/// Kept free before the deadline, so that the reason arrives in time.
const DEADLINE_MARGIN: Duration = Duration::from_millis(100);

/// Pauses between attempts.
const RETRY_DELAYS_MS: [u64; 5] = [8, 16, 32, 64, 100];

/// What an action wants of its element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Actionability {
    /// It must be enabled, as for a click.
    Enabled,
    /// It only must be there, as for a hover.
    Visible,
}

/// An element under the pointer to be.
pub(crate) struct ActionTarget {
    pub world: Arc<World>,
    pub token: u64,
    pub role: String,
    pub name: String,
    /// In the viewport of the main frame.
    pub x: f64,
    pub y: f64,
    /// Worlds of all other frames that are guarded.
    pub guarded_worlds: Vec<Arc<World>>,
}

#[derive(Deserialize)]
struct ActionPoint {
    x: f64,
    y: f64,
    role: String,
    name: String,
}

impl Engine {
    /// Aims once: checks the element, scrolls it into view, hit-tests it in
    /// every frame around it, and arms the guards.
    pub(crate) async fn prepare_target(
        &self,
        target: &Target,
        wants: Actionability,
        deadline: Instant,
    ) -> Result<ActionTarget> {
        self.prepare_target_at(target, wants, None, deadline).await
    }

    /// The same, at a point from the top left corner of the element.
    pub(crate) async fn prepare_target_at(
        &self,
        target: &Target,
        wants: Actionability,
        offset: Option<(f64, f64)>,
        deadline: Instant,
    ) -> Result<ActionTarget> {
        let guard = ClickGuard { token: self.next_guard_token(), until: deadline };
        let token = guard.token;
        let world = self.world_for(target).await?;
        let others = self.install_click_guards(&world, guard);
        let point = self.prepare_target_in(target, &world, wants, offset, guard).await;
        let others = self.await_click_guards(others).await;
        match point {
            Ok((point, placed)) => Ok(ActionTarget {
                world,
                token,
                role: point.role,
                name: point.name,
                x: placed.x,
                y: placed.y,
                guarded_worlds: others,
            }),
            Err(error) => {
                self.remove_click_guards(&others, token);
                Err(error)
            }
        }
    }

    async fn prepare_target_in(
        &self,
        target: &Target,
        world: &World,
        wants: Actionability,
        offset: Option<(f64, f64)>,
        guard: ClickGuard,
    ) -> Result<(ActionPoint, ViewportPoint)> {
        let argument = json!({
            "target": target.query,
            "enabled": wants == Actionability::Enabled,
            "offset": offset,
            "guard": guard.token,
            "life": guard.lifetime_ms(),
        });
        let answer = self.send_command(world, "aim", &argument).text().await;
        let point: ActionPoint = self.decode_target_answer(target, world, answer).await?;
        let placed = self.to_viewport(world, point.x, point.y).await?;
        Ok((point, placed))
    }
}

/// When to give up.
pub(crate) struct ActionRetry {
    started: Instant,
    deadline: Instant,
    delays: std::slice::Iter<'static, u64>,
    last_delay: u64,
}

impl ActionRetry {
    pub fn new(deadline: Instant) -> Self {
        let now = Instant::now();
        let until =
            (now + ACTIONABILITY_TIMEOUT).min(deadline.checked_sub(DEADLINE_MARGIN).unwrap_or(now));
        Self { started: now, deadline: until, delays: RETRY_DELAYS_MS.iter(), last_delay: 0 }
    }

    /// Waits before another attempt, or answers the error when it is final or
    /// the time is over.
    pub async fn wait_or_fail(&mut self, page: &Page, target: &Target, error: Error) -> Result<()> {
        let passes = match &error {
            Error::Refused { kind, .. } => kind.is_retryable(),
            // A selector may match in the document that replaced this one.
            Error::Browser(browse_chromium::Error::StaleContext) => target.ref_number().is_none(),
            Error::Browser(_) => false,
        };
        // A ref that does not resolve is not waited for.
        let dead = target.ref_number().is_some() && error.kind() == Some(RefusalKind::NotFound);
        if !passes || dead {
            return Err(error);
        }
        self.last_delay = *self.delays.next().unwrap_or(&self.last_delay);
        let pause = Duration::from_millis(self.last_delay);
        let settled =
            error.kind() == Some(RefusalKind::NotFound) && page.has_reached(LoadState::NetworkIdle);
        let until = if settled {
            self.deadline.min(self.started + MISSING_ELEMENT_TIMEOUT)
        } else {
            self.deadline
        };
        if Instant::now() + pause >= until {
            return Err(error);
        }
        sleep(pause).await;
        Ok(())
    }
}
