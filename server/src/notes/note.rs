//! A note, as the rows of its file tell it: the state machine.
//!
//! `quarantined` -> `active` after three uses without a finding -> `global`
//! by promotion alone; a finding sends it back to `quarantined`.

use std::{collections::BTreeMap, sync::Arc};

use sha2::{Digest as _, Sha256};

pub use super::event_row::NoteState;
use super::event_row::{NoteEvent, NoteEventRow};

/// Uses without a finding that a note needs.
pub const USES_TO_ACTIVATE: u32 = 3;

/// Versions that are kept of a note.
pub const MAX_VERSIONS: usize = 10;

/// Whose note it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoteScope {
    /// A project's.
    Project,
    /// Every project's.
    Global,
}

impl NoteScope {
    /// As text.
    pub fn name(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Global => "global",
        }
    }
}

/// One text of a note.
#[derive(Clone, Debug, PartialEq)]
pub struct NoteVersion {
    /// From 1 on; never used again for the same host.
    pub number: u32,
    /// Markdown.
    pub body: Arc<str>,
    /// SHA-256 of the text, as hex.
    pub sha256: String,
    /// How far it has come.
    pub state: NoteState,
    /// Uses without a finding.
    pub uses: u32,
    /// Score of the last scan that reported something.
    pub score: f64,
    /// When it came, in milliseconds since 1970.
    pub created_at_ms: u64,
}

/// The note on one host.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HostNote {
    /// Oldest first; those before the last ten are dropped.
    pub versions: Vec<NoteVersion>,
    /// When it was removed, in milliseconds since 1970.
    pub removed_at_ms: Option<u64>,
}

/// The notes of a file, by host.
#[derive(Clone, Debug, Default)]
pub struct NoteIndex {
    /// Removed ones included.
    pub notes: BTreeMap<String, HostNote>,
    /// Rows that it was made from.
    pub rows: usize,
}

impl HostNote {
    /// The text of now.
    pub fn current(&self) -> Option<&NoteVersion> {
        self.versions.last().filter(|_| self.removed_at_ms.is_none())
    }

    /// The text of now, when `context` may print it.
    pub fn active_version(&self) -> Option<&NoteVersion> {
        self.current().filter(|version| version.state != NoteState::Quarantined)
    }

    /// The number for the next version.
    pub fn next_version_number(&self) -> u32 {
        self.versions.last().map_or(1, |version| version.number + 1)
    }
}

impl NoteIndex {
    /// The note on `host`, removed or not.
    pub fn get(&self, host: &str) -> Option<&HostNote> {
        self.notes.get(host)
    }

    /// Takes in a row of a file of `scope`. What does not fit is left out: it
    /// was written by a process that knew less.
    pub fn apply(&mut self, row: NoteEventRow, scope: NoteScope) {
        self.rows += 1;
        let NoteEventRow { host, version, at, event, .. } = row;
        if let NoteEvent::Saved { body, sha256, score, state, uses } = event {
            let note = self.notes.entry(host).or_default();
            if version < note.next_version_number() {
                return;
            }
            let found = sha256_hex(&body);
            // Nobody changes the text of a row but by hand.
            let (state, uses) = match found == sha256 {
                true => (clamp_state(state, scope), uses),
                false => (NoteState::Quarantined, 0),
            };
            let body = body.into();
            let sha256 = found;
            note.versions.push(NoteVersion {
                number: version,
                body,
                sha256,
                state,
                uses,
                score,
                created_at_ms: at,
            });
            if note.versions.len() > MAX_VERSIONS {
                note.versions.remove(0);
            }
            note.removed_at_ms = None;
            return;
        }
        let Some(note) = self.notes.get_mut(&host).filter(|note| note.removed_at_ms.is_none())
        else {
            return;
        };
        let Some(current) = note.versions.last_mut().filter(|last| last.number == version) else {
            return;
        };
        match event {
            NoteEvent::Used => {
                current.uses = current.uses.saturating_add(1);
                // What is shared is shared by a person's word alone.
                if scope == NoteScope::Project && current.uses >= USES_TO_ACTIVATE {
                    current.state = NoteState::Active;
                }
            }
            NoteEvent::Flagged { score } => {
                *current = NoteVersion {
                    state: NoteState::Quarantined,
                    uses: 0,
                    score,
                    ..current.clone()
                };
            }
            NoteEvent::Promoted if scope == NoteScope::Global => current.state = NoteState::Global,
            NoteEvent::Removed => note.removed_at_ms = Some(at),
            NoteEvent::Promoted | NoteEvent::Saved { .. } => {}
        }
    }
}

/// The states that a file of `scope` can hold.
fn clamp_state(state: NoteState, scope: NoteScope) -> NoteState {
    match (state, scope) {
        (NoteState::Global, NoteScope::Project) => NoteState::Active,
        (NoteState::Active, NoteScope::Global) => NoteState::Global,
        (state, _) => state,
    }
}

/// SHA-256 as hex.
pub fn sha256_hex(body: &str) -> String {
    Sha256::digest(body.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}
