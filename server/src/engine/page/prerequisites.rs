//! What a script needs to know before it reads, and cannot find out.

use serde::Deserialize;
use serde_json::Value;

use super::cross_origin_sheets::{self, CrossOriginSheet};
use super::{engine::Engine, shadow_slots, visibility_cache};
use crate::chromium::{Page, World};
use crate::engine::error::Result;

/// Of the argument of a reading: what it wants was asked for.
pub(crate) const SUPPLIED_KEY: &str = "supplied";

/// What a script answers instead of a reading.
#[derive(Deserialize)]
pub(crate) struct ReadPrerequisites {
    /// Style sheets that it may not read.
    #[serde(rename = "wanted")]
    pub sheets: Vec<CrossOriginSheet>,
    /// The slots of all shadow trees.
    slots: bool,
}

impl ReadPrerequisites {
    /// What the script wants before it reads, if that is its answer.
    pub(crate) fn parse(answer: &str) -> Option<Self> {
        let wants = answer.starts_with("{\"wanted\":").then(|| serde_json::from_str(answer));
        wants.and_then(std::result::Result::ok)
    }

    /// Hands it all over, as far as it comes.
    pub(crate) async fn supply(&self, page: &Page, world: &World) {
        let sheets = async {
            if !self.sheets.is_empty() {
                cross_origin_sheets::supply(page, world, &self.sheets).await;
            }
        };
        let slots = async {
            if self.slots {
                shadow_slots::discover(page, world).await;
            }
        };
        tokio::join!(sheets, slots);
    }
}

impl Engine {
    /// Asks `world` a question of a reading, with what it wants.
    pub(crate) async fn query_reading(
        &self,
        world: &World,
        command: &str,
        mut argument: Value,
    ) -> Result<String> {
        let page = self.page();
        let answer = visibility_cache::read_with_cache(page, world, command, &mut argument).await?;
        let Some(wants) = ReadPrerequisites::parse(&answer) else { return Ok(answer) };
        wants.supply(page, world).await;
        argument[SUPPLIED_KEY] = true.into();
        visibility_cache::read_with_cache(page, world, command, &mut argument).await
    }
}
