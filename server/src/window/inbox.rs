//! Notes that a person wrote to the agent, until it has read them.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError},
    time::SystemTime,
};

/// Notes of a session that are kept; the oldest go.
const MAX_SESSION_NOTES: usize = 200;

/// Characters of a note that are kept.
const MAX_NOTE_CHARS: usize = 4_000;

/// The notes of all sessions. They outlive the window, not the daemon.
#[derive(Default)]
pub struct Inbox(Mutex<HashMap<String, VecDeque<UserNote>>>);

/// A note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserNote {
    /// When it was taken from the panel.
    pub time: SystemTime,
    /// What it says, at most 4,000 characters.
    pub text: String,
}

impl Inbox {
    /// Adds a note for a session.
    pub(super) fn add(&self, session: &str, text: &str) {
        let text = text.chars().take(MAX_NOTE_CHARS).collect();
        let mut all = self.lock();
        let letters = all.entry(session.to_owned()).or_default();
        letters.push_back(UserNote { time: SystemTime::now(), text });
        if letters.len() > MAX_SESSION_NOTES {
            letters.pop_front();
        }
    }

    /// The notes of a session, oldest first; `clear` forgets them.
    pub fn read(&self, session: &str, clear: bool) -> Vec<UserNote> {
        let mut all = self.lock();
        let letters = match clear {
            true => all.remove(session),
            false => all.get(session).cloned(),
        };
        letters.into_iter().flatten().collect()
    }

    /// Forgets those of a session that is closed.
    pub(super) fn forget(&self, session: &str) {
        self.lock().remove(session);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, VecDeque<UserNote>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::{Inbox, MAX_NOTE_CHARS, MAX_SESSION_NOTES};

    fn texts(inbox: &Inbox, session: &str, clear: bool) -> Vec<String> {
        inbox.read(session, clear).into_iter().map(|letter| letter.text).collect()
    }

    #[test]
    fn notes_wait_for_their_session_until_they_are_cleared() {
        let inbox = Inbox::default();
        inbox.add("a", "first");
        inbox.add("b", "other");
        inbox.add("a", "second");
        assert_eq!(texts(&inbox, "a", false), ["first", "second"]);
        assert_eq!(texts(&inbox, "a", true), ["first", "second"]);
        assert!(texts(&inbox, "a", false).is_empty());
        inbox.forget("b");
        assert!(texts(&inbox, "b", false).is_empty());
    }

    #[test]
    fn an_inbox_is_bounded() {
        let inbox = Inbox::default();
        for number in 0..=MAX_SESSION_NOTES {
            inbox.add("a", &format!("{number}{}", "ä".repeat(MAX_NOTE_CHARS)));
        }
        let kept = texts(&inbox, "a", false);
        assert_eq!((kept.len(), kept[0].starts_with("1ä")), (MAX_SESSION_NOTES, true));
        assert_eq!(kept[0].chars().count(), MAX_NOTE_CHARS);
    }
}
