//! A page as Markdown.

use serde::Deserialize;
use serde_json::json;

use super::splice::Written;
use crate::engine::error::Result;
use crate::engine::page::engine::Engine;
use crate::engine::page::gather::{Question, Survey};
use crate::engine::target::target::Target;

#[derive(Deserialize)]
struct Markdown {
    text: String,
    suspects: u32,
}

impl Survey for Markdown {
    fn suspects(&self) -> u32 {
        self.suspects
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
        let question = Question { command: "markdown", argument: json!({}), target };
        let root = self.frame_of(target).await?;
        let gathered = self.gather::<Markdown>(&question, root).await?;
        Ok(self.written(&gathered))
    }
}
