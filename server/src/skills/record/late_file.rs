//! A file that a page sent after the answer of the click that it came of.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What is known of it when the next call begins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LateFile {
    /// The tab of the click.
    pub tab: u64,
    /// The answer of a click that saves the file.
    pub answer: Value,
}
