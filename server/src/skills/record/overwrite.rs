//! What is filled twice: the last way counts, whatever the ways were.
//!
//! A field is known by its element, not by the words of its target. What was
//! typed by keys becomes one `fill` with the text that the field had in the end.

use browse_proto::{Command, StepRole};
use serde_json::{Map, Value, json};

use super::step::{RecordedStep, TextField};

/// The places in `earlier`, the steps of the page so far, of those that `step`
/// makes void; and what `step` becomes, when it alone would not do the same.
pub fn overwritten(
    earlier: &[&RecordedStep],
    step: &RecordedStep,
) -> (Vec<usize>, Option<RecordedStep>) {
    match &step.field {
        Some(field) if step.edits_text() => text(earlier, step, field),
        _ if step.role() == StepRole::Edit => (of_target(earlier, step), None),
        _ if step.saves_file() => (of_file(earlier, step), None),
        _ => (Vec::new(), None),
    }
}

/// Text that replaces what was written into the same field before.
fn text(
    earlier: &[&RecordedStep],
    step: &RecordedStep,
    field: &TextField,
) -> (Vec<usize>, Option<RecordedStep>) {
    let mut same = Vec::new();
    for (at, other) in earlier.iter().enumerate().rev() {
        let is_same = other.acts_on_same_field(step);
        match other.role() {
            _ if is_same && (other.edits_text() || other.only_focuses()) => same.push(at),
            // What was typed may have gone into the same field.
            StepRole::Edit if other.command.name == "type" && other.field.is_none() => break,
            StepRole::Edit | StepRole::Passive => {}
            StepRole::Act if other.edits_text() || other.only_focuses() => {}
            _ => break,
        }
    }
    // The click before the first text may have shown what is typed into.
    while same.last().is_some_and(|at| earlier[*at].only_focuses()) {
        same.pop();
    }
    if same.is_empty() || step.command.name == "fill" {
        return (same, None);
    }
    let mut targets = same.iter().map(|at| earlier[*at]).filter(|other| !other.target().is_empty());
    let named = targets.next_back().map(|other| (other.target(), other.frame.clone()));
    let target = field.target.as_deref().map(|target| (target, step.frame.clone())).or(named);
    let secret = step.secret.clone().filter(|_| field.is_as_typed);
    let value = match (&field.after, &secret) {
        (_, Some(_)) => Value::Null,
        (Some(text), None) if step.secret.is_none() => json!(text),
        // What the field holds is not known: all of it is repeated.
        _ => return (Vec::new(), None),
    };
    let (Some((target, frame)), Some(fill)) = (target, Command::by_name("fill")) else {
        return (Vec::new(), None);
    };
    let fields = [("target".to_owned(), json!(target)), ("text".to_owned(), value)];
    let fields = Map::from_iter(fields);
    (
        same,
        Some(RecordedStep {
            command: fill,
            fields,
            frame,
            secret,
            unrepeatable_reason: None,
            ..step.clone()
        }),
    )
}

/// The file of the same element that was saved just before.
fn of_file(earlier: &[&RecordedStep], step: &RecordedStep) -> Vec<usize> {
    let is_same = |other: &RecordedStep| {
        other.saves_file()
            && other.page_sends.is_empty()
            && step.page_sends.is_empty()
            && other.acts_on_same_field(step)
    };
    let same = earlier.iter().rev().take_while(|other| is_same(other)).count();
    (earlier.len() - same..earlier.len()).collect()
}

/// What chose or checked the same element before.
fn of_target(earlier: &[&RecordedStep], step: &RecordedStep) -> Vec<usize> {
    let mut void = Vec::new();
    for (at, other) in earlier.iter().enumerate().rev() {
        let is_same = match (&step.field, &other.field) {
            (Some(_), Some(_)) => other.acts_on_same_field(step),
            _ => {
                !step.target().is_empty()
                    && other.target() == step.target()
                    && other.frame == step.frame
            }
        };
        match other.role() {
            StepRole::Edit if is_same => void.push(at),
            StepRole::Edit if other.command.name == "type" && other.field.is_none() => break,
            StepRole::Edit | StepRole::Passive => {}
            StepRole::Act if other.edits_text() || other.only_focuses() => {}
            _ => break,
        }
    }
    void
}
