//! What agents and the person write to each other: notes, what agents say, and questions with
//! their answers. Kept on disk until it is cleared or its session is closed.

mod message;
mod storage;

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime},
};

use browse_base::{Error, Result};
use browse_proto::Reason;
use tokio::sync::{oneshot, watch};

pub use message::{MessageKind, MessageState, NoteSubject, StoredMessage};
use storage::Storage;
pub use storage::talk_folder;

use crate::notices::RootNotices;

/// Notes of a session that are kept, and messages of its agents; the oldest go.
const MAX_SESSION_MESSAGES: usize = 200;

/// Messages of all sessions that are kept, of each side.
const MAX_MESSAGES: usize = 500;

/// Questions of a session that wait.
const MAX_WAITING: usize = 20;

/// The largest number of a message: larger ones in a file are not ours.
const MAX_ID: u64 = 1 << 48;

/// The end of the year 9999 in milliseconds since 1970: later times cannot be written.
const MAX_TIME_MS: u64 = 253_402_300_799_000;

/// Pictures of notes that are kept.
const MAX_PICTURES: usize = 50;

/// Characters of a message.
pub const MAX_MESSAGE_CHARS: usize = 4_000;

/// The messages of a daemon.
pub struct Talk {
    storage: Storage,
    notices: Arc<RootNotices>,
    messages: Mutex<Messages>,
    /// Counts the changes.
    changes: watch::Sender<u64>,
}

#[derive(Default)]
struct Messages {
    last_id: u64,
    last_change: u64,
    by_id: BTreeMap<u64, StoredMessage>,
    /// Who waits for answers.
    waiting: HashMap<u64, oneshot::Sender<String>>,
    /// Sessions with notes that no caller was notified of.
    unreported: HashSet<String>,
    /// Whether the person was warned that nothing is written to disk.
    is_warned: bool,
}

/// A question that waits. It ends when this is dropped.
pub struct PendingQuestion {
    talk: Arc<Talk>,
    id: u64,
    answer: oneshot::Receiver<String>,
}

impl Talk {
    /// The messages that are kept in `folder`, which need not be there.
    pub fn new(folder: PathBuf, notices: Arc<RootNotices>) -> Self {
        let storage = Storage::new(folder);
        let mut by_id = BTreeMap::new();
        let mut unreported = HashSet::new();
        for mut message in storage.load().into_iter().filter(|message| message.id < MAX_ID) {
            if message.state == MessageState::Unread {
                unreported.insert(message.session.clone());
            }
            // Its agent waited in a daemon that has ended.
            if message.state == MessageState::Waiting {
                message.state = MessageState::Ended;
            }
            by_id.insert(message.id, message);
        }
        let last_id = by_id.keys().next_back().copied().unwrap_or(0);
        let messages = Messages { last_id, by_id, unreported, ..Messages::default() };
        Self { storage, notices, messages: Mutex::new(messages), changes: watch::Sender::default() }
    }

    /// An agent says something to the person. Answers the number of the message.
    pub fn say(&self, session: &str, client: &str, text: &str) -> u64 {
        self.add(StoredMessage::new(MessageKind::Say, session, client, text), None)
    }

    /// An agent asks the person.
    ///
    /// # Errors
    /// `ARGUMENT_INVALID`: too many questions of the session wait.
    pub fn ask(
        self: &Arc<Self>,
        (session, client): (&str, &str),
        text: &str,
        choices: Vec<String>,
        time: Duration,
    ) -> Result<PendingQuestion> {
        let is_waiting = |message: &&StoredMessage| {
            message.state == MessageState::Waiting && message.session == session
        };
        if self.lock().by_id.values().filter(is_waiting).count() >= MAX_WAITING {
            let message = format!("{MAX_WAITING} questions of the session wait for answers");
            return Err(Error::new(Reason::ArgumentInvalid, message).with("command", "ask"));
        }
        let until = SystemTime::now() + time;
        let (sender, answer) = oneshot::channel();
        let question = StoredMessage {
            choices,
            state: MessageState::Waiting,
            until_ms: until
                .duration_since(SystemTime::UNIX_EPOCH)
                .ok()
                .and_then(|time| u64::try_from(time.as_millis()).ok()),
            ..StoredMessage::new(MessageKind::Question, session, client, text)
        };
        let id = self.add(question, Some(sender));
        Ok(PendingQuestion { talk: Arc::clone(self), id, answer })
    }

