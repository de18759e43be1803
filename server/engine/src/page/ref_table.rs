//! Which ref of a tab belongs to which document, and what it was when it was given out.

use std::sync::Arc;

use browse_chromium::{FrameId, LoaderId};

/// Labels kept for messages; beyond this the oldest documents lose theirs.
const MAX_LABELS: usize = 100_000;

/// All refs of one tab, in rising order.
#[derive(Debug, Default)]
pub(crate) struct RefTable {
    blocks: Vec<RefBlock>,
    labels: usize,
}

/// The refs that one call gave to one document.
#[derive(Debug)]
struct RefBlock {
    base: u32,
    count: u32,
    document: DocumentKey,
    labels: Vec<ElementLabel>,
}

/// A document, for as long as it may come back.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct DocumentKey {
    pub frame: FrameId,
    pub loader: LoaderId,
}

/// Role and name an element had.
pub(crate) type ElementLabel = (Arc<str>, Box<str>);

impl RefTable {
    /// Remembers who has the numbers from `base` on.
    pub fn insert(&mut self, base: u32, document: DocumentKey, labels: Vec<ElementLabel>) {
        let count = u32::try_from(labels.len()).unwrap_or(u32::MAX);
        self.labels += labels.len();
        self.blocks.push(RefBlock { base, count, document, labels });
        let mut oldest = 0;
        while self.labels > MAX_LABELS && oldest + 1 < self.blocks.len() {
            self.labels -= std::mem::take(&mut self.blocks[oldest].labels).len();
            oldest += 1;
        }
    }

    /// The document a number was given in, and the label it had.
    pub fn find(&self, number: u32) -> Option<(&DocumentKey, Option<&ElementLabel>)> {
        let index = self.blocks.partition_point(|block| block.base <= number).checked_sub(1)?;
        let block = &self.blocks[index];
        let offset = number - block.base;
        (offset < block.count).then(|| (&block.document, block.labels.get(offset as usize)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(loader: &str) -> DocumentKey {
        DocumentKey { frame: FrameId::from("F"), loader: LoaderId::from(loader) }
    }

    fn labels(count: usize) -> Vec<ElementLabel> {
        (0..count).map(|index| ("button".into(), format!("b{index}").into())).collect()
    }

    #[test]
    fn numbers_are_found_in_their_block() {
        let mut table = RefTable::default();
        table.insert(1, document("1"), labels(3));
        table.insert(10, document("3"), labels(2));
        assert_eq!(
            table.find(3).map(|(of, label)| (of.loader.as_str(), label.map(|label| &*label.1))),
            Some(("1", Some("b2")))
        );
        assert_eq!(table.find(10).map(|(of, _)| of.loader.as_str()), Some("3"));
        assert!([0, 4, 9, 12].iter().all(|number| table.find(*number).is_none()));
    }

    #[test]
    fn old_labels_are_dropped_but_not_the_numbers() {
        let mut table = RefTable::default();
        table.insert(1, document("1"), labels(MAX_LABELS));
        table.insert(200_000, document("2"), labels(1));
        assert_eq!(table.find(7).map(|(of, label)| (of.loader.as_str(), label)), Some(("1", None)));
    }
}
