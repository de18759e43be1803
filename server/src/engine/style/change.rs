//! Changing the styles of elements, and taking changes back.
//!
//! A change goes into the element's `style` attribute, and what stood there is
//! kept. Changes can be undone in any order: when a later change covers the
//! same longhand, the earlier one hands over to it what was there before.

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::engine::error::{Error, Kind, Result};
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
pub struct Change {
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
pub(crate) struct Changes {
    last: u32,
    made: Vec<Change>,
}

#[derive(Deserialize)]
struct Restyled {
    property: String,
    restore: Vec<Longhand>,
    had_attribute: bool,
    before: String,
    after: String,
}

#[derive(Deserialize)]
struct Restored {
    after: String,
}

impl Engine {
    /// Sets a property of an element; an empty value removes it from its
    /// `style` attribute. `!important` may follow the value.
    ///
    /// # Errors
    /// `STYLE_INVALID` when the browser does not take the declaration.
    pub async fn restyle(&self, target: &Target, property: &str, value: &str) -> Result<Change> {
        // With the change and its place in the history as one step.
        let _turn = self.state().acting.lock().await;
        let reference = self.resolve(target).await?;
        let element = Target::reference(reference);
        let bare = value.trim().trim_end_matches("!important").trim_end();
        let important = bare.len() < value.trim().len();
        let more = json!({ "property": property, "value": bare, "important": important });
        let done: Restyled = self.ask_about(&element, "restyle", more).await?;
        let mut changes = self.state().styles.lock();
        changes.last += 1;
        let change = Change {
            id: changes.last,
            reference,
            target: target.to_string(),
            property: done.property,
            value: value.trim().to_owned(),
            before: done.before,
            after: done.after,
            restore: done.restore,
            had_attribute: done.had_attribute,
        };
        if changes.made.len() == MAX_CHANGES {
            changes.made.remove(0);
        }
        changes.made.push(change.clone());
        Ok(change)
    }

    /// Takes a change back, the latest when none is named. Answers it, with
    /// what the property comes to now as `after`; none when there is no such
    /// change.
    ///
    /// # Errors
    /// `REF_STALE` when its element is gone; the change is forgotten then.
    pub async fn undo_style(&self, id: Option<u32>) -> Result<Option<Change>> {
        // Held to the end, because the history is what tells it what to write.
        let _turn = self.state().acting.lock().await;
        let Some(change) = self.state().styles.lock().find(id) else { return Ok(None) };
        let (own, later) = self.state().styles.lock().split(&change);
        let element = Target::reference(change.reference);
        let more = json!({
            "restore": own,
            "property": change.property,
            "bare": !change.had_attribute && later.is_none(),
        });
        let restored = self.ask_about::<Restored>(&element, "unstyle", more).await;
        let gone = matches!(&restored, Err(error) if error.kind() == Some(Kind::RefStale));
        if restored.is_ok() || gone {
            self.state().styles.lock().forget(&change);
        }
        let after = restored.map_err(|error| about(&change, error))?.after;
        Ok(Some(Change { after, ..change }))
    }

    /// The changes that are in force, oldest first. Those of documents that
    /// the tab has left are not.
    pub fn style_changes(&self) -> Vec<Change> {
        let made = self.state().styles.lock().made.clone();
        made.into_iter().filter(|change| self.is_current(change.reference.number)).collect()
    }
}

fn about(change: &Change, error: Error) -> Error {
    match error.kind() {
        Some(Kind::RefStale) => Error::refused(
            Kind::RefStale,
            format!("change {} went with its element `{}`", change.id, change.target),
        )
        .with("ref", change.reference),
        _ => error,
    }
}

impl Changes {
    fn find(&self, id: Option<u32>) -> Option<Change> {
        match id {
            Some(id) => self.made.iter().find(|change| change.id == id).cloned(),
            None => self.made.last().cloned(),
        }
    }

    /// What undoing `change` has to write, and the next change of the same
    /// element that has a say in any of its longhands.
    fn split(&self, change: &Change) -> (Vec<Longhand>, Option<u32>) {
        let later: Vec<_> = self.later(change).collect();
        let covers = |name: &str| later.iter().any(|one| one.restore.iter().any(|l| l.0 == name));
        let own = change.restore.iter().filter(|longhand| !covers(&longhand.0)).cloned();
        (own.collect(), later.first().map(|change| change.id))
    }

    fn later<'a>(&'a self, change: &'a Change) -> impl Iterator<Item = &'a Change> {
        let same = |other: &&Change| other.reference.number == change.reference.number;
        self.made.iter().filter(same).filter(|other| other.id > change.id)
    }

    /// Forgets `change`; later ones take over what it would have restored.
    fn forget(&mut self, change: &Change) {
        for Longhand(name, value, priority) in &change.restore {
            let same = |other: &&mut Change| {
                other.id > change.id && other.reference.number == change.reference.number
            };
            let mut later = self.made.iter_mut().filter(same);
            let taken = later.find_map(|other| other.restore.iter_mut().find(|l| l.0 == *name));
            if let Some(longhand) = taken {
                *longhand = Longhand(name.clone(), value.clone(), priority.clone());
            }
        }
        let same = |other: &&mut Change| {
            other.id > change.id && other.reference.number == change.reference.number
        };
        if let Some(next) = self.made.iter_mut().find(same) {
            next.had_attribute = change.had_attribute;
        }
        self.made.retain(|other| other.id != change.id);
    }
}
