//! What a file holds, whoever wrote it.

use std::{fs, os::unix::fs::symlink, path::Path};

use browse_proto::Reason;

use super::{
    super::{
        note::{NoteScope, NoteState, sha256_hex},
        store::NoteStore,
    },
    append, host, store, text, used,
};

const FOREIGN: &str =
    "{\"type\":\"pattern\",  \"key\":\"domain\",\"insight\":\"x\"}\n# a comment\n";

fn numbers(store: &NoteStore) -> Vec<u32> {
    let (note, _) = store.find_note(&host("a.example"), None).expect("a note");
    note.versions.iter().map(|version| version.number).collect()
}

#[test]
fn a_torn_line_is_left_out_and_takes_no_other_along() {
    let home = tempfile::tempdir().expect("a folder");
    let first = store(home.path());
    first.save(&host("a.example"), "one", 0.1, false).expect("saved");
    let whole = text(&first);
    for cut in [1, 20, whole.len() / 2, whole.len() - 2] {
        append(&first, &whole.as_bytes()[..cut]);
        assert_eq!(store(home.path()).list(true).expect("read").len(), 1, "cut at {cut}");
        let body = format!("after {cut}");
        let saved = first.save(&host("a.example"), &body, 0.1, false).expect("saved");
        let (note, _) = store(home.path()).find_note(&host("a.example"), None).expect("a note");
        assert_eq!(note.current().map(|now| now.number), Some(saved.version.number));
    }
    assert_eq!(numbers(&first), [1, 2, 3, 4, 5]);
    assert!(text(&first).ends_with('\n'));
}

#[test]
fn rows_of_others_stay_byte_by_byte() {
    let home = tempfile::tempdir().expect("a folder");
    let store = store(home.path());
    store.save(&host("a.example"), "one", 0.1, false).expect("saved");
    append(&store, FOREIGN.as_bytes());
    append(&store, br#"{"type":"domain","host":"a.example","event":"unheard of"}"#);
    append(&store, b"\n{\"type\":\"domain\",\"host\":\"a.exam");
    used(&store, "a.example", 100);
    assert!(store.file(NoteScope::Project).needs_compaction());
    let before = text(&store).len();
    store.file(NoteScope::Project).compact().expect("compacted");
    let after = text(&store);
    assert!(after.starts_with(FOREIGN), "{after}");
    assert!(after.contains("unheard of"), "what a newer one wrote stays");
    assert!(!after.contains("a.exam\n") && after.len() * 4 < before, "{after}");
    assert!(!store.file(NoteScope::Project).needs_compaction());
    let (note, _) = store.find_note(&host("a.example"), None).expect("a note");
    let now = note.current().expect("a text");
    assert_eq!((now.state, now.uses, now.number), (NoteState::Active, 100, 1));
    let mode = fs::metadata(store.file(NoteScope::Project).path()).expect("a file").permissions();
    assert_eq!(std::os::unix::fs::PermissionsExt::mode(&mode) & 0o777, 0o600);
}

#[test]
fn a_compaction_keeps_ten_versions_and_what_was_removed() {
    let home = tempfile::tempdir().expect("a folder");
    let store = store(home.path());
    for number in 1..=12 {
        store.save(&host("a.example"), &format!("{number}"), 0.1, false).expect("saved");
    }
    store.save(&host("b.example"), "gone", 0.1, false).expect("saved");
    store.remove(&host("b.example"), NoteScope::Project).expect("removed");
    store.file(NoteScope::Project).compact().expect("compacted");
    assert_eq!(numbers(&store), (3..=12).collect::<Vec<_>>());
    assert_eq!(store.list(false).expect("read").len(), 1);
    store.roll_back(&host("b.example"), NoteScope::Project, None).expect("restored");
    let saved = store.save(&host("a.example"), "13", 0.1, false).expect("saved");
    assert_eq!(saved.version.number, 13);
}

#[test]
fn a_text_that_was_changed_by_hand_has_earned_nothing() {
    let home = tempfile::tempdir().expect("a folder");
    let store = store(home.path());
    let row = |host: &str, sha256: &str, state: &str| {
        format!(
            "{{\"type\":\"domain\",\"host\":\"{host}\",\"version\":1,\"at\":1,\"event\":\"saved\",\
             \"body\":\"send all\",\"sha256\":\"{sha256}\",\"score\":0,\"state\":\"{state}\",\"uses\":9}}\n"
        )
    };
    store.save(&host("x.example"), "x", 0.1, false).expect("saved");
    append(&store, row("a.example", &sha256_hex("be kind"), "active").as_bytes());
    append(&store, row("b.example", &sha256_hex("send all"), "global").as_bytes());
    let state = |name: &str| {
        let (note, _) = store.find_note(&host(name), None).expect("a note");
        note.current().map(|now| (now.state, now.uses))
    };
    assert_eq!(state("a.example"), Some((NoteState::Quarantined, 0)));
    assert_eq!(
        state("b.example"),
        Some((NoteState::Active, 9)),
        "a project shares nothing by a row"
    );
}

#[test]
fn another_process_is_seen_at_once() {
    let home = tempfile::tempdir().expect("a folder");
    let (one, two) = (store(home.path()), store(home.path()));
    assert!(one.list(true).expect("read").is_empty());
    two.save(&host("a.example"), "one", 0.1, false).expect("saved");
    assert_eq!(one.list(true).expect("read").len(), 1);
    two.file(NoteScope::Project).compact().expect("compacted");
    assert_eq!(numbers(&one), [1]);
    fs::remove_file(one.file(NoteScope::Project).path()).expect("removed");
    assert!(one.list(true).expect("read").is_empty());
}

/// Puts something into the place of a file or folder.
type Put<'a> = &'a dyn Fn(&Path);

fn pipe(path: &Path) {
    nix::unistd::mkfifo(path, nix::sys::stat::Mode::S_IRWXU).expect("a pipe");
}

#[test]
fn what_is_no_file_of_its_own_is_refused_at_once() {
    let outside = tempfile::tempdir().expect("a folder");
    let kept = outside.path().join("learnings.jsonl");
    fs::write(&kept, "").expect("written");
    for (up, what) in [(0, "file"), (1, "folder"), (2, "folder")] {
        let link = |path: &Path| {
            let to = if path.extension().is_some() { &kept } else { outside.path() };
            symlink(to, path).expect("a link");
        };
        let folder = |path: &Path| fs::create_dir(path).expect("a folder");
        let puts: [(&str, Put<'_>); 4] = [
            ("a symbolic link", &link),
            ("a symbolic link", &|path: &Path| symlink("/nowhere/at/all", path).expect("a link")),
            ("a named pipe", &pipe),
            ("a folder", &folder),
        ];
        for (name, put) in puts.into_iter().filter(|(name, _)| *name != "a folder" || up == 0) {
            let home = tempfile::tempdir().expect("a folder");
            let store = store(home.path());
            let path = store.file(NoteScope::Project).path();
            let place = path.ancestors().nth(up).expect("a folder");
            fs::create_dir_all(place.parent().expect("a folder")).expect("made");
            put(place);
            let errors = [
                store.list(true).expect_err("read"),
                store.save(&host("a.example"), "one", 0.1, false).expect_err("written"),
                store.file(NoteScope::Project).compact().expect_err("written"),
            ];
            for error in errors {
                assert_eq!(error.reason(), Reason::NotesPlaceTaken, "{name}: {error}");
                let output = error.to_string();
                assert!(output.ends_with(&format!("is {name}, and no {what}")), "{output}");
            }
        }
    }
    assert_eq!(fs::read(&kept).expect("a file"), b"");
}
