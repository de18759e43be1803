//! Taking banners, advertisements and the like out of sight.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::page::engine::Engine;
use crate::page::fan_out::{FrameAnswer, FrameQuery};

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
pub struct CleanupResult {
    /// Elements by kind: `ads`, `cookies`, `sticky`, `social`.
    pub counts: BTreeMap<String, u32>,
    /// Whether the page can scroll again, which it could not.
    pub unlocked: bool,
}

impl FrameAnswer for CleanupResult {
    fn closed_root_candidates(&self) -> u32 {
        0
    }
}

impl Engine {
    /// Takes clutter out of sight, in all frames: banners often have their own.
    pub async fn cleanup(&self, clutter: Clutter) -> Result<CleanupResult> {
        let argument = serde_json::to_value(clutter).map_err(Error::internal)?;
        let question =
            FrameQuery { command: "cleanup", argument, target: None, needs_listeners: false };
        let root = self.page().main_frame().id;
        let gathered = self.query_frames::<CleanupResult>(&question, root).await?;
        let mut all = CleanupResult::default();
        for (_, cleaned) in gathered.answers.into_values() {
            all.unlocked |= cleaned.unlocked;
            for (kind, count) in cleaned.counts {
                *all.counts.entry(kind).or_default() += count;
            }
        }
        Ok(all)
    }
}
