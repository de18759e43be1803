//! The latest snapshots of a tab, to compare the next one with.

use std::collections::VecDeque;

/// Kinds of snapshot remembered.
const MAX_KINDS: usize = 6;

/// The latest text of each kind.
#[derive(Debug, Default)]
pub(crate) struct History(VecDeque<(String, String)>);

impl History {
    /// Remembers a text, and answers the one before it.
    pub fn replace(&mut self, kind: String, text: String) -> Option<String> {
        let before = self
            .0
            .iter()
            .position(|(known, _)| *known == kind)
            .and_then(|index| self.0.remove(index));
        if self.0.len() >= MAX_KINDS {
            self.0.pop_front();
        }
        self.0.push_back((kind, text));
        before.map(|(_, text)| text)
    }
}
