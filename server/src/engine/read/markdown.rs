//! A page as Markdown.

use serde::Deserialize;
use serde_json::json;

use super::splice::Written;
use super::unseen::{self, Reading, Unseen};
use crate::engine::error::Result;
use crate::engine::page::engine::Engine;
use crate::engine::page::gather::{Question, Survey};
use crate::engine::page::sheets::ClosedSheet;
use crate::engine::target::target::Target;

#[derive(Deserialize)]
struct Markdown {
    text: String,
    suspects: u32,
    #[serde(default)]
    unseen: Unseen,
    #[serde(default)]
    closed: Vec<ClosedSheet>,
}

impl Survey for Markdown {
    const SHOWS: bool = true;

    fn suspects(&self) -> u32 {
        self.suspects
    }

    fn unseen(&self) -> &Unseen {
        &self.unseen
    }

    fn closed_sheets(&self) -> &[ClosedSheet] {
        &self.closed
    }
}

impl Written for Markdown {
    fn text(&self) -> &str {
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
    pub async fn read_markdown(&self, target: Option<&Target>, seen: bool) -> Result<Reading> {
        let question = Question {
            command: "markdown",
            argument: json!({ "seen": seen }),
            target,
            listeners: false,
        };
        let root = self.frame_of(target).await?;
        let gathered = self.gather::<Markdown>(&question, root).await?;
        let silent = gathered.silent.len();
        Ok(Reading { text: self.written(&gathered), unseen: unseen::of(&gathered), silent })
    }
}
