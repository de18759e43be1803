//! Changing the styles of elements, and taking changes back.
//!
//! A change goes into the element's `style` attribute, and what stood there is
//! kept. Changes can be undone in any order: when a later change covers the
//! same longhand, the earlier one hands over to it what was there before.

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::engine::error::{Error, RefusalKind, Result};
use crate::engine::page::engine::Engine;
use crate::engine::target::reference::Reference;
use crate::engine::target::target::Target;

/// Changes kept; the oldest are forgotten first.
const MAX_CHANGES: usize = 1_000;

/// A longhand of a style attribute: name, value, and `important` or nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Longhand(String, String, String);

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
    restore: Vec<Longhand>,
    /// Whether the element had a `style` attribute.
    had_attribute: bool,
}

/// The changes of one tab, oldest first.
#[derive(Debug, Default)]
pub(crate) struct StyleHistory {
    last_id: u32,
    changes: Vec<UndoableChange>,
}

#[derive(Deserialize)]
struct RestyleAnswer {
    property: String,
    restore: Vec<Longhand>,
    had_attribute: bool,
    before: String,
    after: String,
}

#[derive(Deserialize)]
struct UndoAnswer {
    after: String,
}

impl Engine {
    /// Sets a property of an element; an empty value removes it from its
    /// `style` attribute. `!important` may follow the value.
    ///
    /// # Errors
    /// `STYLE_INVALID` when the browser does not take the declaration.
    pub async fn restyle(
        &self,
        target: &Target,
        property: &str,
        value: &str,
    ) -> Result<UndoableChange> {
        // With the change and its place in the history as one step.
        let _turn = self.state().action_lock.lock().await;
        let reference = self.resolve(target).await?;
        let element = Target::from_ref(reference);
        let bare = value.trim().trim_end_matches("!important").trim_end();
        let important = bare.len() < value.trim().len();
        let more = json!({ "property": property, "value": bare, "important": important });
        let done: RestyleAnswer = self.query_target(&element, "restyle", more).await?;
        let mut changes = self.state().style_changes.lock();
        changes.last_id += 1;
        let change = UndoableChange {
            id: changes.last_id,
            reference,
            target: target.to_string(),
            property: done.property,
            value: value.trim().to_owned(),
            before: done.before,
            after: done.after,
            restore: done.restore,
            had_attribute: done.had_attribute,
        };
        if changes.changes.len() == MAX_CHANGES {
            changes.changes.remove(0);
        }
        changes.changes.push(change.clone());
        Ok(change)
    }

    /// Takes a change back, the latest when none is named. Answers it, with
    /// what the property comes to now as `after`; none when there is no such
    /// change.
    ///
    /// # Errors
    /// `REF_STALE` when its element is gone; the change is forgotten then.
    pub async fn undo_style(&self, id: Option<u32>) -> Result<Option<UndoableChange>> {
        // Held to the end, because the history is what tells it what to write.
        let _turn = self.state().action_lock.lock().await;
        let Some(change) = self.state().style_changes.lock().find(id) else { return Ok(None) };
        let (own, later) = self.state().style_changes.lock().undo_plan(&change);
        let element = Target::from_ref(change.reference);
        let more = json!({
            "restore": own,
            "property": change.property,
            "bare": !change.had_attribute && later.is_none(),
        });
        let restored = self.query_target::<UndoAnswer>(&element, "unstyle", more).await;
        let gone = matches!(&restored, Err(error) if error.kind() == Some(RefusalKind::RefStale));
        if restored.is_ok() || gone {
            self.state().style_changes.lock().forget(&change);
        }
        let after = restored.map_err(|error| undo_error(&change, error))?.after;
        Ok(Some(UndoableChange { after, ..change }))
    }

    /// The changes that are in force, oldest first. Those of documents that
    /// the tab has left are not.
    pub fn style_changes(&self) -> Vec<UndoableChange> {
        let made = self.state().style_changes.lock().changes.clone();
        made.into_iter().filter(|change| self.is_ref_current(change.reference.number)).collect()
    }
}

fn undo_error(change: &UndoableChange, error: Error) -> Error {
    match error.kind() {
        Some(RefusalKind::RefStale) => Error::refused(
            RefusalKind::RefStale,
            format!("change {} went with its element `{}`", change.id, change.target),
        )
        .with("ref", change.reference),
        _ => error,
    }
}

impl StyleHistory {
    fn find(&self, id: Option<u32>) -> Option<UndoableChange> {
        match id {
            Some(id) => self.changes.iter().find(|change| change.id == id).cloned(),
            None => self.changes.last().cloned(),
        }
    }

    /// What undoing `change` has to write, and the next change of the same
    /// element that has a say in any of its longhands.
    fn undo_plan(&self, change: &UndoableChange) -> (Vec<Longhand>, Option<u32>) {
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
    fn forget(&mut self, change: &UndoableChange) {
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
