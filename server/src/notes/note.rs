//! A note, as the rows of its file tell it: the state machine.
//!
//! `quarantined` -> `active` after three uses without a finding -> `global`
//! by promotion alone; a finding sends it back to `quarantined`.

use std::{collections::BTreeMap, sync::Arc};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::row::{Event, Row};

/// Uses without a finding that a note needs.
pub const ENOUGH: u32 = 3;

/// Versions that are kept of a note.
pub const MOST_VERSIONS: usize = 10;

/// How far a note has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Scanned and counted, never printed by `context`.
    Quarantined,
    /// In force in its project.
    Active,
    /// In force in every project.
    Global,
}

impl State {
    /// As text.
    pub fn name(self) -> &'static str {
        match self {
            Self::Quarantined => "quarantined",
            Self::Active => "active",
            Self::Global => "global",
        }
    }
}

/// Whose note it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// A project's.
    Project,
    /// Every project's.
    Global,
}

impl Scope {
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
pub struct Version {
    /// From 1 on; never used again for the same host.
    pub number: u32,
    /// Markdown.
    pub body: Arc<str>,
    /// SHA-256 of the text, as hex.
    pub sha256: String,
    /// How far it has come.
    pub state: State,
    /// Uses without a finding.
    pub uses: u32,
    /// Score of the last scan that said something.
    pub score: f64,
    /// When it came, in milliseconds since 1970.
    pub at: u64,
}

/// The note on one host.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Note {
    /// Oldest first; those before the last ten are dropped.
    pub versions: Vec<Version>,
    /// When it was removed, in milliseconds since 1970.
    pub removed: Option<u64>,
}

/// The notes of a file, by host.
#[derive(Clone, Debug, Default)]
pub struct Book {
    /// Removed ones included.
    pub notes: BTreeMap<String, Note>,
    /// Rows that it was made from.
    pub rows: usize,
}

impl Note {
    /// The text of now.
    pub fn current(&self) -> Option<&Version> {
        self.versions.last().filter(|_| self.removed.is_none())
    }

    /// The text of now, when `context` may print it.
    pub fn in_force(&self) -> Option<&Version> {
        self.current().filter(|version| version.state != State::Quarantined)
    }

    /// The number for the next version.
    pub fn next(&self) -> u32 {
        self.versions.last().map_or(1, |version| version.number + 1)
    }
}

impl Book {
    /// The note on `host`, removed or not.
    pub fn get(&self, host: &str) -> Option<&Note> {
        self.notes.get(host)
    }

    /// Takes in a row of a file of `scope`. What does not fit is left out: it
    /// was written by a process that knew less.
    pub fn apply(&mut self, row: Row, scope: Scope) {
        self.rows += 1;
        let Row { host, version, at, event, .. } = row;
        if let Event::Saved { body, sha256, score, state, uses } = event {
            let note = self.notes.entry(host).or_default();
            if version < note.next() {
                return;
            }
            let found = hash(&body);
            // Nobody changes the text of a row but by hand.
            let (state, uses) = match found == sha256 {
                true => (allowed(state, scope), uses),
                false => (State::Quarantined, 0),
            };
            let body = body.into();
            let sha256 = found;
            note.versions.push(Version { number: version, body, sha256, state, uses, score, at });
            if note.versions.len() > MOST_VERSIONS {
                note.versions.remove(0);
            }
            note.removed = None;
            return;
        }
        let Some(note) = self.notes.get_mut(&host).filter(|note| note.removed.is_none()) else {
            return;
        };
        let Some(current) = note.versions.last_mut().filter(|last| last.number == version) else {
            return;
        };
        match event {
            Event::Used => {
                current.uses = current.uses.saturating_add(1);
                // What is shared is shared by a person's word alone.
                if scope == Scope::Project && current.uses >= ENOUGH {
                    current.state = State::Active;
                }
            }
            Event::Flagged { score } => {
                *current = Version { state: State::Quarantined, uses: 0, score, ..current.clone() };
            }
            Event::Promoted if scope == Scope::Global => current.state = State::Global,
            Event::Removed => note.removed = Some(at),
            Event::Promoted | Event::Saved { .. } => {}
        }
    }
}

/// The states that a file of `scope` can hold.
fn allowed(state: State, scope: Scope) -> State {
    match (state, scope) {
        (State::Global, Scope::Project) => State::Active,
        (State::Active, Scope::Global) => State::Global,
        (state, _) => state,
    }
}

/// SHA-256 as hex.
pub fn hash(body: &str) -> String {
    Sha256::digest(body.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}
