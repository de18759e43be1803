//! Which ref belongs to which document, and what it was when it was given out.

use std::sync::Arc;

use crate::chromium::{FrameId, LoaderId};

/// Labels kept for messages; beyond this the oldest documents lose theirs.
const MAX_LABELS: usize = 100_000;

/// All refs of one tab. Numbers rise and are never given twice.
#[derive(Debug, Default)]
pub(crate) struct RefTable {
    blocks: Vec<Block>,
    given: u32,
    labels: usize,
}

/// The refs that one call gave to one document.
#[derive(Debug)]
struct Block {
    base: u32,
    count: u32,
    document: Document,
    labels: Vec<Label>,
}

/// A document, for as long as it may come back.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Document {
    pub frame: FrameId,
    pub loader: LoaderId,
}

/// Role and name an element had.
pub(crate) type Label = (Arc<str>, Box<str>);

impl RefTable {
    /// Gives out as many numbers as there are labels, and answers the first.
    pub fn give(&mut self, document: Document, labels: Vec<Label>) -> u32 {
        let base = self.given + 1;
        let count = u32::try_from(labels.len()).unwrap_or(u32::MAX);
        self.given = self.given.saturating_add(count);
        self.labels += labels.len();
        self.blocks.push(Block { base, count, document, labels });
        let mut oldest = 0;
        while self.labels > MAX_LABELS && oldest + 1 < self.blocks.len() {
            self.labels -= std::mem::take(&mut self.blocks[oldest].labels).len();
            oldest += 1;
        }
        base
    }

    /// The document a number was given in, and the label it had.
    pub fn find(&self, number: u32) -> Option<(&Document, Option<&Label>)> {
        let index = self.blocks.partition_point(|block| block.base <= number).checked_sub(1)?;
        let block = &self.blocks[index];
        let offset = number - block.base;
        (offset < block.count).then(|| (&block.document, block.labels.get(offset as usize)))
    }

    /// Whether it was given out in this tab.
    pub fn knows(&self, number: u32) -> bool {
        self.find(number).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(loader: &str) -> Document {
        Document { frame: FrameId::from("F"), loader: LoaderId::from(loader) }
    }

    fn labels(count: usize) -> Vec<Label> {
        (0..count).map(|index| ("button".into(), format!("b{index}").into())).collect()
    }

    #[test]
    fn numbers_are_given_once_and_found_again() {
        let mut table = RefTable::default();
        assert_eq!(table.give(document("1"), labels(3)), 1);
        assert_eq!(table.give(document("2"), labels(0)), 4);
        assert_eq!(table.give(document("3"), labels(2)), 4);
        assert_eq!(table.find(3).map(|(of, label)| (of.loader.as_str(), label.map(|label| &*label.1))), Some(("1", Some("b2"))));
        assert_eq!(table.find(4).map(|(of, _)| of.loader.as_str()), Some("3"));
        assert!(!table.knows(0) && !table.knows(6));
    }

    #[test]
    fn old_labels_are_dropped_but_not_the_numbers() {
        let mut table = RefTable::default();
        table.give(document("1"), labels(MAX_LABELS));
        table.give(document("2"), labels(1));
        assert_eq!(table.find(7).map(|(of, label)| (of.loader.as_str(), label)), Some(("1", None)));
    }
}
