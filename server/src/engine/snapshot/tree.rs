//! A snapshot as data.

use crate::engine::read::facts::Rect;
use crate::engine::read::unseen::Unseen;
use crate::engine::target::reference::Reference;

/// One line of a snapshot.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
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
    /// Id of the frame that holds it; empty for the main frame.
    pub frame: String,
    /// Levels below the root.
    pub depth: u32,
    /// In its frame's viewport; only with `details`.
    pub bounds: Option<Rect>,
}

/// The lines of all frames, put together.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Snapshot {
    /// The lines as text.
    pub text: String,
    /// The lines as data.
    pub nodes: Vec<Node>,
    /// URL of the main document.
    pub url: String,
    /// Title of the main document.
    pub title: String,
    /// What was left out or marked because no person sees it.
    pub unseen: Unseen,
}
