//! The life of notes on the disk: states, versions, torn lines, rows of
//! others, writers at once, and writers that are killed.

mod files;
mod processes;
mod states;

use std::{fs, path::Path};

use super::{host::NoteHost, note::Scope, store::Store};

/// The notes of a project in `home`.
fn store(home: &Path) -> Store {
    Store::new(home, Path::new("/nowhere/project"))
}

fn host(name: &str) -> NoteHost {
    NoteHost::named(name, "context").expect("a host")
}

/// What the file of the project holds.
fn text(store: &Store) -> String {
    String::from_utf8_lossy(&fs::read(store.file(Scope::Project).path()).expect("a file"))
        .into_owned()
}

/// Appends to the file of the project, as anybody may.
fn append(store: &Store, bytes: &[u8]) {
    use std::io::Write as _;
    let path = store.file(Scope::Project).path();
    let mut file = fs::OpenOptions::new().append(true).open(path).expect("a file");
    file.write_all(bytes).expect("written");
}

/// Uses the note on `name` so many times.
fn used(store: &Store, name: &str, times: u32) {
    for _ in 0..times {
        for found in store.at(&host(name)).expect("read") {
            store.scanned(&found, None).expect("counted");
        }
    }
}
