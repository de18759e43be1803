//! Several processes that write, and some that are killed while they do. Each
//! is this test program again, identified by its environment what to do.

use std::{
    env,
    os::unix::process::ExitStatusExt as _,
    path::Path,
    process::{Child, Command, Stdio},
};

use super::{
    super::{note::NoteScope, store::NoteStore},
    append, host, store, text, used,
};

const WORK: &str = "BROWSE_TEST_WORK";
const HOME: &str = "BROWSE_TEST_HOME";
const CRASH: &str = "BROWSE_TEST_CRASH";

/// Saves of each writer.
const SAVES: u32 = 8;

fn process(home: &Path, work: &str, crash: Option<&str>) -> Child {
    let mut command = Command::new(env::current_exe().expect("this program"));
    command.args(["--exact", "notes::tests::processes::what_a_process_does"]);
    command.env(WORK, work).env(HOME, home).stdout(Stdio::null()).stderr(Stdio::null());
    command.envs(crash.map(|place| (CRASH, place)));
    command.spawn().expect("started")
}

/// Nothing, unless another test here started it.
#[test]
fn what_a_process_does() {
    let (Ok(work), Ok(home)) = (env::var(WORK), env::var(HOME)) else { return };
    let store = store(Path::new(&home));
    if work == "compact" {
        return store.file(NoteScope::Project).compact().expect("compacted");
    }
    for number in 0..SAVES {
        let body = format!("{work} {number}");
        store.save(&host(&format!("{work}.example")), &body, 0.1, false).expect("saved");
        used(&store, "all.example", 1);
        if number % 4 == 3 {
            store.file(NoteScope::Project).compact().expect("compacted");
        }
    }
}

#[test]
fn eight_writers_at_once_lose_nothing() {
    let home = tempfile::tempdir().expect("a folder");
    let first = store(home.path());
    first.save(&host("all.example"), "all", 0.1, false).expect("saved");
    let writers: Vec<_> =
        (0..8).map(|number| process(home.path(), &format!("w{number}"), None)).collect();
    for mut writer in writers {
        assert!(writer.wait().expect("it ran").success());
    }
    let store = store(home.path());
    let last = |name: &str| {
        let (note, _) = store.find_note(&host(name), None).expect("a note");
        note.versions.last().expect("a text").clone()
    };
    for number in 0..8 {
        let last = last(&format!("w{number}.example"));
        assert_eq!((last.number, &*last.body), (SAVES, &*format!("w{number} {}", SAVES - 1)));
    }
    assert_eq!(last("all.example").uses, 8 * SAVES);
}

/// The notes that were there before a writer was killed.
fn check(store: &NoteStore, place: &str) {
    let (note, _) = store.find_note(&host("kept.example"), None).expect(place);
    let now = note.current().expect(place);
    assert_eq!((&*now.body, now.uses, now.number), ("kept", 2, 1), "{place}");
    assert!(text(store).contains("{\"type\":\"pattern\"}\n"), "{place}: {}", text(store));
}

#[test]
fn a_writer_that_is_killed_at_any_step_loses_no_committed_row() {
    // Where it dies, and whether its own row is there afterwards.
    for (place, committed) in
        [("decided", false), ("torn", false), ("written", true), ("appended", true)]
    {
        let home = tempfile::tempdir().expect("a folder");
        let first = store(home.path());
        first.save(&host("kept.example"), "kept", 0.1, false).expect("saved");
        used(&first, "kept.example", 2);
        append(&first, b"{\"type\":\"pattern\"}\n");
        let killed = process(home.path(), "w", Some(place)).wait().expect("it ran");
        assert_eq!(killed.signal(), Some(9), "{place}");
        let store = store(home.path());
        check(&store, place);
        assert_eq!(store.find_note(&host("w.example"), None).is_ok(), committed, "{place}");
        // Nobody waits for the lock of the dead, and the file takes more.
        store.save(&host("next.example"), "next", 0.1, false).expect(place);
        check(&super::store(home.path()), place);
        store.file(NoteScope::Project).compact().expect(place);
        check(&super::store(home.path()), place);
        assert!(
            super::store(home.path()).find_note(&host("next.example"), None).is_ok(),
            "{place}"
        );
    }
}

#[test]
fn a_compaction_that_is_killed_at_any_step_loses_nothing() {
    for place in ["rewritten", "replaced"] {
        let home = tempfile::tempdir().expect("a folder");
        let first = store(home.path());
        first.save(&host("kept.example"), "kept", 0.1, false).expect("saved");
        used(&first, "kept.example", 2);
        append(&first, b"{\"type\":\"pattern\"}\n");
        let killed = process(home.path(), "compact", Some(place)).wait().expect("it ran");
        assert_eq!(killed.signal(), Some(9), "{place}");
        let store = store(home.path());
        check(&store, place);
        store.save(&host("next.example"), "next", 0.1, false).expect(place);
        check(&super::store(home.path()), place);
    }
}
