//! Controls whose list or picker Chromium draws outside of the page, for a person who acts at a
//! picture of it.

use std::path::PathBuf;

use browse_chromium::FileChooser;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::error::{Error, RefusalKind, Result};
use crate::page::engine::Engine;

/// A control that waits for a choice.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ControlPrompt {
    /// Names it in the answer.
    pub id: String,
    /// `select`, or the type of the input: `date`, `time`, `color` …
    pub kind: String,
    /// Its accessible name.
    pub label: String,
    /// Value of an input.
    pub value: String,
    /// Options of a list, at most 2,000.
    pub options: Vec<ControlOption>,
}

/// An option of a list.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ControlOption {
    /// Its number, by which it is chosen.
    pub value: String,
    /// What it says.
    pub label: String,
    /// Whether it is chosen.
    pub selected: bool,
    /// Whether it cannot be chosen.
    pub disabled: bool,
}

/// The script, which is a function: it is needed by people only, and not part of the engine.
const SCRIPT: &str = include_str!(concat!(env!("OUT_DIR"), "/prompts.js"));

#[derive(Deserialize)]
struct PromptAnswer {
    #[serde(default)]
    prompt: Option<ControlPrompt>,
    /// Whether the control is not there any more.
    #[serde(default)]
    gone: bool,
}

impl Engine {
    /// The control with a list or a picker at a point of the viewport, in CSS pixels. It gets the
    /// focus. Those in frames are not found.
    ///
    /// # Errors
    /// The page does not answer.
    pub async fn prompt_at(&self, x: f64, y: f64) -> Result<Option<ControlPrompt>> {
        let answer = self.call_prompts(&json!({ "x": x, "y": y })).await?;
        Ok(answer.prompt)
    }

    /// Gives files to the input of a file chooser that a page opened.
    ///
    /// # Errors
    /// The input is gone, or a script asked without one.
    pub async fn give_files(&self, chooser: &FileChooser, files: &[PathBuf]) -> Result<()> {
        let node =
            chooser.backend_node_id.ok_or_else(|| Error::internal("a chooser without an input"))?;
        let world = self.world(&chooser.frame_id).await?;
        let object = world.resolve_node(node).await?;
        world.set_files(&object, files).await?;
        Ok(())
    }

    /// Sets what a person chose: the number of an option, or the value of an input.
    ///
    /// # Errors
    /// The control is gone, or was not asked about last.
    pub async fn answer_prompt(&self, id: &str, values: &[String], text: &str) -> Result<()> {
        let choice = json!({ "id": id, "values": values, "text": text });
        match self.call_prompts(&choice).await?.gone {
            true => Err(Error::refused(RefusalKind::RefStale, "the control is not there any more")),
            false => Ok(()),
        }
    }

    async fn call_prompts(&self, argument: &Value) -> Result<PromptAnswer> {
        let world = self.world(&self.page().main_frame().id).await?;
        let expression = format!("JSON.stringify(({SCRIPT})({argument}))");
        let answer: String = world.evaluate(&expression).await?;
        serde_json::from_str(&answer).map_err(Error::internal)
    }
}
