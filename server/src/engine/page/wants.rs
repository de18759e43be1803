//! What a script needs to know before it reads, and cannot find out.

use serde::Deserialize;
use serde_json::Value;

use super::sheets::{self, ClosedSheet};
use super::{engine::Engine, kept, slots};
use crate::chromium::{Page, World};
use crate::engine::error::Result;

/// Of the argument of a reading: what it wants was asked for.
pub(crate) const ASKED: &str = "supplied";

/// What a script answers instead of a reading.
#[derive(Deserialize)]
pub(crate) struct Wants {
    /// Style sheets that it may not read.
    #[serde(rename = "wanted")]
    pub sheets: Vec<ClosedSheet>,
    /// The slots of all shadow trees.
    slots: bool,
}

impl Wants {
    /// What the script wants before it reads, if that is its answer.
    pub(crate) fn of(answer: &str) -> Option<Self> {
        let wants = answer.starts_with("{\"wanted\":").then(|| serde_json::from_str(answer));
        wants.and_then(std::result::Result::ok)
    }

    /// Hands it all over, as far as it comes.
    pub(crate) async fn supply(&self, page: &Page, world: &World) {
        let sheets = async {
            if !self.sheets.is_empty() {
                sheets::adopt(page, world, &self.sheets).await;
            }
        };
        let slots = async {
            if self.slots {
                slots::learn(page, world).await;
            }
        };
        tokio::join!(sheets, slots);
    }
}

impl Engine {
    /// Asks `world` a question of a reading, with what it wants.
    pub(crate) async fn ask_reading(
        &self,
        world: &World,
        command: &str,
        mut argument: Value,
    ) -> Result<String> {
        let page = self.page();
        let answer = kept::ask_reading(page, world, command, &mut argument).await?;
        let Some(wants) = Wants::of(&answer) else { return Ok(answer) };
        wants.supply(page, world).await;
        argument[ASKED] = true.into();
        kept::ask_reading(page, world, command, &mut argument).await
    }
}
