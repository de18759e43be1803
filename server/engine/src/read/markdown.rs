//! A page as Markdown.

use serde::Deserialize;
use serde_json::json;

use super::page_reading::PageReading;
use super::splice::SplicedText;
use crate::error::Result;
use crate::page::engine::Engine;
use crate::page::fan_out::{FrameAnswer, FrameQuery};
use crate::page::hidden_parts::HiddenParts;
use crate::target::target::Target;

#[derive(Deserialize)]
struct Markdown {
    text: String,
    suspects: u32,
    #[serde(default)]
    unseen: HiddenParts,
}

impl FrameAnswer for Markdown {
    const IS_VISUAL: bool = true;

    fn closed_root_candidates(&self) -> u32 {
        self.suspects
    }

    fn hidden_parts(&self) -> &HiddenParts {
        &self.unseen
    }
}

impl SplicedText for Markdown {
    fn marked_text(&self) -> &str {
        &self.text
    }
}

impl Engine {
    /// The main content of the page, or all of an element, as Markdown. Frames
    /// of the same site are part of it, others are links.
    pub async fn markdown(&self, target: Option<&Target>) -> Result<String> {
        Ok(self.read_markdown(target, false).await?.text)
    }

    /// The same; with `seen` without what no person sees.
    pub async fn read_markdown(&self, target: Option<&Target>, seen: bool) -> Result<PageReading> {
        let question = FrameQuery {
            command: "markdown",
            argument: json!({ "seen": seen }),
            target,
            needs_listeners: false,
        };
        let root = self.frame_for_target(target).await?;
        let gathered = self.query_frames::<Markdown>(&question, root).await?;
        let silent = gathered.unresponsive.len();
        Ok(PageReading {
            text: self.splice_frames(&gathered),
            hidden_parts: gathered.hidden_parts(),
            unresponsive_frames: silent,
        })
    }
}
