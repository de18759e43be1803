//! The notes of a project and those that all projects share: what can be done
//! with them. Everything here touches the disk, so it runs on blocking threads.

use std::{path::Path, sync::Arc};

use browse_proto::Reason;

use super::{
    event_row::{NoteEvent, NoteEventRow},
    file::NoteEventFile,
    host::NoteHost,
    note::{HostNote, NoteIndex, NoteScope, NoteState, NoteVersion, sha256_hex},
    slug,
};
use browse_base::{Error, Result, now_ms};

/// The two files of notes.
pub struct NoteStore {
    project: NoteEventFile,
    global: NoteEventFile,
}

/// A version of a note, and whose it is.
#[derive(Clone, Debug)]
pub struct StoredNote {
    /// Host of the note.
    pub host: String,
    /// Whose it is.
    pub scope: NoteScope,
    /// Its text and state.
    pub version: NoteVersion,
    /// Whether it was removed.
    pub removed: bool,
    /// Whether the project's note goes before it.
    pub shadowed: bool,
}

impl NoteStore {
    /// The notes of `project` in the home of browse.
    pub fn new(home: &Path, project: &Path) -> Self {
        let folder = home.join("projects").join(slug::project_slug(project));
        Self {
            project: NoteEventFile::new(folder.join("learnings.jsonl"), NoteScope::Project),
            global: NoteEventFile::new(home.join("global-domain-skills.jsonl"), NoteScope::Global),
        }
    }

    /// The file of a scope.
    pub fn file(&self, scope: NoteScope) -> &NoteEventFile {
        match scope {
            NoteScope::Project => &self.project,
            NoteScope::Global => &self.global,
        }
    }

    /// Every note, by host, the project's first.
    ///
    /// # Errors
    /// `FILE_UNREADABLE`.
    pub fn list(&self, removed: bool) -> Result<Vec<StoredNote>> {
        let (project, global) = (self.project.load()?, self.global.load()?);
        let mut all: Vec<_> = [(&project, NoteScope::Project), (&global, NoteScope::Global)]
            .into_iter()
            .flat_map(|(book, scope)| {
                book.notes.iter().filter_map(move |(host, note)| latest_version(host, note, scope))
            })
            .filter(|found| removed || !found.removed)
            .collect();
        for found in all.iter_mut().filter(|found| found.scope == NoteScope::Global) {
            found.shadowed = project.get(&found.host).and_then(HostNote::active_version).is_some();
        }
        all.sort_by(|a, b| a.host.cmp(&b.host));
        Ok(all)
    }

