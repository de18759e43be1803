//! Scrolling.

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::actionability::ActionRetry;
use crate::error::Result;
use crate::page::engine::Engine;
use crate::target::target::Target;

/// Where to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Towards the top.
    Up,
    /// Towards the bottom.
    Down,
    /// Towards the left.
    Left,
    /// Towards the right.
    Right,
}

/// What to scroll.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scroll {
    /// An element into view.
    IntoView(Target),
    /// The box around an element, down by pixels.
    Within(Target, u32),
    /// The page in a direction, by pixels or nearly a screen.
    Toward(Direction, Option<u32>),
    /// The page to its end.
    Bottom,
}

/// Where the box stands afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub struct ScrollPosition {
    /// Pixels from the left.
    #[serde(rename = "left")]
    pub x: f64,
    /// Pixels from the top.
    #[serde(rename = "top")]
    pub y: f64,
    /// Whether anything moved.
    pub moved: bool,
}

impl Direction {
    fn name(self) -> &'static str {
        match self {
            Self::Up => "up",
            Self::Down => "down",
            Self::Left => "left",
            Self::Right => "right",
        }
    }
}

impl Engine {
    /// Scrolls, and answers where the box stands now.
    pub async fn scroll(&self, scroll: &Scroll, deadline: Instant) -> Result<ScrollPosition> {
        let _turn = self.state().action_lock.lock().await;
        let (target, more) = argument(scroll);
        let Some(target) = target else {
            let world = self.world(&self.selector_frame()?).await?;
            return self.send_command(&world, "scroll", &more).read().await;
        };
        let mut attempts = ActionRetry::new(deadline);
        loop {
            match self.query_target(target, "scroll", more.clone()).await {
                Ok(scrolled) => return Ok(scrolled),
                Err(error) => attempts.wait_or_fail(self.page(), target, error).await?,
            }
        }
    }
}

fn argument(scroll: &Scroll) -> (Option<&Target>, Value) {
    match scroll {
        Scroll::IntoView(target) => (Some(target), json!({ "into": true })),
        Scroll::Within(target, by) => (Some(target), json!({ "direction": "down", "by": by })),
        Scroll::Toward(direction, by) => (None, json!({ "direction": direction.name(), "by": by })),
        Scroll::Bottom => (None, json!({ "end": true })),
    }
}