    /// The person writes to the agent, about an element if there is a subject. Answers the number
    /// of the note.
    pub fn write_note(
        &self,
        session: &str,
        client: &str,
        text: &str,
        subject: Option<NoteSubject>,
    ) -> u64 {
        let mut note = StoredMessage {
            state: MessageState::Unread,
            ..StoredMessage::new(MessageKind::Note, session, client, text)
        };
        let mut picture = None;
        if let Some(subject) = subject {
            (note.element, note.tab, note.url) = (subject.element, Some(subject.tab), subject.url);
            picture = subject.picture;
        }
        let id = self.add(note, None);
        if let Some(picture) = picture {
            match self.storage.write_picture(id, &picture) {
                Ok(()) => self.keep_picture(id),
                Err(error) => self.warn_of(&mut self.lock(), &error),
            }
        }
        id
    }

    /// The notes to the agent of a session, oldest first. They count as read; with `clear` they are
    /// forgotten.
    pub fn read_inbox(&self, session: &str, clear: bool) -> Vec<StoredMessage> {
        let mut messages = self.lock();
        let is_note = |message: &&StoredMessage| {
            message.kind == MessageKind::Note && message.session == session
        };
        let notes: Vec<StoredMessage> = messages.by_id.values().filter(is_note).cloned().collect();
        let is_changed = notes.iter().any(|note| clear || note.state == MessageState::Unread);
        if !is_changed {
            return notes;
        }
        for note in &notes {
            match clear {
                true => self.remove(&mut messages, note.id),
                false => messages.change(note.id, |note| note.state = MessageState::Read),
            }
        }
        self.changed(&mut messages);
        notes
    }

    /// Answers a question, and tells the session whose agent has it.
    ///
    /// # Errors
    /// `MESSAGE_NOT_FOUND` unless it waits in a session that `is_visible`; `ARGUMENT_INVALID` for
    /// what is not among its choices.
    pub fn answer(
        &self,
        id: u64,
        answer: &str,
        is_visible: impl Fn(&str) -> bool,
    ) -> Result<String> {
        let mut messages = self.lock();
        let question = messages.by_id.get(&id).filter(|message| {
            message.state == MessageState::Waiting && is_visible(&message.session)
        });
        let question = question.ok_or_else(|| {
            Error::new(Reason::MessageNotFound, format!("no question {id} waits for an answer"))
        })?;
        if !question.choices.is_empty() && !question.choices.iter().any(|choice| choice == answer) {
            let message = format!(
                "`{}` is none of the choices: {}",
                browse_base::quote(answer),
                question.choices.join(", ")
            );
            return Err(Error::new(Reason::ArgumentInvalid, message).with("command", "talk answer"));
        }
        let session = question.session.clone();
        let is_taken = messages.waiting.remove(&id).is_some_and(|asker| {
            // The asker went away just now.
            asker.send(answer.to_owned()).is_ok()
        });
        messages.change(id, |question| {
            question.answer = Some(answer.to_owned());
            question.state = match is_taken {
                true => MessageState::Answered,
                false => MessageState::Ended,
            };
        });
        self.changed(&mut messages);
        match is_taken {
            true => Ok(session),
            false => {
                let message = format!("question {id} has ended");
                Err(Error::new(Reason::MessageNotFound, message))
            }
        }
    }

    /// Whether there are notes for the agents of `session` that no caller was notified of: true
    /// once.
    pub fn take_unreported(&self, session: &str) -> bool {
        self.lock().unreported.remove(session)
    }

    /// The picture of a note, as JPEG.
    pub fn picture(&self, id: u64) -> Option<Vec<u8>> {
        self.storage.read_picture(id)
    }

    /// The message with a number.
    pub fn message(&self, id: u64) -> Option<StoredMessage> {
        self.lock().by_id.get(&id).cloned()
    }

    /// All messages, oldest first.
    pub fn messages(&self) -> Vec<StoredMessage> {
        self.lock().by_id.values().cloned().collect()
    }

