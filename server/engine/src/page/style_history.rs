//! The styles that `style` changed in a tab. Changes can be undone in any order: when
//! a later change covers the same longhand, the earlier one hands over to it what was
//! there before.

use serde::{Deserialize, Serialize};

use crate::target::reference::Reference;

/// Changes kept; the oldest are forgotten first.
const MAX_CHANGES: usize = 1_000;

/// A longhand of a style attribute: name, value, and `important` or nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Longhand(pub String, pub String, pub String);

/// A change that `style` made and that was not undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndoableChange {
    /// Counts up in the tab.
    pub id: u32,
    /// The element.
    pub reference: Reference,
    /// How the caller named it.
    pub target: String,
    /// The property as it was written.
    pub property: String,
    /// The value as it was written.
    pub value: String,
    /// What the property came to before.
    pub before: String,
    /// What it came to afterwards.
    pub after: String,
    pub(crate) restore: Vec<Longhand>,
    /// Whether the element had a `style` attribute.
    pub(crate) had_attribute: bool,
}

/// The changes of one tab, oldest first.
#[derive(Debug, Default)]
pub(crate) struct StyleHistory {
    last_id: u32,
    changes: Vec<UndoableChange>,
}

impl StyleHistory {
    /// Numbers `change` and remembers it.
    pub fn add(&mut self, change: UndoableChange) -> UndoableChange {
        self.last_id += 1;
        let change = UndoableChange { id: self.last_id, ..change };
        if self.changes.len() == MAX_CHANGES {
            self.changes.remove(0);
        }
        self.changes.push(change.clone());
        change
    }

    /// All of them, oldest first.
    pub fn all(&self) -> &[UndoableChange] {
        &self.changes
    }

    /// The change `id`, the latest when none is named.
    pub fn find(&self, id: Option<u32>) -> Option<UndoableChange> {
        match id {
            Some(id) => self.changes.iter().find(|change| change.id == id).cloned(),
            None => self.changes.last().cloned(),
        }
    }

    /// What undoing `change` has to write, and the next change of the same
    /// element that has a say in any of its longhands.
    pub fn undo_plan(&self, change: &UndoableChange) -> (Vec<Longhand>, Option<u32>) {
        let later: Vec<_> = self.later_changes(change).collect();
        let covers = |name: &str| later.iter().any(|one| one.restore.iter().any(|l| l.0 == name));
        let own = change.restore.iter().filter(|longhand| !covers(&longhand.0)).cloned();
        (own.collect(), later.first().map(|change| change.id))
    }

    fn later_changes<'a>(
        &'a self,
        change: &'a UndoableChange,
    ) -> impl Iterator<Item = &'a UndoableChange> {
        let same = |other: &&UndoableChange| other.reference.number == change.reference.number;
        self.changes.iter().filter(same).filter(|other| other.id > change.id)
    }

    /// Forgets `change`; later ones take over what it would have restored.
    pub fn forget(&mut self, change: &UndoableChange) {
        for Longhand(name, value, priority) in &change.restore {
            let same = |other: &&mut UndoableChange| {
                other.id > change.id && other.reference.number == change.reference.number
            };
            let mut later = self.changes.iter_mut().filter(same);
            let taken = later.find_map(|other| other.restore.iter_mut().find(|l| l.0 == *name));
            if let Some(longhand) = taken {
                *longhand = Longhand(name.clone(), value.clone(), priority.clone());
            }
        }
        let same = |other: &&mut UndoableChange| {
            other.id > change.id && other.reference.number == change.reference.number
        };
        if let Some(next) = self.changes.iter_mut().find(same) {
            next.had_attribute = change.had_attribute;
        }
        self.changes.retain(|other| other.id != change.id);
    }
}
