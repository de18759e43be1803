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

    /// Role and name of a ref, `button "Save"`, as the latest snapshot with it had
    /// them.
    pub fn label(&self, reference: &str) -> Option<String> {
        let of_line = |line: &str| {
            let label = line.trim_start().strip_prefix(reference)?.strip_prefix(' ')?;
            // States and values follow in brackets.
            let end = label.find("\" [").map(|at| at + 1).or_else(|| label.find(" ["));
            Some(label[..end.unwrap_or(label.len())].to_owned())
        };
        self.0.iter().rev().find_map(|(_, text)| text.lines().find_map(of_line))
    }
}

#[cfg(test)]
mod tests {
    use super::History;

    #[test]
    fn a_ref_is_described_without_states_and_values() {
        let mut history = History::default();
        let text = "@e1 heading \"A\"\n  @e12 textbox \"Name [x]\" [required, value=\"s\"]\n@e2 switch [on]";
        history.replace("i".to_owned(), text.to_owned());
        let label = |reference| history.label(reference);
        assert_eq!(label("@e12").as_deref(), Some("textbox \"Name [x]\""));
        assert_eq!(label("@e2").as_deref(), Some("switch"));
        assert_eq!((label("@e3"), label("@e")), (None, None));
    }
}
