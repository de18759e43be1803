//! What was left out of a reading because no person sees it.

use std::collections::BTreeMap;

use crate::engine::page::fan_out::{FrameAnswer, FrameAnswers};

/// How many parts were left out or marked, by what keeps them from being seen:
/// `opacity`, `size`, `off-screen`, `edge`, `clip`, `clip-path`, `mask`, `back`,
/// `colour`, `font`, `spacing`, `filter`, `blend`, `line` or `cover`; with [`SHOWN`] behind it
/// what a person may see and the text holds; [`UNCHECKED`] where there was too much to look at. `css content` counts names that hold words of a style sheet.
pub type HiddenParts = BTreeMap<String, u32>;

/// Stands behind a means whose parts are told of and read all the same.
pub const SHOWN_SUFFIX: &str = " (shown)";

/// Counts the documents of which not all was looked at.
pub const UNCHECKED_KEY: &str = "excess (shown)";

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

/// Those of all frames.
pub(crate) fn total<'a>(all: impl Iterator<Item = &'a HiddenParts>) -> HiddenParts {
    let mut total = HiddenParts::new();
    for (means, count) in all.flatten() {
        *total.entry(means.clone()).or_default() += count;
    }
    total
}

/// What the answers of all frames left out.
pub(crate) fn from_answers<T: FrameAnswer>(gathered: &FrameAnswers<T>) -> HiddenParts {
    total(gathered.answers.values().map(|(_, answer)| answer.hidden_parts()))
}
