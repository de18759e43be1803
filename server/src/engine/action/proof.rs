//! Whether a gesture reached its element: as a whole, in part, or not at all.
//!
//! What did not reach it at all was stopped, and may be tried again. What began may
//! not: a page may act on a press alone. So a part is told of, in the receipt where
//! the page answered it, else as an error.

use super::aim::Aimed;
use super::changes::Changes;
use super::click::{Button, Click, Gesture};
use super::receipt::{Fact, Receipt};
use crate::engine::error::{Error, Kind, Result};
use crate::engine::page::refusal::{about, other, subject};

/// That a gesture reached its element, or at least its beginning.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Proof {
    Whole,
    /// What is missing: `pressed, not clicked: …`.
    Part(Fact),
}

/// Without proof that the events reached the element, the action failed.
/// A document that was replaced took its proof along, that of the tab or of the
/// frame alone: then the navigation is the proof.
pub(super) fn prove(aimed: &Aimed, gesture: &Gesture, changes: Option<&Changes>) -> Result<Proof> {
    let Some(changes) = changes else { return Ok(Proof::Whole) };
    let proven = match gesture {
        Gesture::Click(click) => match part(*click, changes) {
            Some(part) => return Ok(Proof::Part(part)),
            None => changes.delivered,
        },
        Gesture::Hover => changes.hovered || changes.gone,
    };
    if proven {
        return Ok(Proof::Whole);
    }
    Err(unheard(aimed, changes))
}

/// The element heard nothing. What a guard stopped may be tried again. Where nobody
/// heard anything it may have been done, by something that tells nothing.
pub(super) fn unheard(aimed: &Aimed, changes: &Changes) -> Error {
    let subject = subject(&aimed.role);
    match &changes.stray {
        Some(stray) => {
            let other = other(&stray.role);
            let message = format!(
                "{subject} was out of the way: {other} would have got the click, which was stopped"
            );
            refusal(Kind::Missed, message, aimed).quoting("in its place", stray.text())
        }
        None if changes.stopped => {
            let message = format!("{subject} did not get the event, which was stopped elsewhere");
            refusal(Kind::Missed, message, aimed)
        }
        None => {
            let message = format!("{subject} told nothing of the event: what got it is not known");
            refusal(Kind::Incomplete, message, aimed)
        }
    }
}

/// What is missing of a click that began.
fn part(click: Click, changes: &Changes) -> Option<Fact> {
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
            Fact::new(heard).other(other).note("would have got the rest, which was stopped")
        }
        None if changes.gone => Fact::new(format!("{heard}: the press removed it")),
        None => Fact::new(format!("{heard}: the page replaced it, or took over the pointer")),
    })
}

impl Proof {
    /// Adds what is missing to the receipt. Nothing else to tell is an error: it
    /// would be a click without effect that calls itself done.
    pub(super) fn complete(self, aimed: &Aimed, receipt: Receipt) -> Result<Receipt> {
        match self {
            Self::Whole => Ok(receipt),
            Self::Part(part) if receipt.tells_anything() => {
                Ok(Receipt { lacking: Some(part), ..receipt })
            }
            Self::Part(part) => {
                let subject = subject(&aimed.role);
                let message = format!("{subject} was {}", part.own_words());
                let error = refusal(Kind::Incomplete, message, aimed);
                Err(error.quoting("in its place", part.page_words()))
            }
        }
    }
}

fn refusal(kind: Kind, message: String, aimed: &Aimed) -> Error {
    about(Error::refused(kind, message), &aimed.role, &aimed.name)
}
