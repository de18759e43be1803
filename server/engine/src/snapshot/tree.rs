//! A snapshot as data.

use crate::page::hidden_parts::HiddenParts;
use crate::page::rect::Rect;
use crate::target::reference::Reference;

/// One line of a snapshot.
#[derive(Debug, Clone, PartialEq)]
pub struct SnapshotLine {
    /// The ref to act on; structure has none.
    pub reference: Option<Reference>,
    /// ARIA role; `text` for plain text, `clickable` for what only looks so.
    pub role: String,
    /// Accessible name, or the text.
    pub name: String,
    /// Accessible description; only with `details`.
    pub description: String,
    /// Such as `disabled` or `level=2`.
    pub states: Vec<String>,
    /// Value of a field, never of a password field.
    pub value: Option<String>,
    /// What distinguishes it from others of the same role and name.
    pub context: NodeContext,
    /// What is wrong with an invalid field.
    pub message: String,
    /// What its author calls it in the markup, where it has no name.
    pub hint: String,
    /// What it holds that is not listed, such as `35 days`.
    pub summary: String,
    /// Id of the frame that holds it; empty for the main frame.
    pub frame: String,
    /// Levels below the root.
    pub depth: u32,
    /// In its frame's viewport; only with `details`.
    pub bounds: Option<Rect>,
}

/// What distinguishes an element from others of the same role and name. It is no
/// part of its name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NodeContext {
    /// The heading, row, card or label that it stands in; empty where it has none
    /// or where it is alone with its name.
    pub text: String,
    /// Its place among those that have the same context as well, from 1; 0 for none.
    pub ordinal: u32,
    /// Whether the line before it in the same place says it already.
    pub is_repeated: bool,
}

/// The lines of all frames, put together.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Snapshot {
    /// The lines as text.
    pub text: String,
    /// The lines as data.
    pub nodes: Vec<SnapshotLine>,
    /// URL of the main document.
    pub url: String,
    /// Title of the main document.
    pub title: String,
    /// What was left out or marked because no person sees it.
    pub hidden_parts: HiddenParts,
}
