//! A message, as it is kept.

use serde::{Deserialize, Serialize};

use browse_base::now_ms;

use super::MAX_MESSAGE_CHARS;

/// Who writes, and whether an answer is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MessageKind {
    /// By an agent.
    Say,
    /// By an agent that waits.
    Question,
    /// By the person.
    Note,
}

/// What became of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MessageState {
    /// Of what an agent says.
    #[default]
    Plain,
    /// A question waits.
    Waiting,
    /// A question was answered.
    Answered,
    /// Nobody waits for the answer any more.
    Ended,
    /// No agent has read the note.
    Unread,
    /// An agent has read the note.
    Read,
}

/// A message.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StoredMessage {
    /// Its number.
    pub id: u64,
    /// When it was written, in milliseconds since 1970.
    pub time_ms: u64,
    /// Its session.
    pub session: String,
    /// Who writes.
    pub kind: MessageKind,
    /// Who wrote it.
    pub client: String,
    /// What it says, at most 4,000 characters.
    pub text: String,
    /// Answers to choose from.
    #[serde(default)]
    pub choices: Vec<String>,
    /// What became of it.
    #[serde(default)]
    pub state: MessageState,
    /// What the person answered. It may be a secret, and is in memory only.
    #[serde(skip)]
    pub answer: Option<String>,
    /// Until when a question waits, in milliseconds since 1970.
    #[serde(default)]
    pub until_ms: Option<u64>,
    /// The element that a note is about: ref, role and name.
    #[serde(default)]
    pub element: String,
    /// Tab of the element.
    #[serde(default)]
    pub tab: Option<u64>,
    /// Address of its page.
    #[serde(default)]
    pub url: String,
    /// Whether there is a picture of it.
    #[serde(default)]
    pub has_picture: bool,
    /// Number of its last change in this daemon.
    #[serde(skip)]
    pub change: u64,
}

/// The element that a note is about.
pub struct NoteSubject {
    /// Ref, role and name.
    pub element: String,
    /// Its tab.
    pub tab: u64,
    /// Address of its page.
    pub url: String,
    /// The element with what is around it, as JPEG.
    pub picture: Option<Vec<u8>>,
}

impl MessageKind {
    /// As the contract names it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Say => "say",
            Self::Question => "question",
            Self::Note => "note",
        }
    }
}

impl MessageState {
    /// As the contract names it; empty for what an agent says.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Waiting => "waiting",
            Self::Answered => "answered",
            Self::Ended => "ended",
            Self::Unread => "unread",
            Self::Read => "read",
        }
    }
}

impl StoredMessage {
    /// A message of now; text beyond the limit is left out.
    pub(super) fn new(kind: MessageKind, session: &str, client: &str, text: &str) -> Self {
        Self {
            id: 0,
            time_ms: now_ms(),
            session: session.to_owned(),
            kind,
            client: client.to_owned(),
            text: text.chars().take(MAX_MESSAGE_CHARS).collect(),
            choices: Vec::new(),
            state: MessageState::default(),
            answer: None,
            until_ms: None,
            element: String::new(),
            tab: None,
            url: String::new(),
            has_picture: false,
            change: 0,
        }
    }
}
