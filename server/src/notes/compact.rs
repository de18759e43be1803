//! Rewrites a file of rows without what no longer counts. Rows of others stay
//! as they are, byte by byte and in their order.

use std::{
    fs::{OpenOptions, Permissions},
    io::{self, Write as _},
    os::unix::fs::PermissionsExt as _,
};

use super::{
    crash,
    file::{RowFile, bytes, sync_folder},
    note::{Book, Note},
    row::{Event, Kind, Row, now},
};
use crate::error::Result;

/// Rows above what is needed before it is worth the writing.
const SLACK: usize = 64;

/// Time that a removed note can be brought back at least, in milliseconds.
const GRACE: u64 = 90 * 24 * 3600 * 1000;

impl RowFile {
    /// Whether a compaction would leave much out.
    pub fn is_bloated(&self) -> bool {
        let book = self.known();
        book.rows > 2 * rows(&book).len() + SLACK
    }

    /// Rewrites the file.
    ///
    /// # Errors
    /// `NOTES_BUSY`, `FILE_UNREADABLE`, `FILE_UNWRITABLE`.
    pub fn compact(&self) -> Result<()> {
        let file = self.lock()?;
        let found = bytes(&file).map_err(|error| self.unreadable(&error))?;
        let mut book = Book::default();
        let mut kept = Vec::new();
        for line in found.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            match Row::parse(line) {
                Some(row) => book.apply(row, self.scope()),
                None if is_torn(line) => {}
                None => {
                    kept.extend_from_slice(line);
                    kept.push(b'\n');
                }
            }
        }
        rows(&book).iter().for_each(|row| kept.extend(row.line()));
        let replace = || -> io::Result<()> {
            let mut new = tempfile::NamedTempFile::new_in(self.folder())?;
            new.as_file().set_permissions(Permissions::from_mode(0o600))?;
            new.write_all(&kept)?;
            crash::here("rewritten");
            new.as_file().sync_all()?;
            // Held before anybody can open it by its name.
            new.as_file().lock()?;
            let new = new.persist(self.path())?;
            crash::here("replaced");
            // Others append without our lock; what came meanwhile comes along.
            let all = bytes(&file)?;
            if let Some(late) = all.get(found.len()..).filter(|late| !late.is_empty()) {
                OpenOptions::new().append(true).open(self.path())?.write_all(late)?;
                new.sync_all()?;
            }
            sync_folder(self.folder())
        };
        replace().map_err(|error| self.unwritable(&error))?;
        self.forget();
        Ok(())
    }
}

/// A line of ours that a killed writer did not end.
fn is_torn(line: &[u8]) -> bool {
    line.starts_with(br#"{"type":"domain","#)
        && serde_json::from_slice::<serde::de::IgnoredAny>(line).is_err()
}

/// The fewest rows that tell the same.
fn rows(book: &Book) -> Vec<Row> {
    let over = |note: &Note| note.removed.is_some_and(|at| at + GRACE < now());
    let notes = book.notes.iter().filter(|(_, note)| !over(note));
    notes.flat_map(|(host, note)| of_note(host, note)).collect()
}

fn of_note(host: &str, note: &Note) -> Vec<Row> {
    let row =
        |version, at, event| Row { kind: Kind::Domain, host: host.to_owned(), version, at, event };
    let mut rows: Vec<_> = note
        .versions
        .iter()
        .map(|version| {
            let event = Event::Saved {
                body: version.body.to_string(),
                sha256: version.sha256.clone(),
                score: version.score,
                state: version.state,
                uses: version.uses,
            };
            row(version.number, version.at, event)
        })
        .collect();
    if let (Some(at), Some(last)) = (note.removed, note.versions.last()) {
        rows.push(row(last.number, at, Event::Removed));
    }
    rows
}
