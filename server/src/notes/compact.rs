//! Rewrites a file of rows without what no longer counts. Rows of others stay
//! as they are, byte by byte and in their order.

use std::{
    fs::{OpenOptions, Permissions},
    io::{self, Write as _},
    os::unix::fs::PermissionsExt as _,
};

use super::{
    event_row::{NoteEvent, NoteEventRow, RowKind},
    failpoints,
    file::{NoteEventFile, read_all, sync_folder},
    note::{HostNote, NoteIndex},
};
use browse_base::{Result, now_ms};

/// Rows above what is needed before it is worth the writing.
const COMPACTION_SLACK_ROWS: usize = 64;

/// Time that a removed note can be brought back at least, in milliseconds.
const REMOVED_RETENTION_MS: u64 = 90 * 24 * 3600 * 1000;

impl NoteEventFile {
    /// Whether a compaction would leave much out.
    pub fn needs_compaction(&self) -> bool {
        let book = self.cached();
        book.rows > 2 * minimal_rows(&book).len() + COMPACTION_SLACK_ROWS
    }

    /// Rewrites the file.
    ///
    /// # Errors
    /// `NOTES_BUSY`, `FILE_UNREADABLE`, `FILE_UNWRITABLE`.
    pub fn compact(&self) -> Result<()> {
        let file = self.lock()?;
        let found = read_all(&file).map_err(|error| self.unreadable(&error))?;
        let mut book = NoteIndex::default();
        let mut kept = Vec::new();
        for line in found.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            match NoteEventRow::parse(line) {
                Some(row) => book.apply(row, self.scope()),
                None if is_torn(line) => {}
                None => {
                    kept.extend_from_slice(line);
                    kept.push(b'\n');
                }
            }
        }
        minimal_rows(&book).iter().for_each(|row| kept.extend(row.to_line()));
        let replace = || -> io::Result<()> {
            let mut new = tempfile::NamedTempFile::new_in(self.folder())?;
            new.as_file().set_permissions(Permissions::from_mode(0o600))?;
            new.write_all(&kept)?;
            failpoints::here("rewritten");
            new.as_file().sync_all()?;
            // Held before anybody can open it by its name.
            new.as_file().lock()?;
            let new = new.persist(self.path())?;
            failpoints::here("replaced");
            // Others append without our lock; what came meanwhile comes along.
            let all = read_all(&file)?;
            if let Some(late) = all.get(found.len()..).filter(|late| !late.is_empty()) {
                OpenOptions::new().append(true).open(self.path())?.write_all(late)?;
                new.sync_all()?;
            }
            sync_folder(self.folder())
        };
        replace().map_err(|error| self.unwritable(&error))?;
        self.clear_cache();
        Ok(())
    }
}

/// A line of ours that a killed writer did not end.
fn is_torn(line: &[u8]) -> bool {
    line.starts_with(br#"{"type":"domain","#)
        && serde_json::from_slice::<serde::de::IgnoredAny>(line).is_err()
}

/// The fewest rows that tell the same.
fn minimal_rows(book: &NoteIndex) -> Vec<NoteEventRow> {
    let over =
        |note: &HostNote| note.removed_at_ms.is_some_and(|at| at + REMOVED_RETENTION_MS < now_ms());
    let notes = book.notes.iter().filter(|(_, note)| !over(note));
    notes.flat_map(|(host, note)| note_rows(host, note)).collect()
}

fn note_rows(host: &str, note: &HostNote) -> Vec<NoteEventRow> {
    let row = |version, at, event| NoteEventRow {
        kind: RowKind::Domain,
        host: host.to_owned(),
        version,
        at,
        event,
    };
    let mut rows: Vec<_> = note
        .versions
        .iter()
        .map(|version| {
            let event = NoteEvent::Saved {
                body: version.body.to_string(),
                sha256: version.sha256.clone(),
                score: version.score,
                state: version.state,
                uses: version.uses,
            };
            row(version.number, version.created_at_ms, event)
        })
        .collect();
    if let (Some(at), Some(last)) = (note.removed_at_ms, note.versions.last()) {
        rows.push(row(last.number, at, NoteEvent::Removed));
    }
    rows
}
