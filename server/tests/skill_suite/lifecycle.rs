//! Drafts become skills, or nothing.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use browse_proto::v1::{
    CommitSkillRequest, DiscardSkillRequest, RemoveSkillRequest, RunSkillRequest,
    StageSkillRequest, Tier, TrustSkillRequest,
};

use crate::{
    daemon::{Daemon, Failure},
    shelf::{Draft, skill, skill_in},
};

fn request(draft: &str) -> CommitSkillRequest {
    CommitSkillRequest { draft: draft.to_owned(), ..Default::default() }
}

/// A draft of the skill `a`, whose tests end with `code`.
async fn draft(daemon: &Daemon, code: u8) -> (String, Draft) {
    let (name, folder) = daemon.stage().await;
    (name, skill_in(folder, "a", "a.example", "").shell("echo '[1]'").tested(code))
}

/// Everything in a folder, hidden or not.
fn names(folder: &Path) -> Vec<OsString> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<_> = entries.map(|entry| entry.file_name()).collect();
    names.sort();
    names
}

fn drafts(daemon: &Daemon) -> Vec<OsString> {
    names(&daemon.home().join(".tmp"))
}

fn global(daemon: &Daemon) -> Vec<OsString> {
    names(&daemon.home().join("skills"))
}

#[tokio::test]
async fn a_draft_that_passes_becomes_a_skill_that_runs() {
    let daemon = Daemon::start().await;
    let (name, made) = draft(&daemon, 0).await;
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(made.folder()), 0o700);
    assert_eq!(mode(&daemon.home().join(".tmp")), 0o700);
    let skill = daemon.commit(request(&name)).await.unwrap();
    assert_eq!((skill.name.as_str(), skill.tier()), ("a", Tier::Global));
    assert_eq!(Path::new(&skill.path), daemon.home().join("skills/a").canonicalize().unwrap());
    assert_eq!(daemon.run("a").await.output, Some(serde_json::json!([1])));
    assert!(drafts(&daemon).is_empty());
    assert_eq!(global(&daemon), ["a"]);
}

#[tokio::test]
async fn a_draft_that_fails_leaves_nothing_unless_it_is_kept() {
    let daemon = Daemon::start().await;
    let (name, _) = draft(&daemon, 1).await;
    let kept = CommitSkillRequest { keep: true, ..request(&name) };
    assert_eq!(daemon.commit(kept).await.unwrap_err().reason, "SKILL_TESTS_FAILED");
    assert_eq!(drafts(&daemon), [name.as_str()]);
    assert_eq!(daemon.commit(request(&name)).await.unwrap_err().reason, "SKILL_TESTS_FAILED");
    assert!(drafts(&daemon).is_empty() && global(&daemon).is_empty());
    assert_eq!(daemon.commit(request(&name)).await.unwrap_err().reason, "DRAFT_NOT_FOUND");
}

