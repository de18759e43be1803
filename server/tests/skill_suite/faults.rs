//! A daemon that dies at any step of a commit or an upgrade leaves the old state
//! or the new one, and the next daemon sweeps up the rest.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::time::Duration;

use browse_proto::v1::CommitSkillRequest;

use crate::{
    daemon::{Daemon, until},
    shelf::{skill, skill_in},
};

/// More steps than any command takes.
const MAX_FAULTS: u32 = 200;

fn fault(step: u32) -> String {
    step.to_string()
}

/// What is in a folder beside skills and drafts: what a command works with.
fn leftovers(folder: &Path) -> Vec<OsString> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name());
    let transient = |name: &OsString| {
        let name = name.to_string_lossy();
        name.starts_with('.') || name.ends_with(".commit")
    };
    names.filter(transient).collect()
}

async fn is_swept(daemon: &Daemon) {
    let places = [daemon.home().join(".tmp"), daemon.home().join("skills")];
    let swept = until(|| places.iter().all(|place| leftovers(place).is_empty()).then_some(()));
    let swept = tokio::time::timeout(Duration::from_secs(5), swept).await;
    assert!(swept.is_ok(), "{:?}", places.map(|place| leftovers(&place)));
}

/// Stages and commits until the daemon dies; tells whether it got through.
async fn stage_and_commit(daemon: &Daemon) -> bool {
    let mut request = tonic::Request::new(browse_proto::v1::StageSkillRequest {
        from: Some("source".to_owned()),
        ..Default::default()
    });
    let cwd = daemon.project().display().to_string();
    request.metadata_mut().insert("browse-cwd", cwd.parse().unwrap());
    let Ok(staged) = daemon.skills().await.stage_skill(request).await else { return false };
    let draft = staged.into_inner().draft;
    daemon.commit(CommitSkillRequest { draft, ..Default::default() }).await.is_ok()
}

#[tokio::test]
async fn a_commit_that_is_cut_off_anywhere_leaves_the_old_or_the_new() {
    let mut daemon = Daemon::start().await;
    skill_in(daemon.project().join("source"), "a", "a.example", "").shell("echo '[1]'").tested(0);
    let (mut before, mut after) = (0, 0);
    for step in 1..MAX_FAULTS {
        daemon = daemon.again(&[("BROWSE_FAULT_AT", &fault(step))]).await;
        let survived = stage_and_commit(&daemon).await;
        daemon = daemon.again(&[]).await;
        is_swept(&daemon).await;
        let place = daemon.home().join("skills/a");
        let drafts = fs::read_dir(daemon.home().join(".tmp")).into_iter().flatten().count();
        if place.exists() {
            after += 1;
            assert_eq!(drafts, 0, "step {step}: the draft of a skill is left");
            let outcome = daemon.run("a").await;
            assert_eq!(outcome.output, Some(serde_json::json!([1])), "step {step}: {outcome:?}");
            assert!(daemon.test("a").await.1.is_ok(), "step {step}");
        } else {
            before += 1;
            assert!(drafts <= 1, "step {step}");
        }
        for folder in [place, daemon.home().join(".tmp")] {
            let _ = fs::remove_dir_all(folder);
        }
        if survived {
            println!("{step} steps: {before} leave the old, {after} the new");
            assert!(before > 10 && after > 2, "{before} before, {after} after");
            return;
        }
    }
    panic!("no end after {MAX_FAULTS} steps");
}

#[tokio::test]
async fn an_upgrade_that_is_cut_off_anywhere_leaves_the_old_or_the_new() {
    let mut daemon = Daemon::start().await;
    let test = "import { test } from 'node:test';\ntest('a', () => {});";
    let (mut before, mut after) = (0, 0);
    for step in 1..MAX_FAULTS {
        let _ = fs::remove_dir_all(daemon.home().join("skills"));
        let made = skill(&daemon.home(), "a", "")
            .typescript("console.log('[1]');")
            .file("script.test.ts", test);
        let lib = made.file("_lib/browse.ts", "// Old.").folder().join("_lib/browse.ts");
        daemon = daemon.again(&[("BROWSE_FAULT_AT", &fault(step))]).await;
        let survived = daemon.upgrade("a").await.is_ok();
        daemon = daemon.again(&[]).await;
        is_swept(&daemon).await;
        let text = fs::read_to_string(&lib).unwrap();
        assert!(text == "// Old." || text.len() > 1000, "step {step}: {text:.80}");
        assert_eq!(daemon.run("a").await.output, Some(serde_json::json!([1])), "step {step}");
        if text == "// Old." {
            before += 1
        } else {
            after += 1
        }
        if survived {
            println!("{step} steps: {before} leave the old, {after} the new");
            assert!(before > 10 && after > 2, "{before} before, {after} after");
            return;
        }
    }
    panic!("no end after {MAX_FAULTS} steps");
}
