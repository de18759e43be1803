//! The rows of the files that notes are kept in: what happened to a note, one
//! JSON object a line, of `type: "domain"`. Rows of other types are others'.

use browse_base::now_ms;
use serde::{Deserialize, Serialize};

/// How far a note has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoteState {
    /// Scanned and counted, never printed by `context`.
    Quarantined,
    /// In force in its project.
    Active,
    /// In force in every project.
    Global,
}

impl NoteState {
    /// As text.
    pub fn name(self) -> &'static str {
        match self {
            Self::Quarantined => "quarantined",
            Self::Active => "active",
            Self::Global => "global",
        }
    }
}

/// One line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NoteEventRow {
    /// Tells our rows from others'.
    #[serde(rename = "type")]
    pub kind: RowKind,
    /// Host of the note.
    pub host: String,
    /// Version that it is about.
    pub version: u32,
    /// When, in milliseconds since 1970.
    pub at: u64,
    /// What happened.
    #[serde(flatten)]
    pub event: NoteEvent,
}

/// The type of our rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RowKind {
    /// A note about a host.
    Domain,
}

/// What happened to a note.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum NoteEvent {
    /// A text came: saved, edited, restored, promoted, or kept by a compaction.
    Saved {
        /// Markdown.
        body: String,
        /// SHA-256 of `body`, as hex: a text that was changed by hand has not
        /// earned the state of its row.
        sha256: String,
        /// Score of its scan.
        score: f64,
        /// State that it begins with.
        state: NoteState,
        /// Uses that it begins with.
        #[serde(default)]
        uses: u32,
    },
    /// Somebody arrived on the host, and a scan found nothing.
    Used,
    /// A scan found something.
    Flagged {
        /// Its score.
        score: f64,
    },
    /// A shared note that was quarantined is shared again.
    Promoted,
    /// The note was removed.
    Removed,
}

impl NoteEventRow {
    /// A row of now.
    pub fn new(host: &str, version: u32, event: NoteEvent) -> Self {
        Self { kind: RowKind::Domain, host: host.to_owned(), version, at: now_ms(), event }
    }

    /// The row of a line; none for a torn one, and for others'.
    pub fn parse(line: &[u8]) -> Option<Self> {
        // Most lines of a file that is shared are others': do not parse them.
        memchr::memmem::find(line, b"\"domain\"")?;
        serde_json::from_slice(line).ok()
    }

    /// The line, with its end.
    pub fn to_line(&self) -> Vec<u8> {
        let mut line = serde_json::to_vec(self).unwrap_or_default();
        line.push(b'\n');
        line
    }
}