    /// The note on `host`; of the project unless `scope` is given.
    ///
    /// # Errors
    /// `NOTE_NOT_FOUND`, `FILE_UNREADABLE`.
    pub fn find_note(
        &self,
        host: &NoteHost,
        scope: Option<NoteScope>,
    ) -> Result<(HostNote, NoteScope)> {
        let scopes = scope.map_or(vec![NoteScope::Project, NoteScope::Global], |scope| vec![scope]);
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
    pub fn active_note(&self, host: &NoteHost) -> Result<Option<StoredNote>> {
        let (project, global) = (self.project.load()?, self.global.load()?);
        Ok(find_active(&project, &global, host))
    }

    /// The same from memory.
    pub fn cached_active_note(&self, host: &NoteHost) -> Option<StoredNote> {
        find_active(&self.project.cached(), &self.global.cached(), host)
    }

    /// The notes that an arrival on `host` scans: the project's, and the shared
    /// one unless the project's is in force.
    ///
    /// # Errors
    /// `FILE_UNREADABLE`.
    pub fn notes_to_scan(&self, host: &NoteHost) -> Result<Vec<StoredNote>> {
        let (project, global) = (self.project.load()?, self.global.load()?);
        let find = |book: &Arc<NoteIndex>, scope| {
            book.get(host.as_str()).and_then(|note| latest_version(host.as_str(), note, scope))
        };
        let own = find(&project, NoteScope::Project).filter(|found| !found.removed);
        let rules = own.as_ref().is_some_and(|own| own.version.state != NoteState::Quarantined);
        let shared = find(&global, NoteScope::Global).filter(|found| !found.removed && !rules);
        Ok(own.into_iter().chain(shared).collect())
    }

    /// Saves a text on `host`; a new version unless it is the text of now.
    ///
    /// # Errors
    /// `NOTE_NOT_FOUND` when it has to exist; those of [`RowFile::edit`].
    pub fn save(
        &self,
        host: &NoteHost,
        body: &str,
        score: f64,
        must_exist: bool,
    ) -> Result<StoredNote> {
        self.project.edit(|book| {
            let note = book.get(host.as_str()).cloned().unwrap_or_default();
            if must_exist && note.current().is_none() {
                return Err(not_found(host, Some(NoteScope::Project)));
            }
            let sha256 = sha256_hex(body);
            if let Some(same) = note.current().filter(|current| current.sha256 == sha256) {
                return Ok((Vec::new(), stored_note(host, NoteScope::Project, same)));
            }
            let (number, state, body) =
                (note.next_version_number(), NoteState::Quarantined, body.into());
            let new = NoteVersion {
                number,
                body,
                sha256,
                state,
                uses: 0,
                score,
                created_at_ms: now_ms(),
            };
            Ok(version_rows(host, NoteScope::Project, new))
        })
    }

    /// Brings an earlier text back as a new version: the one before, `to`, or
    /// that of a note that was removed.
    ///
    /// # Errors
    /// `NOTE_NOT_FOUND`, `NOTE_ONE_VERSION`, `NOTE_VERSION_NOT_FOUND`; those of
    /// [`RowFile::edit`].
    pub fn roll_back(
        &self,
        host: &NoteHost,
        scope: NoteScope,
        to: Option<u32>,
    ) -> Result<StoredNote> {
        self.file(scope).edit(|book| {
            let note = book.get(host.as_str()).ok_or_else(|| self.note_missing(host, scope))?;
            let versions = &note.versions;
            let wanted = match (to, note.removed_at_ms) {
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
            let new = NoteVersion {
                number: note.next_version_number(),
                created_at_ms: now_ms(),
                ..wanted.clone()
            };
            Ok(version_rows(host, scope, new))
        })
    }

    /// Removes the note on `host`.
    ///
    /// # Errors
    /// `NOTE_NOT_FOUND`; those of [`RowFile::edit`].
    pub fn remove(&self, host: &NoteHost, scope: NoteScope) -> Result<StoredNote> {
        self.file(scope).edit(|book| {
            let note = book.get(host.as_str());
            let current = note.and_then(HostNote::current);
            let current = current.ok_or_else(|| self.note_missing(host, scope))?;
            let row = NoteEventRow::new(host.as_str(), current.number, NoteEvent::Removed);
            Ok((vec![row], StoredNote { removed: true, ..stored_note(host, scope, current) }))
        })
    }

    /// The error for a note that is not there; a caller may mean the shared one.
    fn note_missing(&self, host: &NoteHost, scope: NoteScope) -> Error {
        let shared = self
            .global
            .load()
            .is_ok_and(|book| book.get(host.as_str()).is_some_and(|note| note.current().is_some()));
        if scope == NoteScope::Project && shared {
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
    pub fn promote(&self, host: &NoteHost) -> Result<StoredNote> {
        let project = self.project.load()?;
        let own = project.get(host.as_str()).and_then(HostNote::current).cloned();
        if let Some(own) = &own
            && own.state == NoteState::Quarantined
        {
            return Err(quarantined(host, own));
        }
        self.global.edit(|book| {
            let shared = book.get(host.as_str()).cloned().unwrap_or_default();
            let current = shared.current();
            let Some(own) = own else {
                let current = current.ok_or_else(|| not_found(host, None))?;
                let ready = current.uses >= super::note::USES_TO_ACTIVATE;
                return match current.state {
                    NoteState::Quarantined if !ready => Err(quarantined(host, current)),
                    NoteState::Quarantined => {
                        let row =
                            NoteEventRow::new(host.as_str(), current.number, NoteEvent::Promoted);
                        let state = NoteState::Global;
                        let now = NoteVersion { state, ..current.clone() };
                        Ok((vec![row], stored_note(host, NoteScope::Global, &now)))
                    }
                    _ => Ok((Vec::new(), stored_note(host, NoteScope::Global, current))),
                };
            };
            let same = current.filter(|current| {
                current.sha256 == own.sha256 && current.state == NoteState::Global
            });
            if let Some(same) = same {
                return Ok((Vec::new(), stored_note(host, NoteScope::Global, same)));
            }
            let (number, state) = (shared.next_version_number(), NoteState::Global);
            Ok(version_rows(
                host,
                NoteScope::Global,
                NoteVersion { number, state, created_at_ms: now_ms(), ..own },
            ))
        })
    }

    /// Notes a use, or a finding, of a version that is still the one of now;
    /// answers the note as it is then.
    ///
    /// # Errors
    /// Those of [`RowFile::edit`].
    pub fn record_scan(&self, of: &StoredNote, finding: Option<f64>) -> Result<Option<StoredNote>> {
        let file = self.file(of.scope);
        let number = of.version.number;
        let same = |note: &&HostNote| note.current().is_some_and(|now| now.number == number);
        file.edit(|book| {
            let Some(note) = book.get(&of.host).filter(same) else {
                return Ok((Vec::new(), ()));
            };
            let quarantined = note.active_version().is_none();
            let event = match finding {
                // It would say again what is known.
                Some(_) if quarantined && note.current().is_some_and(|now| now.uses == 0) => {
                    return Ok((Vec::new(), ()));
                }
                Some(score) => NoteEvent::Flagged { score },
                None => NoteEvent::Used,
            };
            Ok((vec![NoteEventRow::new(&of.host, number, event)], ()))
        })?;
        let book = file.cached();
        Ok(book.get(&of.host).and_then(|note| latest_version(&of.host, note, of.scope)))
    }
}

fn find_active(project: &NoteIndex, global: &NoteIndex, host: &NoteHost) -> Option<StoredNote> {
    let of = |book: &NoteIndex, scope| {
        let version = book.get(host.as_str())?.active_version()?;
        Some(stored_note(host, scope, version))
    };
    of(project, NoteScope::Project).or_else(|| of(global, NoteScope::Global))
}

fn latest_version(host: &str, note: &HostNote, scope: NoteScope) -> Option<StoredNote> {
    let version = note.versions.last()?.clone();
    let removed = note.removed_at_ms.is_some();
    Some(StoredNote { host: host.to_owned(), scope, version, removed, shadowed: false })
}

fn stored_note(host: &NoteHost, scope: NoteScope, version: &NoteVersion) -> StoredNote {
    let (host, version) = (host.to_string(), version.clone());
    StoredNote { host, scope, version, removed: false, shadowed: false }
}

/// The row of a new version, and the version.
fn version_rows(
    host: &NoteHost,
    scope: NoteScope,
    version: NoteVersion,
) -> (Vec<NoteEventRow>, StoredNote) {
    let event = NoteEvent::Saved {
        body: version.body.to_string(),
        sha256: version.sha256.clone(),
        score: version.score,
        state: version.state,
        uses: version.uses,
    };
    let row = NoteEventRow {
        at: version.created_at_ms,
        ..NoteEventRow::new(host.as_str(), version.number, event)
    };
    (vec![row], stored_note(host, scope, &version))
}

fn not_found(host: &NoteHost, scope: Option<NoteScope>) -> Error {
    let whose = match scope {
        Some(NoteScope::Project) => " of this project",
        Some(NoteScope::Global) => " that all projects share",
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

fn quarantined(host: &NoteHost, version: &NoteVersion) -> Error {
    let (uses, enough) = (version.uses, super::note::USES_TO_ACTIVATE);
    let message = format!(
        "the note on `{host}` is quarantined: {uses} of {enough} uses without a finding so far"
    );
    Error::new(Reason::NoteQuarantined, message).with("host", host).with("uses", uses)
}
