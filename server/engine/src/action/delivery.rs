//! Whether a gesture reached its element: as a whole, in part, or not at all.
//!
//! What did not reach it at all was stopped, and may be tried again. What began may
//! not: a page may act on a press alone. So a part is reported, in the receipt where
//! the page answered it, else as an error.

use super::actionability::ActionTarget;
use super::effects::ActionEffects;
use super::gesture::{Button, Click, Gesture};
use super::receipt::ActionReceipt;
use crate::error::{Error, RefusalKind, Result};
use crate::page::fact::Fact;
use crate::page::refusal::{other_phrase, subject_phrase, with_element};

/// That a gesture reached its element, or at least its beginning.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum DeliveryProof {
    Complete,
    /// What is missing: `pressed, not clicked: …`.
    Partial(Fact),
}

/// Without proof that the events reached the element, the action failed.
/// A document that was replaced took its proof along, that of the tab or of the
/// frame alone: then the navigation is the proof.
pub(super) fn verify_delivery(
    aimed: &ActionTarget,
    gesture: &Gesture,
    changes: Option<&ActionEffects>,
) -> Result<DeliveryProof> {
    let Some(changes) = changes else { return Ok(DeliveryProof::Complete) };
    let proven = match gesture {
        Gesture::Click(click) => match missing_part(*click, changes) {
            Some(part) => return Ok(DeliveryProof::Partial(part)),
            None => changes.delivered,
        },
        Gesture::Hover => changes.hovered || changes.gone,
    };
    if proven {
        return Ok(DeliveryProof::Complete);
    }
    Err(undelivered(aimed, changes))
}

/// The element heard nothing. What a guard stopped may be tried again. Where nobody
/// heard anything it may have been done, by something that tells nothing.
pub(super) fn undelivered(aimed: &ActionTarget, changes: &ActionEffects) -> Error {
    let subject = subject_phrase(&aimed.role);
    match &changes.stray {
        Some(stray) => {
            let other = other_phrase(&stray.role);
            let message = format!(
                "{subject} was out of the way: {other} would have got the click, which was stopped"
            );
            delivery_error(RefusalKind::Missed, message, aimed)
                .with_page_text("in its place", stray.text())
        }
        None if changes.stopped => {
            let message =
                format!("{subject} did not get the event, which was stopped somewhere else");
            delivery_error(RefusalKind::Missed, message, aimed)
        }
        None => {
            let message =
                format!("{subject} reported nothing of the event: what got it is not known");
            delivery_error(RefusalKind::Incomplete, message, aimed)
        }
    }
}

/// What is missing of a click that began.
fn missing_part(click: Click, changes: &ActionEffects) -> Option<Fact> {
    let wanted = click.count.max(1);
    let whole = match click.button {
        Button::Left => changes.clicks >= wanted,
        Button::Middle => changes.presses >= wanted && changes.slipped.is_none(),
        // The menu is asked for with the press, and may lie under the release.
        Button::Right => {
            changes.presses >= wanted && (changes.menus > 0 || changes.slipped.is_none())
        }
    };
    if changes.presses == 0 || whole {
        return None;
    }
    let heard = match (wanted, click.button) {
        (1, _) => "pressed, not clicked".to_owned(),
        (_, Button::Left) => format!("clicked {} of {wanted} times", changes.clicks),
        _ => format!("pressed {} of {wanted} times", changes.presses),
    };
    Some(match changes.slipped.as_ref().or(changes.stray.as_ref()) {
        Some(other) => {
            Fact::new(heard).covered_by(other).note("would have got the rest, which was stopped")
        }
        None if changes.gone => Fact::new(format!("{heard}: the press removed it")),
        None => Fact::new(format!("{heard}: the page replaced it, or took over the pointer")),
    })
}

impl DeliveryProof {
    /// Adds what is missing to the receipt. Nothing else to tell is an error: it
    /// would be a click without effect that calls itself done.
    pub(super) fn apply_to(
        self,
        aimed: &ActionTarget,
        receipt: ActionReceipt,
    ) -> Result<ActionReceipt> {
        match self {
            Self::Complete => Ok(receipt),
            Self::Partial(part) if receipt.has_effects() => {
                Ok(ActionReceipt { undelivered: Some(part), ..receipt })
            }
            Self::Partial(part) => {
                let subject = subject_phrase(&aimed.role);
                let message = format!("{subject} was {}", part.own_text());
                let error = delivery_error(RefusalKind::Incomplete, message, aimed);
                Err(error.with_page_text("in its place", part.page_text()))
            }
        }
    }
}

fn delivery_error(kind: RefusalKind, message: String, aimed: &ActionTarget) -> Error {
    with_element(Error::refused(kind, message), &aimed.role, &aimed.name)
}
