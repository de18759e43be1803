//! The notes of a project and those that all projects share: what can be done
//! with them. Everything here touches the disk, so it runs on blocking threads.

use std::{path::Path, sync::Arc};

use browse_proto::Reason;

use super::{
    file::RowFile,
    host::NoteHost,
    note::{Book, Note, Scope, State, Version, hash},
    row::{Event, Row, now},
    slug,
};
use crate::error::{Error, Result};

/// The two files of notes.
pub struct Store {
    project: RowFile,
    global: RowFile,
}

/// A version of a note, and whose it is.
#[derive(Clone, Debug)]
pub struct Found {
    /// Host of the note.
    pub host: String,
    /// Whose it is.
    pub scope: Scope,
    /// Its text and state.
    pub version: Version,
    /// Whether it was removed.
    pub removed: bool,
    /// Whether the project's note goes before it.
    pub shadowed: bool,
}

impl Store {
    /// The notes of `project` in the home of browse.
    pub fn new(home: &Path, project: &Path) -> Self {
        let folder = home.join("projects").join(slug::of(project));
        Self {
            project: RowFile::new(folder.join("learnings.jsonl"), Scope::Project),
            global: RowFile::new(home.join("global-domain-skills.jsonl"), Scope::Global),
        }
    }

    /// The file of a scope.
    pub fn file(&self, scope: Scope) -> &RowFile {
        match scope {
            Scope::Project => &self.project,
            Scope::Global => &self.global,
        }
    }

    /// Every note, by host, the project's first.
    ///
    /// # Errors
    /// `FILE_UNREADABLE`.
    pub fn list(&self, removed: bool) -> Result<Vec<Found>> {
        let (project, global) = (self.project.load()?, self.global.load()?);
        let mut all: Vec<_> = [(&project, Scope::Project), (&global, Scope::Global)]
            .into_iter()
            .flat_map(|(book, scope)| {
                book.notes.iter().filter_map(move |(host, note)| last(host, note, scope))
            })
            .filter(|found| removed || !found.removed)
            .collect();
        for found in all.iter_mut().filter(|found| found.scope == Scope::Global) {
            found.shadowed = project.get(&found.host).and_then(Note::in_force).is_some();
        }
        all.sort_by(|a, b| a.host.cmp(&b.host));
        Ok(all)
    }

    /// The note on `host`; of the project unless `scope` is given.
    ///
    /// # Errors
    /// `NOTE_NOT_FOUND`, `FILE_UNREADABLE`.
    pub fn note(&self, host: &NoteHost, scope: Option<Scope>) -> Result<(Note, Scope)> {
        let scopes = scope.map_or(vec![Scope::Project, Scope::Global], |scope| vec![scope]);
        for scope in scopes {
            let book = self.file(scope).load()?;
            if let Some(note) = book.get(host.as_str()).filter(|note| note.current().is_some()) {
                return Ok((note.clone(), scope));
            }
        }
        Err(not_found(host, scope))
    }

    /// What `context` may print for `host` by the state of the files: the
    /// project's note before the shared one.
    ///
    /// # Errors
    /// `FILE_UNREADABLE`.
    pub fn in_force(&self, host: &NoteHost) -> Result<Option<Found>> {
        let (project, global) = (self.project.load()?, self.global.load()?);
        Ok(in_force(&project, &global, host))
    }

    /// The same from memory.
    pub fn known_in_force(&self, host: &NoteHost) -> Option<Found> {
        in_force(&self.project.known(), &self.global.known(), host)
    }

    /// The notes that an arrival on `host` scans: the project's, and the shared
    /// one unless the project's is in force.
    ///
    /// # Errors
    /// `FILE_UNREADABLE`.
    pub fn at(&self, host: &NoteHost) -> Result<Vec<Found>> {
        let (project, global) = (self.project.load()?, self.global.load()?);
        let find = |book: &Arc<Book>, scope| {
            book.get(host.as_str()).and_then(|note| last(host.as_str(), note, scope))
        };
        let own = find(&project, Scope::Project).filter(|found| !found.removed);
        let rules = own.as_ref().is_some_and(|own| own.version.state != State::Quarantined);
        let shared = find(&global, Scope::Global).filter(|found| !found.removed && !rules);
        Ok(own.into_iter().chain(shared).collect())
    }

