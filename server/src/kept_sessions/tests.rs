//! Kept sessions of several daemons, none of which has a browser.

use std::{fs, os::unix::fs::PermissionsExt as _, path::PathBuf, sync::Arc, time::Duration};

use browse_net::HostPolicy;
use browse_policy::ClientId;
use browse_proto::Reason;
use browse_sessions::{SessionName, SessionRules, Sessions};

use super::*;
use crate::notices::RootNotices;

/// Time that a daemon gets to end.
const END_TIMEOUT: Duration = Duration::from_secs(10);

/// A home of browse, which projects share.
pub(super) struct Home(tempfile::TempDir);

impl Home {
    pub(super) fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    /// A file of its kept sessions.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.0.path().join("state/sessions").join(name)
    }

    /// The kept sessions of a new daemon of a project.
    pub(super) fn project(&self, project: &str) -> Arc<KeptSessions> {
        Arc::new(KeptSessions::new(KeptSessionsParts {
            home: self.0.path().to_owned(),
            project: project.to_owned(),
            keychain: None,
            sessions: Sessions::new(),
            notices: Arc::new(RootNotices::new(None)),
            attached: None,
        }))
    }
}

fn name(name: &str) -> SessionName {
    name.parse().expect("a name")
}

fn reason<T>(outcome: browse_base::Result<T>) -> Reason {
    outcome.map(drop).expect_err("it is refused").reason()
}

#[tokio::test]
async fn a_later_daemon_of_the_project_knows_the_session() {
    let home = Home::new();
    let first = home.project("/a");
    first.keep(&name("work")).await.expect("it is kept");
    assert_eq!(first.state_of("work"), Some(KeptState::Open));
    for file in ["work.state", "work.lock"] {
        let mode = fs::metadata(home.file(file)).expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{file}");
    }
    assert_eq!(reason(home.project("/a").open("work").await), Reason::SessionKeptByAnother);
    first.finish(END_TIMEOUT).await;
    let second = home.project("/a");
    assert_eq!(second.state_of("work"), Some(KeptState::Closed));
    assert!(second.list()[0].saved_at.is_some());
    assert!(second.open("work").await.expect("it opens").is_some());
    assert!(second.open("work").await.expect("it is open").is_none());
    // A project that never had it opens it when it is asked to, and not by its name alone.
    second.finish(END_TIMEOUT).await;
    let other = home.project("/b");
    assert_eq!(other.state_of("work"), None);
    other.keep(&name("work")).await.expect("it opens");
    assert_eq!(reason(second.keep(&name("work")).await), Reason::SessionKeptByAnother);
}

#[tokio::test]
async fn a_session_that_is_closed_stays_kept_until_it_is_forgotten() {
    let home = Home::new();
    let kept = home.project("/a");
    kept.keep(&name("work")).await.expect("it is kept");
    kept.close("work", KeptEnd::Kept).await.expect("it closes");
    assert_eq!(kept.state_of("work"), Some(KeptState::Closed));
    assert!(kept.parts.sessions.get("work").is_none());
    kept.open("work").await.expect("it opens again");
    kept.close("work", KeptEnd::Forgotten).await.expect("it closes");
    assert_eq!((kept.state_of("work"), kept.list().len()), (None, 0));
    assert!(!home.file("work.state").exists() && !home.file("work.lock").exists());
    assert!(!kept.forget("work").await.expect("there is nothing"));
}

#[tokio::test]
async fn what_cannot_be_opened_is_left_as_it_is() {
    let home = Home::new();
    let kept = home.project("/a");
    kept.keep(&name("work")).await.expect("it is kept");
    kept.close("work", KeptEnd::Kept).await.expect("it closes");
    fs::write(home.file("work.state"), "something else").expect("a file");
    assert_eq!(reason(kept.open("work").await), Reason::StateCorrupt);
    assert_eq!(reason(kept.keep(&name("work")).await), Reason::StateCorrupt);
    assert_eq!(fs::read(home.file("work.state")).expect("it is there"), b"something else");
    assert!(kept.parts.sessions.get("work").is_none());
    assert!(kept.forget("work").await.expect("it is forgotten"));
    kept.keep(&name("work")).await.expect("it begins anew");
}

#[tokio::test]
async fn sessions_that_are_not_the_owners_alone_are_not_kept() {
    let home = Home::new();
    let kept = home.project("/a");
    let agent = ClientId::new("agent:a").expect("a name");
    let hosts = HostPolicy::from_public_patterns(&["example.com"]).expect("a pattern");
    let sessions = &kept.parts.sessions;
    let any = SessionRules::unrestricted();
    sessions.open(&name("agents"), &agent, any).await.expect("it opens");
    let rules = SessionRules { hosts };
    sessions.open(&name("narrow"), &ClientId::root(), rules).await.expect("it opens");
    for session in ["agents", "narrow"] {
        assert_eq!(reason(kept.keep(&name(session)).await), Reason::SessionRestricted, "{session}");
    }
    assert_eq!(reason(kept.keep(&name("..")).await), Reason::ArgumentInvalid);
    assert!(kept.list().is_empty() && !home.file("agents.lock").exists());
}

#[tokio::test]
async fn the_end_does_not_wait_for_a_session_that_is_opened() {
    let home = Home::new();
    let kept = home.project("/a");
    kept.keep(&name("work")).await.expect("it is kept");
    kept.update_progress("work", |progress| progress.hash = None);
    fs::remove_file(home.file("work.state")).expect("it was saved");
    // As one does whose key is in a keychain that waits for its owner.
    let _opening = kept.turn.lock().await;
    kept.finish(END_TIMEOUT).await;
    assert!(home.file("work.state").exists());
}

#[tokio::test]
async fn what_only_another_project_keeps_is_not_forgotten() {
    let home = Home::new();
    let folder = tempfile::tempdir().expect("a project");
    let first = home.project(folder.path().to_str().expect("a path"));
    first.keep(&name("work")).await.expect("it is kept");
    first.finish(END_TIMEOUT).await;
    let other = home.project("/b");
    assert_eq!(reason(other.forget("work").await), Reason::SessionKeptByAnother);
    assert!(home.file("work.state").exists());
    drop(folder);
    assert!(other.forget("work").await.expect("nobody is left"));
}
