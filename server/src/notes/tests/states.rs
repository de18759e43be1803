//! From quarantine to every project, and back.

use std::path::Path;

use browse_proto::Reason;

use super::{
    super::{
        note::{NoteScope, NoteState},
        store::NoteStore,
    },
    host, store, used,
};

/// State, uses and version of the note on `a.example`.
fn at(store: &NoteStore, scope: NoteScope) -> (NoteState, u32, u32) {
    let (note, _) = store.find_note(&host("a.example"), Some(scope)).expect("a note");
    let version = note.current().expect("a text");
    (version.state, version.uses, version.number)
}

fn body(store: &NoteStore) -> Option<String> {
    let found = store.active_note(&host("a.example")).expect("read");
    found.map(|found| found.version.body.to_string())
}

#[test]
fn three_uses_make_a_note_active_and_a_finding_sends_it_back() {
    let home = tempfile::tempdir().expect("a folder");
    let store = store(home.path());
    let a = host("a.example");
    store.save(&a, "one", 0.1, false).expect("saved");
    used(&store, "a.example", 2);
    assert_eq!(at(&store, NoteScope::Project), (NoteState::Quarantined, 2, 1));
    assert_eq!(body(&store), None);
    used(&store, "a.example", 1);
    assert_eq!(at(&store, NoteScope::Project), (NoteState::Active, 3, 1));
    assert_eq!(body(&store).as_deref(), Some("one"));
    let found = store.notes_to_scan(&a).expect("read").remove(0);
    store.record_scan(&found, Some(0.9)).expect("noted");
    assert_eq!(at(&store, NoteScope::Project), (NoteState::Quarantined, 0, 1));
    assert_eq!(body(&store), None);
    // A scan that began before says nothing of a text that came meanwhile.
    store.save(&a, "two", 0.1, false).expect("saved");
    store.record_scan(&found, None).expect("noted");
    assert_eq!(at(&store, NoteScope::Project), (NoteState::Quarantined, 0, 2));
}

#[test]
fn the_same_text_is_no_new_version() {
    let home = tempfile::tempdir().expect("a folder");
    let store = store(home.path());
    let save = || store.save(&host("a.example"), "one", 0.1, false).expect("saved").version.number;
    assert_eq!((save(), save()), (1, 1));
    used(&store, "a.example", 3);
    assert_eq!(save(), 1);
    assert_eq!(at(&store, NoteScope::Project), (NoteState::Active, 3, 1));
}

#[test]
fn what_is_shared_serves_other_projects_until_a_finding() {
    let home = tempfile::tempdir().expect("a folder");
    let (store, other) =
        (store(home.path()), NoteStore::new(home.path(), Path::new("/nowhere/other")));
    let a = host("a.example");
    let refused = store.promote(&a).map(|_| ()).map_err(|error| error.reason());
    assert_eq!(refused, Err(Reason::NoteNotFound));
    store.save(&a, "one", 0.1, false).expect("saved");
    let refused = store.promote(&a).expect_err("it is quarantined");
    assert_eq!(refused.reason(), Reason::NoteQuarantined);
    assert_eq!(refused.metadata()["uses"], "0");
    used(&store, "a.example", 3);
    assert_eq!(body(&other), None);
    store.promote(&a).expect("shared");
    assert_eq!(body(&other).as_deref(), Some("one"));
    // The project's own note goes before it, once it is in force.
    other.save(&a, "own", 0.1, false).expect("saved");
    assert_eq!(body(&other).as_deref(), Some("one"));
    used(&other, "a.example", 3);
    assert_eq!(body(&other).as_deref(), Some("own"));
    assert_eq!(body(&store).as_deref(), Some("one"));
    let listed = other.list(false).expect("read");
    assert!(listed.iter().any(|found| found.scope == NoteScope::Global && found.shadowed));
    other.remove(&a, NoteScope::Project).expect("removed");
    assert_eq!(body(&other).as_deref(), Some("one"));
    // What is shared is shared again by a person's word alone.
    let shared = other.notes_to_scan(&a).expect("read").remove(0);
    other.record_scan(&shared, Some(0.9)).expect("noted");
    assert_eq!(body(&other), None);
    let refused = other.promote(&a).expect_err("it has to be used first");
    assert_eq!(refused.reason(), Reason::NoteQuarantined);
    used(&other, "a.example", 3);
    assert_eq!(body(&other), None);
    other.promote(&a).expect("shared anew");
    assert_eq!(body(&other).as_deref(), Some("one"));
}

#[test]
fn earlier_texts_and_removed_notes_come_back_as_they_were() {
    let home = tempfile::tempdir().expect("a folder");
    let store = store(home.path());
    let a = host("a.example");
    let reason = |to| store.roll_back(&a, NoteScope::Project, to).map_err(|error| error.reason());
    assert_eq!(reason(None).map(|_| ()), Err(Reason::NoteNotFound));
    store.save(&a, "one", 0.1, false).expect("saved");
    assert_eq!(reason(None).map(|_| ()), Err(Reason::NoteOneVersion));
    used(&store, "a.example", 3);
    store.save(&a, "two", 0.1, true).expect("edited");
    assert_eq!(body(&store), None);
    assert_eq!(reason(Some(9)).map(|_| ()), Err(Reason::NoteVersionNotFound));
    reason(None).expect("restored");
    assert_eq!(at(&store, NoteScope::Project), (NoteState::Active, 3, 3), "as it had earned");
    assert_eq!(body(&store).as_deref(), Some("one"));
    store.remove(&a, NoteScope::Project).expect("removed");
    assert_eq!(body(&store), None);
    assert!(store.remove(&a, NoteScope::Project).is_err(), "removed is removed");
    assert_eq!(store.list(true).expect("read").len(), 1);
    assert!(store.list(false).expect("read").is_empty());
    reason(None).expect("restored");
    assert_eq!(at(&store, NoteScope::Project), (NoteState::Active, 3, 4));
    reason(Some(2)).expect("restored");
    assert_eq!(at(&store, NoteScope::Project), (NoteState::Quarantined, 0, 5));
}

#[test]
fn only_what_is_there_is_edited() {
    let home = tempfile::tempdir().expect("a folder");
    let refused = store(home.path()).save(&host("a.example"), "one", 0.1, true);
    assert_eq!(refused.map(|_| ()).map_err(|error| error.reason()), Err(Reason::NoteNotFound));
}
