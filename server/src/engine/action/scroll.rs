//! Scrolling.

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::aim::Attempts;
use crate::engine::error::Result;
use crate::engine::page::engine::Engine;
use crate::engine::target::target::Target;

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
    Into(Target),
    /// The box around an element, down by pixels.
    Within(Target, u32),
    /// The page in a direction, by pixels or nearly a screen.
    Toward(Direction, Option<u32>),
    /// The page to its end.
    Bottom,
}

/// Where the box stands afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub struct Point {
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
    fn word(self) -> &'static str {
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
    pub async fn scroll(&self, scroll: &Scroll, deadline: Instant) -> Result<Point> {
        let _turn = self.state().acting.lock().await;
        let (target, more) = argument(scroll);
        let Some(target) = target else {
            let world = self.world(&self.frame()?).await?;
            return self.ask(&world, "scroll", &more).read().await;
        };
        let mut attempts = Attempts::new(deadline);
        loop {
            match self.ask_about(target, "scroll", more.clone()).await {
                Ok(scrolled) => return Ok(scrolled),
                Err(error) => attempts.again(self.page(), target, error).await?,
            }
        }
    }
}

fn argument(scroll: &Scroll) -> (Option<&Target>, Value) {
    match scroll {
        Scroll::Into(target) => (Some(target), json!({ "into": true })),
        Scroll::Within(target, by) => (Some(target), json!({ "direction": "down", "by": by })),
        Scroll::Toward(direction, by) => (None, json!({ "direction": direction.word(), "by": by })),
        Scroll::Bottom => (None, json!({ "end": true })),
    }
}
