//! What was left out of a reading because no person sees it.

use std::collections::BTreeMap;

/// How many parts were left out or marked, by what keeps them from being seen:
/// `opacity`, `size`, `off-screen`, `edge`, `clip`, `clip-path`, `mask`, `back`,
/// `colour`, `font`, `spacing`, `filter`, `blend`, `line` or `cover`; with [`SHOWN_SUFFIX`] behind it
/// what a person may see and the text holds. `css content` counts names that hold words of a style sheet.
pub type HiddenParts = BTreeMap<String, u32>;

/// Stands behind a means whose parts are reported and read all the same.
pub const SHOWN_SUFFIX: &str = " (shown)";

/// Those of all frames.
pub(crate) fn total<'a>(all: impl Iterator<Item = &'a HiddenParts>) -> HiddenParts {
    let mut total = HiddenParts::new();
    for (means, count) in all.flatten() {
        *total.entry(means.clone()).or_default() += count;
    }
    total
}
