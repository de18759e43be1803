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
#[derive(Debug, Clone, PartialEq)]
pub enum Scroll {
    /// An element into view.
    Into(Target),
    /// The box around an element (or the page) in a direction, by pixels or
    /// nearly a screen.
    Towards {
        /// The box; none for the page.
        target: Option<Target>,
        /// The direction.
        direction: Direction,
        /// Pixels; none for nearly a screen.
        by: Option<f64>,
    },
    /// The page to its end.
    ToEnd,
}

/// Where the box stands afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub struct Scrolled {
    /// Whether anything moved.
    pub moved: bool,
    /// Pixels from the left.
    pub left: f64,
    /// Pixels from the top.
    pub top: f64,
    /// Height of the content.
    pub height: f64,
    /// Height of what shows of it.
    pub view: f64,
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
    pub async fn scroll(&self, scroll: &Scroll, deadline: Instant) -> Result<Scrolled> {
        let _turn = self.state().acting.lock().await;
        let (target, more) = argument(scroll);
        let Some(target) = target else {
            let world = self.world(&self.frame()).await?;
            return self.ask(&world, "scroll", &more).read().await;
        };
        let mut attempts = Attempts::new(deadline);
        loop {
            match self.ask_about(target, "scroll", more.clone()).await {
                Ok(scrolled) => return Ok(scrolled),
                Err(error) => attempts.again(target, error).await?,
            }
        }
    }
}

fn argument(scroll: &Scroll) -> (Option<&Target>, Value) {
    match scroll {
        Scroll::Into(target) => (Some(target), json!({ "into": true })),
        Scroll::Towards { target, direction, by } => {
            (target.as_ref(), json!({ "direction": direction.word(), "by": by }))
        }
        Scroll::ToEnd => (None, json!({ "end": true })),
    }
}
