use std::{fs, os::unix::fs::PermissionsExt as _, sync::Arc, time::Duration};

use browse_proto::Reason;

use super::{
    MAX_MESSAGE_CHARS, MAX_PICTURES, MAX_SESSION_MESSAGES, MessageState, NoteSubject, Talk,
};

const LONG: Duration = Duration::from_secs(60);

fn talk(folder: &tempfile::TempDir) -> Arc<Talk> {
    Arc::new(Talk::new(folder.path().join("talk"), Arc::default()))
}

fn texts(talk: &Talk, session: &str, clear: bool) -> Vec<String> {
    talk.read_inbox(session, clear).into_iter().map(|note| note.text).collect()
}

#[test]
fn notes_wait_for_their_session_until_they_are_cleared() {
    let folder = tempfile::tempdir().unwrap();
    let talk = talk(&folder);
    talk.write_note("a", "panel", "first", None);
    talk.write_note("b", "panel", "other", None);
    talk.write_note("a", "panel", "second", None);
    assert_eq!(texts(&talk, "a", false), ["first", "second"]);
    assert_eq!(talk.messages()[0].state, MessageState::Read);
    assert_eq!(talk.messages()[1].state, MessageState::Unread);
    assert_eq!(texts(&talk, "a", true), ["first", "second"]);
    assert!(texts(&talk, "a", false).is_empty());
    talk.forget("b");
    assert!(texts(&talk, "b", false).is_empty());
}

#[test]
fn messages_are_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let talk = talk(&folder);
    talk.say("b", "agent", "of another session");
    for number in 0..=MAX_SESSION_MESSAGES {
        talk.write_note("a", "panel", &format!("{number}{}", "ä".repeat(MAX_MESSAGE_CHARS)), None);
    }
    let kept = texts(&talk, "a", false);
    assert_eq!((kept.len(), kept[0].starts_with("1ä")), (MAX_SESSION_MESSAGES, true));
    assert_eq!(kept[0].chars().count(), MAX_MESSAGE_CHARS);
    assert_eq!(talk.messages()[0].text, "of another session");
}

#[test]
fn agents_push_out_neither_notes_nor_questions_that_wait() {
    let folder = tempfile::tempdir().unwrap();
    let talk = talk(&folder);
    talk.write_note("a", "panel", "keep me", None);
    let question = talk.ask(("a", "agent"), "which?", Vec::new(), LONG).unwrap();
    for number in 0..2 * MAX_SESSION_MESSAGES {
        talk.say("a", "agent", &number.to_string());
    }
    assert_eq!(texts(&talk, "a", false), ["keep me"]);
    assert_eq!(talk.message(question.id()).unwrap().state, MessageState::Waiting);
    assert_eq!(talk.messages().len(), MAX_SESSION_MESSAGES + 2);
    let more: Vec<_> =
        (0..30).map(|_| talk.ask(("a", "agent"), "which?", Vec::new(), LONG)).collect();
    assert!(more.last().unwrap().is_err() && more[0].is_ok());
}

#[test]
fn of_many_pictures_the_oldest_go_and_their_notes_stay() {
    let folder = tempfile::tempdir().unwrap();
    let talk = talk(&folder);
    let note = || {
        let picture = Some(vec![0xff, 0xd8, 0xff]);
        let (element, url) = (String::new(), String::new());
        let subject = NoteSubject { element, tab: 1, url, picture };
        talk.write_note("a", "dashboard", "this one", Some(subject))
    };
    let ids: Vec<u64> = (0..MAX_PICTURES + 2).map(|_| note()).collect();
    assert_eq!(texts(&talk, "a", false).len(), MAX_PICTURES + 2);
    assert!(talk.picture(ids[0]).is_none() && talk.picture(ids[2]).is_some());
    assert!(!talk.message(ids[1]).unwrap().has_picture);
}

#[test]
fn what_did_not_come_from_here_is_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("talk");
    fs::create_dir(&place).unwrap();
    let odd = r#"[{"id": 18446744073709551615, "time_ms": 1, "session": "a", "kind": "note",
        "client": "x", "text": "odd"}, {"id": 3, "time_ms": 900000000000000000, "session": "a",
        "kind": "note", "client": "x", "text": "late", "state": "unread", "has_picture": true}]"#;
    fs::write(place.join("messages.json"), odd).unwrap();
    fs::write(folder.path().join("key"), b"\xff\xd8\xffsecret").unwrap();
    std::os::unix::fs::symlink(folder.path().join("key"), place.join("3.jpg")).unwrap();
    let talk = talk(&folder);
    assert_eq!(texts(&talk, "a", false), ["late"]);
    assert!(super::time_text(talk.messages()[0].time_ms).starts_with("9999-"));
    assert!(talk.picture(3).is_none());
    assert_eq!(talk.say("a", "agent", "next"), 4);
}

