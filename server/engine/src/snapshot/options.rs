//! What a snapshot shows.

use crate::target::target::Target;

/// The zero value is the whole tree.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SnapshotOptions {
    /// Only what can be operated, and what only looks clickable.
    pub interactive: bool,
    /// Leaves out structure that carries no name.
    pub compact: bool,
    /// Levels to descend; none for all.
    pub depth: Option<u32>,
    /// Only what lies within this element.
    pub scope: Option<Target>,
    /// Also what takes clicks without having a role.
    pub cursor: bool,
    /// Cuts the text to about this many tokens.
    pub max_tokens: Option<u32>,
    /// Fills in descriptions and boxes, which the text does not need.
    pub details: bool,
    /// Leaves out what no person sees; what can be operated is marked.
    pub visible_only: bool,
}

impl SnapshotOptions {
    /// Two snapshots can be compared when they show the same things.
    pub(crate) fn comparison_key(&self) -> String {
        let scope = self.scope.as_ref().map(ToString::to_string).unwrap_or_default();
        let Self { interactive, compact, cursor, depth, visible_only: seen, .. } = self;
        format!("{interactive}{compact}{cursor}{seen}{depth:?}{scope}")
    }
}