    /// Saves a text on `host`; a new version unless it is the text of now.
    ///
    /// # Errors
    /// `NOTE_NOT_FOUND` when it has to exist; those of [`RowFile::edit`].
    pub fn save(&self, host: &NoteHost, body: &str, score: f64, must_exist: bool) -> Result<Found> {
        self.project.edit(|book| {
            let note = book.get(host.as_str()).cloned().unwrap_or_default();
            if must_exist && note.current().is_none() {
                return Err(not_found(host, Some(Scope::Project)));
            }
            let sha256 = hash(body);
            if let Some(same) = note.current().filter(|current| current.sha256 == sha256) {
                return Ok((Vec::new(), found(host, Scope::Project, same)));
            }
            let (number, state, body) = (note.next(), State::Quarantined, body.into());
            let new = Version { number, body, sha256, state, uses: 0, score, at: now() };
            Ok(write(host, Scope::Project, new))
        })
    }

    /// Brings an earlier text back as a new version: the one before, `to`, or
    /// that of a note that was removed.
    ///
    /// # Errors
    /// `NOTE_NOT_FOUND`, `NOTE_ONE_VERSION`, `NOTE_VERSION_NOT_FOUND`; those of
    /// [`RowFile::edit`].
    pub fn roll_back(&self, host: &NoteHost, scope: Scope, to: Option<u32>) -> Result<Found> {
        self.file(scope).edit(|book| {
            let note = book.get(host.as_str()).ok_or_else(|| self.missing(host, scope))?;
            let versions = &note.versions;
            let wanted = match (to, note.removed) {
                (Some(to), _) => {
                    let named = versions.iter().find(|version| version.number == to);
                    named.ok_or_else(|| no_version(host, to))?
                }
                (None, Some(_)) => versions.last().ok_or_else(|| not_found(host, Some(scope)))?,
                (None, None) => match versions.as_slice() {
                    [.., before, _] => before,
                    _ => return Err(one_version(host)),
                },
            };
            let new = Version { number: note.next(), at: now(), ..wanted.clone() };
            Ok(write(host, scope, new))
        })
    }

    /// Removes the note on `host`.
    ///
    /// # Errors
    /// `NOTE_NOT_FOUND`; those of [`RowFile::edit`].
    pub fn remove(&self, host: &NoteHost, scope: Scope) -> Result<Found> {
        self.file(scope).edit(|book| {
            let note = book.get(host.as_str());
            let current = note.and_then(Note::current);
            let current = current.ok_or_else(|| self.missing(host, scope))?;
            let row = Row::new(host.as_str(), current.number, Event::Removed);
            Ok((vec![row], Found { removed: true, ..found(host, scope, current) }))
        })
    }

    /// The error for a note that is not there; a caller may mean the shared one.
    fn missing(&self, host: &NoteHost, scope: Scope) -> Error {
        let shared = self
            .global
            .load()
            .is_ok_and(|book| book.get(host.as_str()).is_some_and(|note| note.current().is_some()));
        if scope == Scope::Project && shared {
            let message = format!(
                "there is no note of this project on `{host}`; `--global` means the one that all \
                 projects share"
            );
            return Error::new(Reason::NoteNotFound, message).with("host", host);
        }
        not_found(host, Some(scope))
    }

    /// Shares the project's note on `host` with all projects; or, when the
    /// project has none, shares one anew that was quarantined.
    ///
    /// # Errors
    /// `NOTE_QUARANTINED`, `NOTE_NOT_FOUND`; those of [`RowFile::edit`].
    pub fn promote(&self, host: &NoteHost) -> Result<Found> {
        let project = self.project.load()?;
        let own = project.get(host.as_str()).and_then(Note::current).cloned();
        if let Some(own) = &own
            && own.state == State::Quarantined
        {
            return Err(quarantined(host, own));
        }
        self.global.edit(|book| {
            let shared = book.get(host.as_str()).cloned().unwrap_or_default();
            let current = shared.current();
            let Some(own) = own else {
                let current = current.ok_or_else(|| not_found(host, None))?;
                let ready = current.uses >= super::note::ENOUGH;
                return match current.state {
                    State::Quarantined if !ready => Err(quarantined(host, current)),
                    State::Quarantined => {
                        let row = Row::new(host.as_str(), current.number, Event::Promoted);
                        let state = State::Global;
                        let now = Version { state, ..current.clone() };
                        Ok((vec![row], found(host, Scope::Global, &now)))
                    }
                    _ => Ok((Vec::new(), found(host, Scope::Global, current))),
                };
            };
            let same = current
                .filter(|current| current.sha256 == own.sha256 && current.state == State::Global);
            if let Some(same) = same {
                return Ok((Vec::new(), found(host, Scope::Global, same)));
            }
            let (number, state) = (shared.next(), State::Global);
            Ok(write(host, Scope::Global, Version { number, state, at: now(), ..own }))
        })
    }

