//! The latest snapshots of a tab, to compare the next one with.

use std::collections::VecDeque;

use tokio::time::Instant;

use browse_chromium::LoaderId;

/// Kinds of snapshot remembered.
const MAX_SNAPSHOT_KINDS: usize = 6;

/// The latest text of each kind.
#[derive(Debug, Default)]
pub(crate) struct SnapshotHistory(VecDeque<(String, StoredSnapshot)>);

/// A snapshot that was taken.
#[derive(Debug, Clone)]
pub(crate) struct StoredSnapshot {
    pub text: String,
    /// The main document; none where there was none.
    pub document: Option<LoaderId>,
    pub at: Instant,
}

impl SnapshotHistory {
    /// Remembers a snapshot, and answers the one before it.
    pub fn replace(&mut self, kind: String, taken: StoredSnapshot) -> Option<StoredSnapshot> {
        let before = self
            .0
            .iter()
            .position(|(known, _)| *known == kind)
            .and_then(|index| self.0.remove(index));
        if self.0.len() >= MAX_SNAPSHOT_KINDS {
            self.0.pop_front();
        }
        self.0.push_back((kind, taken));
        before.map(|(_, taken)| taken)
    }

    /// Role and name of a ref, `button "Save"`, as the latest snapshot with it had
    /// them.
    pub fn label(&self, reference: &str) -> Option<String> {
        let of_line = |line: &str| {
            let label = line.trim_start().strip_prefix(reference)?.strip_prefix(' ')?;
            // States and values follow in brackets.
            let end = label.find("\" [").map(|at| at + 1).or_else(|| label.find(" ["));
            Some(label[..end.unwrap_or(label.len())].to_owned())
        };
        self.0.iter().rev().find_map(|(_, taken)| taken.text.lines().find_map(of_line))
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::Instant;

    use super::{SnapshotHistory, StoredSnapshot};

    #[test]
    fn a_ref_is_described_without_states_and_values() {
        let mut history = SnapshotHistory::default();
        let text = "@e1 heading \"A\"\n  @e12 textbox \"Name [x]\" [required, value=\"s\"]\n@e2 switch [on]";
        let taken = StoredSnapshot { text: text.to_owned(), document: None, at: Instant::now() };
        history.replace("i".to_owned(), taken);
        let label = |reference| history.label(reference);
        assert_eq!(label("@e12").as_deref(), Some("textbox \"Name [x]\""));
        assert_eq!(label("@e2").as_deref(), Some("switch"));
        assert_eq!((label("@e3"), label("@e")), (None, None));
    }
}
