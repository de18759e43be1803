//! The small skill of a runtime, which `skill stage` writes.

/// A small skill of one runtime.
pub struct Scaffold {
    /// Its SKILL.md.
    pub manifest: &'static str,
    /// Its other files: path, text, and whether it is executable.
    pub files: &'static [(&'static str, &'static str, bool)],
    /// Whether its tests read a page of `fixtures`.
    pub has_fixture: bool,
}

/// The SKILL.md of skills with an SDK.
pub const MANIFEST: &str = include_str!("scaffold/SKILL.md");