    /// Counts the changes.
    pub fn subscribe(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Forgets what belongs to a session that is closed. Its questions end.
    pub fn forget(&self, session: &str) {
        let mut messages = self.lock();
        let of_session = |message: &&StoredMessage| message.session == session;
        let ids: Vec<u64> =
            messages.by_id.values().filter(of_session).map(|message| message.id).collect();
        if ids.is_empty() {
            return;
        }
        for id in ids {
            self.remove(&mut messages, id);
        }
        self.changed(&mut messages);
    }

    fn add(&self, message: StoredMessage, asker: Option<oneshot::Sender<String>>) -> u64 {
        let mut messages = self.lock();
        messages.last_id += 1;
        let id = messages.last_id;
        let session = message.session.clone();
        if message.kind == MessageKind::Note {
            messages.unreported.insert(session.clone());
        }
        messages.by_id.insert(id, StoredMessage { id, ..message });
        messages.change(id, |_| {});
        if let Some(asker) = asker {
            messages.waiting.insert(id, asker);
        }
        for id in messages.surplus(id) {
            self.remove(&mut messages, id);
        }
        self.changed(&mut messages);
        id
    }

    /// Notes that a message has a picture; the oldest pictures go.
    fn keep_picture(&self, id: u64) {
        let mut messages = self.lock();
        messages.change(id, |note| note.has_picture = true);
        let with_pictures: Vec<u64> =
            messages.by_id.values().filter(|note| note.has_picture).map(|note| note.id).collect();
        let surplus = with_pictures.len().saturating_sub(MAX_PICTURES);
        for id in &with_pictures[..surplus] {
            messages.change(*id, |note| note.has_picture = false);
            self.storage.remove_picture(*id);
        }
        self.changed(&mut messages);
    }

    fn remove(&self, messages: &mut Messages, id: u64) {
        messages.waiting.remove(&id);
        if messages.by_id.remove(&id).is_some_and(|message| message.has_picture) {
            self.storage.remove_picture(id);
        }
    }

    /// Writes the messages to disk, and wakes who follows them.
    fn changed(&self, messages: &mut Messages) {
        let stored: Vec<&StoredMessage> = messages.by_id.values().collect();
        if let Err(error) = self.storage.save(&stored) {
            self.warn_of(messages, &error);
        }
        self.changes.send_modify(|count| *count += 1);
    }

    /// They stay in memory; the person hears of it once.
    fn warn_of(&self, messages: &mut Messages, error: &Error) {
        tracing::warn!(%error, "messages are not kept");
        if !messages.is_warned {
            messages.is_warned = true;
            self.notices.add(format!("notes and questions are not kept over a restart: {error}"));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Messages> {
        self.messages.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Messages {
    fn change(&mut self, id: u64, change: impl FnOnce(&mut StoredMessage)) {
        self.last_change += 1;
        let last_change = self.last_change;
        if let Some(message) = self.by_id.get_mut(&id) {
            change(message);
            message.change = last_change;
        }
    }

    /// The oldest messages beyond the limits because of the message `added`: of the same side, so
    /// that agents cannot push out what the person wrote, and none that is waited for.
    fn surplus(&self, added: u64) -> Vec<u64> {
        let Some(added) = self.by_id.get(&added) else { return Vec::new() };
        let same_side: Vec<&StoredMessage> = self
            .by_id
            .values()
            .filter(|message| {
                (message.kind == MessageKind::Note) == (added.kind == MessageKind::Note)
                    && message.state != MessageState::Waiting
            })
            .collect();
        let of_session: Vec<u64> = same_side
            .iter()
            .filter(|message| message.session == added.session)
            .map(|message| message.id)
            .collect();
        let all: Vec<u64> = same_side.iter().map(|message| message.id).collect();
        let oldest = |ids: &[u64], limit: usize| ids[..ids.len().saturating_sub(limit)].to_vec();
        let mut surplus = oldest(&of_session, MAX_SESSION_MESSAGES);
        surplus.extend(oldest(&all, MAX_MESSAGES));
        surplus
    }
}

impl PendingQuestion {
    /// Its number.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// The answer; none when the session was closed.
    pub async fn answered(&mut self) -> Option<String> {
        (&mut self.answer).await.ok()
    }
}

impl Drop for PendingQuestion {
    fn drop(&mut self) {
        let mut messages = self.talk.lock();
        if messages.waiting.remove(&self.id).is_some() {
            messages.change(self.id, |question| question.state = MessageState::Ended);
            self.talk.changed(&mut messages);
        }
    }
}

/// Milliseconds since 1970 as RFC 3339 in UTC.
pub fn time_text(time_ms: u64) -> String {
    let time = SystemTime::UNIX_EPOCH + Duration::from_millis(time_ms.min(MAX_TIME_MS));
    humantime::format_rfc3339_seconds(time).to_string()
}

#[cfg(test)]
mod tests;