#[tokio::test]
async fn what_is_no_skill_is_refused() {
    let daemon = Daemon::start().await;
    type Make = fn(&Path);
    let cases: [(&str, Make); 9] = [
        ("DRAFT_REFUSED", |folder| symlink("/etc/passwd", folder.join("secret")).unwrap()),
        ("DRAFT_REFUSED", |folder| symlink("..", folder.join("_lib")).unwrap()),
        ("DRAFT_REFUSED", |folder| fs::hard_link(folder.join("run"), folder.join("two")).unwrap()),
        ("DRAFT_REFUSED", |folder| {
            nix::unistd::mkfifo(&folder.join("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
        }),
        ("SKILL_INVALID", |folder| fs::remove_file(folder.join("run")).unwrap()),
        ("SKILL_INVALID", |folder| fs::remove_file(folder.join("SKILL.md")).unwrap()),
        ("SKILL_INVALID", |folder| fs::write(folder.join("SKILL.md"), "---\nname: [\n").unwrap()),
        ("SKILL_INVALID", |folder| {
            fs::remove_file(folder.join("SKILL.md")).unwrap();
            symlink("/etc/passwd", folder.join("SKILL.md")).unwrap();
        }),
        ("SKILL_UNTESTED", |folder| fs::remove_dir_all(folder.join("tests")).unwrap()),
    ];
    for (reason, make) in cases {
        let (name, made) = draft(&daemon, 0).await;
        make(made.folder());
        let failure = daemon.commit(request(&name)).await.unwrap_err();
        assert_eq!(failure.reason, reason, "{failure:?}");
        assert!(drafts(&daemon).is_empty() && global(&daemon).is_empty(), "{failure:?}");
    }
}

#[tokio::test]
async fn names_are_checked_and_nothing_is_replaced() {
    let daemon = Daemon::start().await;
    let (name, _) = draft(&daemon, 0).await;
    let called =
        |other: &str| CommitSkillRequest { name: Some(other.to_owned()), ..request(&name) };
    for other in ["../b", "B", "", ".b", "b/c", "ｂ", "nul", "skillify-b", "b-"] {
        let failure = daemon.commit(called(other)).await.unwrap_err();
        assert_eq!(failure.reason, "SKILL_NAME_INVALID", "{other}");
    }
    skill(&daemon.home(), "a", "").shell("true");
    assert_eq!(daemon.commit(request(&name)).await.unwrap_err().reason, "SKILL_EXISTS");
    symlink("nowhere", daemon.home().join("skills/c")).unwrap();
    assert_eq!(daemon.commit(called("c")).await.unwrap_err().reason, "SKILL_EXISTS");
    let shadowed = CommitSkillRequest { project: true, ..request(&name) };
    let committed = daemon.commit(shadowed).await.unwrap();
    assert_eq!((committed.tier(), committed.shadows()), (Tier::Project, Tier::Global));
}

#[tokio::test]
async fn a_skill_is_committed_under_another_name() {
    let daemon = Daemon::start().await;
    let (name, _) = draft(&daemon, 0).await;
    let other = CommitSkillRequest { name: Some("b".to_owned()), ..request(&name) };
    daemon.commit(other).await.unwrap();
    let text = fs::read_to_string(daemon.home().join("skills/b/SKILL.md")).unwrap();
    assert!(text.contains("\nname: b\n"), "{text}");
    assert!(daemon.run("b").await.output.is_some());
}

#[tokio::test]
async fn of_many_commits_of_one_name_one_wins() {
    let daemon = Daemon::start().await;
    let mut all = Vec::new();
    for _ in 0..6 {
        all.push(draft(&daemon, 0).await.0);
    }
    let commits = all.iter().map(|name| daemon.commit(request(name)));
    let outcomes = futures::future::join_all(commits).await;
    let won = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
    assert_eq!(won, 1, "{outcomes:?}");
    for failure in outcomes.into_iter().filter_map(Result::err) {
        assert_eq!(failure.reason, "SKILL_EXISTS", "{failure:?}");
    }
    assert_eq!(global(&daemon), ["a"]);
    assert_eq!(drafts(&daemon).len(), 5);
    assert!(daemon.run("a").await.output.is_some());
}

#[tokio::test]
async fn a_draft_is_committed_once() {
    let daemon = Daemon::start().await;
    let (name, _) = draft(&daemon, 0).await;
    let other = CommitSkillRequest { name: Some("b".to_owned()), ..request(&name) };
    let (one, two) = tokio::join!(daemon.commit(request(&name)), daemon.commit(other));
    let failures: Vec<_> = [one, two].into_iter().filter_map(Result::err).collect();
    assert_eq!(failures.len(), 1, "{failures:?}");
    assert!(["DRAFT_BUSY", "DRAFT_NOT_FOUND"].contains(&failures[0].reason.as_str()));
    assert_eq!(global(&daemon).len(), 1);
}

#[tokio::test]
async fn a_test_that_changes_the_skill_is_noticed() {
    let daemon = Daemon::start().await;
    let (name, made) = draft(&daemon, 0).await;
    let script = "#!/bin/sh\ntouch more 2>/dev/null || true\n";
    let made = made.file("tests/run", script);
    fs::set_permissions(made.folder().join("tests/run"), fs::Permissions::from_mode(0o755))
        .unwrap();
    match daemon.commit(request(&name)).await {
        // Confined, it cannot.
        Ok(skill) => assert!(!Path::new(&skill.path).join("more").exists()),
        Err(failure) => assert_eq!(failure.reason, "SKILL_CHANGED"),
    }
}

#[tokio::test]
async fn discarding_twice_is_no_error() {
    let daemon = Daemon::start().await;
    let (name, _) = daemon.stage().await;
    let mut skills = daemon.skills().await;
    let mut discard = async |draft: &str| {
        let request = DiscardSkillRequest { draft: draft.to_owned() };
        skills.discard_skill(request).await.map(|it| it.into_inner().existed)
    };
    assert!(discard(&name).await.unwrap());
    assert!(!discard(&name).await.unwrap());
    assert!(!discard("skillify-00000000").await.unwrap());
    for other in ["", ".", "../skills", "a", "/etc"] {
        let failure = Failure::from(discard(other).await.unwrap_err());
        assert_eq!(failure.reason, "DRAFT_NOT_FOUND", "{other}");
    }
}

#[tokio::test]
async fn a_removed_skill_lies_in_a_tombstone_and_its_trust_is_gone() {
    let daemon = Daemon::start().await;
    skill(&daemon.home(), "a", "trusted: true").shell("echo null");
    let mut skills = daemon.skills().await;
    let trust = TrustSkillRequest { name: "a".to_owned(), ..Default::default() };
    skills.trust_skill(trust).await.unwrap();
    let remove = || RemoveSkillRequest { name: "a".to_owned(), ..Default::default() };
    let tombstone = skills.remove_skill(remove()).await.unwrap().into_inner().path;
    assert!(Path::new(&tombstone).join("SKILL.md").is_file(), "{tombstone}");
    assert_eq!(daemon.run("a").await.error.unwrap().reason, "SKILL_NOT_FOUND");
    skill(&daemon.home(), "a", "trusted: true").shell("echo null");
    assert!(daemon.run("a").await.stderr.contains("asks for trust"));
    let second = skills.remove_skill(remove()).await.unwrap().into_inner().path;
    assert_ne!(second, tombstone);
    let bundled = RemoveSkillRequest { name: "hackernews-frontpage".to_owned(), ..remove() };
    let failure = Failure::from(skills.remove_skill(bundled).await.unwrap_err());
    assert_eq!(failure.reason, "SKILL_READ_ONLY");
}

#[tokio::test]
async fn of_many_removals_of_one_name_one_wins_and_links_are_not_followed() {
    let daemon = Daemon::start().await;
    let outside = daemon.project().join("elsewhere");
    fs::create_dir_all(&outside).unwrap();
    skill(&daemon.home(), "a", "").shell("echo null");
    symlink(&outside, daemon.home().join("skills/.tombstones")).unwrap();
    let client = daemon.skills().await;
    let remove = async || {
        let request = RemoveSkillRequest { name: "a".to_owned(), ..Default::default() };
        let answer = client.clone().remove_skill(request).await;
        answer.map(|_| ()).map_err(Failure::from)
    };
    let failure = remove().await.unwrap_err();
    assert_eq!(failure.reason, "SKILL_PLACE_LINKED", "{failure:?}");
    assert!(names(&outside).is_empty() && daemon.home().join("skills/a").is_dir());
    fs::remove_file(daemon.home().join("skills/.tombstones")).unwrap();
    let outcomes = futures::future::join_all((0..4).map(|_| remove())).await;
    let failures: Vec<_> = outcomes.into_iter().filter_map(Result::err).collect();
    assert_eq!(failures.len(), 3, "{failures:?}");
    assert!(failures.iter().all(|it| it.reason == "SKILL_NOT_FOUND"), "{failures:?}");
    fs::create_dir_all(daemon.project().join(".browse")).unwrap();
    symlink(&outside, daemon.project().join(".browse/skills")).unwrap();
    let (name, _) = draft(&daemon, 0).await;
    let failure = daemon.commit(CommitSkillRequest { project: true, ..request(&name) }).await;
    assert_eq!(failure.unwrap_err().reason, "SKILL_PLACE_LINKED");
    assert!(names(&outside).is_empty());
}

#[tokio::test]
async fn an_upgrade_replaces_the_sdk_when_the_tests_pass() {
    let daemon = Daemon::start().await;
    let test = "import { test } from 'node:test';\ntest('a', () => {});";
    let made =
        skill(&daemon.home(), "a", "").typescript("console.log(1);").file("script.test.ts", test);
    assert_eq!(daemon.upgrade("a").await.unwrap().outcome, "current");
    let made = made.file("_lib/browse.ts", "// An older one.").file("_lib/gone.ts", "");
    let failing = made.file("script.test.ts", "throw new Error('no');");
    assert_eq!(daemon.upgrade("a").await.unwrap_err().reason, "SKILL_TESTS_FAILED");
    let lib = failing.folder().join("_lib/browse.ts");
    assert_eq!(fs::read_to_string(&lib).unwrap(), "// An older one.");
    assert_eq!(global(&daemon), ["a"]);
    failing.file("script.test.ts", test);
    let upgraded = daemon.upgrade("a").await.unwrap();
    assert_eq!(upgraded.files, ["_lib/browse.ts", "_lib/gone.ts"]);
    assert_eq!((upgraded.outcome.as_str(), global(&daemon)), ("upgraded", vec!["a".into()]));
    assert!(fs::read_to_string(&lib).unwrap().len() > 1000);
    assert!(!lib.with_file_name("gone.ts").exists());
    assert!(daemon.test("a").await.1.is_ok());
}

#[tokio::test]
async fn only_the_owner_stages_local_folders() {
    let daemon = Daemon::start().await;
    let from = skill(&daemon.home(), "a", "").shell("true").folder().to_owned();
    let request =
        StageSkillRequest { from: Some(from.display().to_string()), ..Default::default() };
    // Without a working directory there is no owner at the other end.
    let failure = daemon.skills().await.stage_skill(request.clone()).await.unwrap_err();
    assert_eq!(Failure::from(failure).reason, "FILE_DENIED");
    let mut request = tonic::Request::new(request);
    request.metadata_mut().insert("browse-cwd", "/".parse().unwrap());
    let staged = daemon.skills().await.stage_skill(request).await.unwrap().into_inner();
    assert_eq!(staged.files, ["SKILL.md", "run"]);
    for word in ["/etc", "/nowhere", ""] {
        let request = StageSkillRequest { from: Some(word.to_owned()), ..Default::default() };
        let mut request = tonic::Request::new(request);
        request.metadata_mut().insert("browse-cwd", "/".parse().unwrap());
        let failure = daemon.skills().await.stage_skill(request).await.unwrap_err();
        assert_eq!(Failure::from(failure).reason, "FILE_UNREADABLE", "{word}");
    }
    assert_eq!(drafts(&daemon).len(), 1);
}

#[tokio::test]
async fn a_skill_behind_a_link_does_not_run() {
    let daemon = Daemon::start().await;
    let real = skill_in(daemon.project().join("real"), "a", "a.example", "").shell("echo 1");
    fs::create_dir_all(daemon.home().join("skills")).unwrap();
    symlink(real.folder(), daemon.home().join("skills/a")).unwrap();
    let request = RunSkillRequest { name: "a".to_owned(), ..Default::default() };
    let error = daemon.run_with(request, None).await.error.unwrap();
    assert_eq!(error.reason, "SKILL_INVALID");
    assert!(error.message.contains("symbolic link"), "{}", error.message);
}

#[tokio::test]
async fn a_draft_that_asks_for_trust_does_not_get_it() {
    let daemon = Daemon::start().await;
    let (name, folder) = daemon.stage().await;
    skill_in(folder, "a", "a.example", "trusted: true\nsession: user").shell("echo 1").tested(0);
    daemon.commit(request(&name)).await.unwrap();
    let outcome = daemon.run("a").await;
    assert!(outcome.stderr.contains("asks for trust and runs without"), "{outcome:?}");
}