#[test]
fn answers_are_in_memory_only() {
    let folder = tempfile::tempdir().unwrap();
    let talk = talk(&folder);
    let question = talk.ask(("a", "agent"), "which code?", Vec::new(), LONG).unwrap();
    talk.answer(question.id(), "tomato-4711", |_| true).unwrap();
    assert_eq!(talk.message(question.id()).unwrap().answer.as_deref(), Some("tomato-4711"));
    let kept = fs::read_to_string(folder.path().join("talk/messages.json")).unwrap();
    assert!(kept.contains("which code?") && !kept.contains("tomato"), "{kept}");
}

#[test]
fn they_outlive_the_daemon_and_are_private() {
    let folder = tempfile::tempdir().unwrap();
    let subject = NoteSubject {
        element: "@e1 button".to_owned(),
        tab: 4,
        url: "https://example.com/".to_owned(),
        picture: Some(vec![0xff, 0xd8, 0xff, 1]),
    };
    let before = talk(&folder);
    let id = before.write_note("a", "dashboard", "this one", Some(subject));
    let question = before.ask(("a", "agent"), "which?", Vec::new(), LONG).unwrap();
    std::mem::forget(question);
    drop(before);

    let after = talk(&folder);
    let note = after.message(id).unwrap();
    assert_eq!((note.element.as_str(), note.tab, note.has_picture), ("@e1 button", Some(4), true));
    assert_eq!(after.picture(id).unwrap(), [0xff, 0xd8, 0xff, 1]);
    assert_eq!(after.messages()[1].state, MessageState::Ended);
    assert!(after.say("a", "agent", "next") > id);
    let place = folder.path().join("talk");
    let mode = |path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(place.clone()), mode(place.join("messages.json"))), (0o700, 0o600));
    assert_eq!(mode(place.join(format!("{id}.jpg"))), 0o600);
    after.forget("a");
    assert_eq!(fs::read_dir(place).unwrap().count(), 0);
}

#[test]
fn a_damaged_file_is_set_aside() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("talk");
    fs::create_dir(&place).unwrap();
    fs::write(place.join("messages.json"), "{\"half").unwrap();
    let talk = talk(&folder);
    talk.say("a", "agent", "hello");
    assert_eq!(fs::read_to_string(place.join("messages.damaged")).unwrap(), "{\"half");
    assert_eq!(talk.messages().len(), 1);
}

#[tokio::test]
async fn a_question_gets_one_of_its_choices() {
    let folder = tempfile::tempdir().unwrap();
    let talk = talk(&folder);
    let choices = vec!["red".to_owned(), "blue".to_owned()];
    let mut question = talk.ask(("a", "agent"), "which?", choices, LONG).unwrap();
    let id = question.id();
    let refused = |answer, session| talk.answer(id, answer, |name| name == session).unwrap_err();
    assert_eq!(refused("red", "b").reason(), Reason::MessageNotFound);
    assert_eq!(refused("green", "a").reason(), Reason::ArgumentInvalid);
    assert_eq!(talk.answer(id, "red", |_| true).unwrap(), "a");
    assert_eq!(question.answered().await.as_deref(), Some("red"));
    drop(question);
    let message = talk.message(id).unwrap();
    assert_eq!((message.state, message.answer.as_deref()), (MessageState::Answered, Some("red")));
    assert_eq!(refused("blue", "a").reason(), Reason::MessageNotFound);
}

#[tokio::test]
async fn a_question_ends_with_its_asker_and_with_its_session() {
    let folder = tempfile::tempdir().unwrap();
    let talk = talk(&folder);
    let question = talk.ask(("a", "agent"), "which?", Vec::new(), LONG).unwrap();
    let id = question.id();
    drop(question);
    assert_eq!(talk.message(id).unwrap().state, MessageState::Ended);
    let mut question = talk.ask(("a", "agent"), "which?", Vec::new(), LONG).unwrap();
    talk.forget("a");
    assert_eq!(question.answered().await, None);
}

#[test]
fn a_full_disk_costs_the_keeping_only() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("talk"), "a file where the folder belongs").unwrap();
    let notices = Arc::<crate::notices::RootNotices>::default();
    let talk = Talk::new(folder.path().join("talk"), Arc::clone(&notices));
    talk.say("a", "agent", "one");
    talk.say("a", "agent", "two");
    assert_eq!(talk.messages().len(), 2);
    let notice = notices.take().unwrap();
    assert_eq!(notice.matches("are not kept").count(), 1, "{notice}");
}
