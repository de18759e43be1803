//! A dialog of a tab that was answered, for the records.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value, json};

use super::MemorySize;
use browse_chromium::{Dialog, DialogAnswer};

/// A dialog and its answer.
#[derive(Clone, Debug)]
pub struct DialogLine {
    /// When it was answered, in milliseconds since the epoch.
    pub time_ms: u64,
    /// What it was, and what it was answered.
    pub dialog: Dialog,
}

impl DialogLine {
    /// A dialog that was answered now.
    pub fn now(dialog: Dialog) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self { time_ms: u64::try_from(now.as_millis()).unwrap_or(u64::MAX), dialog }
    }

    /// The fields of its line in the log. What was typed into a prompt is left
    /// out.
    pub fn fields(&self) -> Map<String, Value> {
        let answer = match self.dialog.answer {
            DialogAnswer::Accept(_) => "accept",
            DialogAnswer::Dismiss => "dismiss",
        };
        let fields = json!({
            "time_ms": self.time_ms,
            "type": self.dialog.kind,
            "text": self.dialog.message,
            "url": self.dialog.url,
            "answer": answer,
            "outcome": self.dialog.outcome_text(),
        });
        fields.as_object().cloned().unwrap_or_default()
    }
}

impl MemorySize for DialogLine {
    fn memory_bytes(&self) -> usize {
        128 + self.dialog.message.len() + self.dialog.url.len()
    }
}
