//! What changed since the previous snapshot.

use similar::TextDiff;

/// A unified diff; empty when nothing changed.
pub(crate) fn unified(before: &str, after: &str) -> String {
    if before == after {
        return String::new();
    }
    TextDiff::from_lines(before, after)
        .unified_diff()
        .context_radius(1)
        .missing_newline_hint(false)
        .to_string()
}
