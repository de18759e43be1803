//! Taking banners, advertisements and the like out of sight.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::engine::error::Result;
use crate::engine::page::engine::Engine;

/// What to take out of sight.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Clutter {
    /// Advertisements.
    pub ads: bool,
    /// Banners that ask for consent.
    pub cookies: bool,
    /// What stays in view while the page scrolls.
    pub sticky: bool,
    /// Buttons to share and follow.
    pub social: bool,
}

impl Clutter {
    /// All of it.
    pub const ALL: Self = Self { ads: true, cookies: true, sticky: true, social: true };
}

/// What went.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct Cleaned {
    /// Elements by kind: `ads`, `cookies`, `sticky`, `social`.
    pub counts: BTreeMap<String, u32>,
    /// Whether the page can scroll again, which it could not.
    pub unlocked: bool,
}

impl Engine {
    /// Takes clutter of the main document out of sight.
    pub async fn cleanup(&self, clutter: Clutter) -> Result<Cleaned> {
        let world = self.world(&self.page().main_frame().id).await?;
        self.ask(&world, "cleanup", &clutter).read().await
    }
}
