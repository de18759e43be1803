//! Dialogs that were closed without a receipt that says so: the next command of
//! the tab says it.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use browse_chromium::{AnsweredBy, Dialog};

/// What happened to a dialog, in our own words.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct UnreportedDialog {
    kind: String,
    outcome: &'static str,
    /// Whether a caller was asked, and did not answer.
    was_asked: bool,
}

/// Closed dialogs that nobody was notified of, and how many of each.
#[derive(Debug, Default)]
pub struct UnreportedDialogs(Mutex<BTreeMap<UnreportedDialog, u32>>);

impl UnreportedDialogs {
    /// Notes a dialog that was closed. `in_receipt`: a receipt will say so.
    pub(super) fn record(&self, dialog: &Dialog, in_receipt: bool) {
        let (what, asked) = match dialog.answered_by {
            AnsweredBy::Caller | AnsweredBy::Queue | AnsweredBy::Policy => return,
            AnsweredBy::Automatic if in_receipt => return,
            AnsweredBy::Automatic if dialog.kind == "beforeunload" => {
                ("accepted: the page may not have saved what was changed in it", false)
            }
            AnsweredBy::Automatic => ("closed", false),
            AnsweredBy::Timeout => ("dismissed: nobody answered in time", true),
            AnsweredBy::Navigation => ("dismissed: its page was left", true),
            AnsweredBy::Closing => ("dismissed: its tab was closed", true),
            AnsweredBy::Person => ("answered by a person", true),
            AnsweredBy::Document => ("closed: its document is gone", true),
            AnsweredBy::Skill => ("dismissed: a skill had no answer for it", true),
            AnsweredBy::Client => return,
        };
        let closed =
            UnreportedDialog { kind: dialog.kind.clone(), outcome: what, was_asked: asked };
        *self.lock().entry(closed).or_default() += 1;
    }

    /// What to say about them, once.
    pub fn take(&self) -> Option<String> {
        let all = std::mem::take(&mut *self.lock());
        summarize(all.iter())
    }

    /// The same of questions alone: an answer that comes now was for one of them.
    pub fn take_questions(&self) -> Option<String> {
        let mut all = self.lock();
        let (asked, other): (BTreeMap<_, _>, _) =
            std::mem::take(&mut *all).into_iter().partition(|(closed, _)| closed.was_asked);
        *all = other;
        summarize(asked.iter())
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<UnreportedDialog, u32>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn summarize<'a>(all: impl Iterator<Item = (&'a UnreportedDialog, &'a u32)>) -> Option<String> {
    let word = |(closed, count): (&UnreportedDialog, &u32)| {
        let (kind, what) = (&closed.kind, closed.outcome);
        let article = if kind == "alert" { "an" } else { "a" };
        match count {
            1 => format!("{article} `{kind}` of the page was {what}"),
            count => format!("{count} `{kind}` dialogs of the page were {what}"),
        }
    };
    let words: Vec<_> = all.map(word).collect();
    (!words.is_empty()).then(|| format!("{} (see `browse dialog`)", words.join(", and ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use browse_chromium::DialogAnswer;

    fn dialog(kind: &str, by: AnsweredBy) -> Dialog {
        Dialog {
            kind: kind.to_owned(),
            message: "Sure?".to_owned(),
            url: String::new(),
            default_text: None,
            answer: DialogAnswer::Dismiss,
            answered_by: by,
        }
    }

    #[test]
    fn what_a_caller_decided_or_a_receipt_says_is_not_said_again() {
        let untold = UnreportedDialogs::default();
        untold.record(&dialog("confirm", AnsweredBy::Caller), false);
        untold.record(&dialog("confirm", AnsweredBy::Policy), false);
        untold.record(&dialog("alert", AnsweredBy::Automatic), true);
        assert_eq!(untold.take(), None);
        (0..3).for_each(|_| untold.record(&dialog("alert", AnsweredBy::Automatic), false));
        untold.record(&dialog("confirm", AnsweredBy::Timeout), true);
        let questions = untold.take_questions().expect("one was asked");
        assert!(questions.starts_with("a `confirm` of the page was dismissed"), "{questions}");
        let rest = untold.take().expect("alerts are left");
        assert_eq!(rest, "3 `alert` dialogs of the page were closed (see `browse dialog`)");
        assert_eq!(untold.take(), None);
    }
}
