//! Changing the styles of elements, and taking changes back.
//!
//! A change goes into the element's `style` attribute, and what stood there is
//! kept. Changes can be undone in any order: when a later change covers the
//! same longhand, the earlier one hands over to it what was there before.

use serde::Deserialize;
use serde_json::json;

use crate::error::{Error, RefusalKind, Result};
use crate::page::engine::Engine;
use crate::page::style_history::{Longhand, UndoableChange};
use crate::target::target::Target;

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
        Ok(self.state().style_changes.lock().add(UndoableChange {
            id: 0,
            reference,
            target: target.to_string(),
            property: done.property,
            value: value.trim().to_owned(),
            before: done.before,
            after: done.after,
            restore: done.restore,
            had_attribute: done.had_attribute,
        }))
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
        let made = self.state().style_changes.lock().all().to_vec();
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
