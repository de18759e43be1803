//! The life of notes on the disk: states, versions, torn lines, rows of
//! others, writers at once, and writers that are killed.

mod files;
mod processes;
mod states;

use std::{fs, path::Path};

use super::{host::NoteHost, note::NoteScope, store::NoteStore};

/// The notes of a project in `home`.
fn store(home: &Path) -> NoteStore {
    NoteStore::new(home, Path::new("/nowhere/project"))
}

fn host(name: &str) -> NoteHost {
    NoteHost::parse(name, "context").expect("a host")
}

/// What the file of the project holds.
fn text(store: &NoteStore) -> String {
    String::from_utf8_lossy(&fs::read(store.file(NoteScope::Project).path()).expect("a file"))
        .into_owned()
}

/// Appends to the file of the project, as anybody may.
fn append(store: &NoteStore, bytes: &[u8]) {
    use std::io::Write as _;
    let path = store.file(NoteScope::Project).path();
    let mut file = fs::OpenOptions::new().append(true).open(path).expect("a file");
    file.write_all(bytes).expect("written");
}

/// Uses the note on `name` so many times.
fn used(store: &NoteStore, name: &str, times: u32) {
    for _ in 0..times {
        for found in store.notes_to_scan(&host(name)).expect("read") {
            store.record_scan(&found, None).expect("counted");
        }
    }
}
