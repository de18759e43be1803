//! A text of a page, and what is not in it.

use crate::page::hidden_parts::HiddenParts;

/// A text, and what is not in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageReading {
    /// The text.
    pub text: String,
    /// What was left out of it.
    pub hidden_parts: HiddenParts,
    /// Frames that did not answer, and are not in it.
    pub unresponsive_frames: usize,
}