    /// Notes a use, or a finding, of a version that is still the one of now;
    /// answers the note as it is then.
    ///
    /// # Errors
    /// Those of [`RowFile::edit`].
    pub fn scanned(&self, of: &Found, finding: Option<f64>) -> Result<Option<Found>> {
        let file = self.file(of.scope);
        let number = of.version.number;
        let same = |note: &&Note| note.current().is_some_and(|now| now.number == number);
        file.edit(|book| {
            let Some(note) = book.get(&of.host).filter(same) else {
                return Ok((Vec::new(), ()));
            };
            let quarantined = note.in_force().is_none();
            let event = match finding {
                // It would say again what is known.
                Some(_) if quarantined && note.current().is_some_and(|now| now.uses == 0) => {
                    return Ok((Vec::new(), ()));
                }
                Some(score) => Event::Flagged { score },
                None => Event::Used,
            };
            Ok((vec![Row::new(&of.host, number, event)], ()))
        })?;
        let book = file.known();
        Ok(book.get(&of.host).and_then(|note| last(&of.host, note, of.scope)))
    }
}

fn in_force(project: &Book, global: &Book, host: &NoteHost) -> Option<Found> {
    let of = |book: &Book, scope| {
        let version = book.get(host.as_str())?.in_force()?;
        Some(found(host, scope, version))
    };
    of(project, Scope::Project).or_else(|| of(global, Scope::Global))
}

fn last(host: &str, note: &Note, scope: Scope) -> Option<Found> {
    let version = note.versions.last()?.clone();
    let removed = note.removed.is_some();
    Some(Found { host: host.to_owned(), scope, version, removed, shadowed: false })
}

fn found(host: &NoteHost, scope: Scope, version: &Version) -> Found {
    let (host, version) = (host.to_string(), version.clone());
    Found { host, scope, version, removed: false, shadowed: false }
}

/// The row of a new version, and the version.
fn write(host: &NoteHost, scope: Scope, version: Version) -> (Vec<Row>, Found) {
    let event = Event::Saved {
        body: version.body.to_string(),
        sha256: version.sha256.clone(),
        score: version.score,
        state: version.state,
        uses: version.uses,
    };
    let row = Row { at: version.at, ..Row::new(host.as_str(), version.number, event) };
    (vec![row], found(host, scope, &version))
}

fn not_found(host: &NoteHost, scope: Option<Scope>) -> Error {
    let whose = match scope {
        Some(Scope::Project) => " of this project",
        Some(Scope::Global) => " that all projects share",
        None => "",
    };
    let message = format!("there is no note{whose} on `{host}`");
    Error::new(Reason::NoteNotFound, message).with("host", host)
}

fn no_version(host: &NoteHost, version: u32) -> Error {
    let message = format!("the note on `{host}` has no version {version}");
    Error::new(Reason::NoteVersionNotFound, message).with("host", host).with("version", version)
}

fn one_version(host: &NoteHost) -> Error {
    let message = format!("the note on `{host}` has one version, and none before it");
    Error::new(Reason::NoteOneVersion, message).with("host", host)
}

fn quarantined(host: &NoteHost, version: &Version) -> Error {
    let (uses, enough) = (version.uses, super::note::ENOUGH);
    let message = format!(
        "the note on `{host}` is quarantined: {uses} of {enough} uses without a finding so far"
    );
    Error::new(Reason::NoteQuarantined, message).with("host", host).with("uses", uses)
}
