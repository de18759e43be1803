//! What ends trust, and what a swapped file comes to.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use browse_proto::v1::{ListSkillsRequest, TrustSkillRequest};

use crate::{
    daemon::Daemon,
    shelf::{Draft, skill},
};

async fn trust(daemon: &Daemon) {
    let request = TrustSkillRequest { name: "a".to_owned(), ..Default::default() };
    daemon.skills().await.trust_skill(request).await.unwrap();
}

async fn listed(daemon: &Daemon) -> String {
    let response = daemon.skills().await.list_skills(ListSkillsRequest::default()).await.unwrap();
    response.into_inner().skills.into_iter().find(|skill| skill.name == "a").unwrap().trust
}

fn make(daemon: &Daemon) -> Draft {
    skill(&daemon.home(), "a", "trusted: true")
        .shell("echo '[1]'")
        .file("_lib/sdk", "one")
        .file("fixtures/page.html", "<p>")
}

#[tokio::test]
async fn one_byte_anywhere_ends_trust() {
    let daemon = Daemon::start().await;
    let folder = make(&daemon).folder().to_owned();
    assert_eq!(listed(&daemon).await, "asks");
    type Change = fn(&Path);
    let changes: [Change; 7] = [
        |folder| fs::write(folder.join("_lib/sdk"), "onf").unwrap(),
        |folder| fs::write(folder.join("fixtures/page.html"), "<q>").unwrap(),
        |folder| fs::write(folder.join("added"), "").unwrap(),
        |folder| {
            fs::set_permissions(folder.join("_lib/sdk"), fs::Permissions::from_mode(0o755)).unwrap()
        },
        |folder| fs::rename(folder.join("_lib/sdk"), folder.join("_lib/skd")).unwrap(),
        |folder| fs::remove_file(folder.join("fixtures/page.html")).unwrap(),
        |folder| {
            let mut text = fs::read(folder.join("SKILL.md")).unwrap();
            text.push(b' ');
            fs::write(folder.join("SKILL.md"), text).unwrap();
        },
    ];
    for (number, change) in changes.into_iter().enumerate() {
        let _ = fs::remove_dir_all(&folder);
        make(&daemon);
        trust(&daemon).await;
        assert_eq!(listed(&daemon).await, "trusted", "before change {number}");
        change(&folder);
        assert_eq!(listed(&daemon).await, "changed", "after change {number}");
    }
}

/// Whoever writes to the folder of a trusted skill after the check changes
/// nothing: what runs is a copy of what was hashed.
#[tokio::test]
async fn what_runs_is_what_was_trusted() {
    let daemon = Daemon::start().await;
    let made = make(&daemon).shell("dirname \"$0\" | sed 's/.*/\"&\"/'");
    trust(&daemon).await;
    let outcome = daemon.run("a").await;
    let place = outcome.output.unwrap();
    let place = Path::new(place.as_str().unwrap());
    assert!(place.starts_with(daemon.home().join("cache/skills")), "{place:?}");
    assert_ne!(place, made.folder());
    made.file("added", "");
    let outcome = daemon.run("a").await;
    let place = outcome.output.unwrap();
    assert!(!place.as_str().unwrap().contains("cache/skills"), "untrusted again: {place}");
}

#[tokio::test]
async fn a_skill_of_the_project_in_place_of_another_is_told() {
    let daemon = Daemon::start().await;
    let note = "`a` is the skill of this project, not the global one";
    skill(&daemon.home(), "a", "").shell("echo '[1]'");
    assert!(!daemon.run("a").await.stderr.contains(note));
    skill(&daemon.project().join(".browse"), "a", "").shell("echo '[2]'");
    let outcome = daemon.run("a").await;
    assert!(
        outcome.output == Some(serde_json::json!([2])) && outcome.stderr.contains(note),
        "{outcome:?}"
    );
}
