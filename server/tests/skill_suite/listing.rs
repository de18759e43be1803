//! What is listed, and what is wrong with what cannot run.

use browse_proto::v1::{ListSkillsRequest, ShowSkillRequest, Tier};

use crate::{
    daemon::{Daemon, Failure},
    shelf::skill,
};

async fn list(daemon: &Daemon, source: Tier) -> Vec<String> {
    let request = ListSkillsRequest { source: source.into(), ..Default::default() };
    let response = daemon.skills().await.list_skills(request).await.unwrap().into_inner();
    let line = |skill: browse_proto::v1::Skill| {
        format!("{} {} {} {}", skill.name, skill.tier().as_str_name(), skill.language, skill.trust)
    };
    response.skills.into_iter().map(line).collect()
}

#[tokio::test]
async fn three_tiers_are_one_list() {
    let daemon = Daemon::start().await;
    skill(&daemon.home(), "b", "").shell("true");
    skill(&daemon.home(), "c", "").file("script.py", "");
    skill(&daemon.project().join(".browse"), "b", "trusted: true").file("script.ts", "");
    let all = list(&daemon, Tier::Unspecified).await;
    let bundled = all.iter().position(|line| line.starts_with("hackernews")).unwrap();
    assert_eq!(
        all[..=bundled],
        [
            "b TIER_PROJECT typescript asks",
            "c TIER_GLOBAL python untrusted",
            "hackernews-frontpage TIER_BUNDLED typescript trusted"
        ]
    );
    assert_eq!(list(&daemon, Tier::Global).await[0], "b TIER_GLOBAL executable untrusted");
}

#[tokio::test]
async fn a_skill_shows_its_rights_and_its_prose() {
    let daemon = Daemon::start().await;
    let draft = skill(&daemon.home(), "a", "args: [{name: q}]").shell("true");
    let request = ShowSkillRequest { name: "a".to_owned(), ..Default::default() };
    let shown = daemon.skills().await.show_skill(request).await.unwrap().into_inner();
    assert_eq!(
        (shown.prose.as_str(), shown.path.as_str()),
        ("Prose.", &*draft.folder().display().to_string())
    );
    assert_eq!(shown.hash.len(), 64);
    let confined = ["its own folder", "--allow-unsandboxed"];
    assert!(confined.iter().any(|word| shown.sandbox.contains(word)), "{}", shown.sandbox);
    let skill = shown.skill.unwrap();
    assert_eq!(
        (skill.hosts[0].as_str(), skill.args[0].name.as_str(), skill.timeout_ms),
        ("a.example", "q", 60_000)
    );
}

#[tokio::test]
async fn what_is_wrong_is_named_with_its_file() {
    let daemon = Daemon::start().await;
    let wrong = skill(&daemon.home(), "a", "colour: blue").shell("true");
    let none = skill(&daemon.home(), "b", "");
    let mode = skill(&daemon.home(), "c", "").file("run", "#!/bin/sh\n");
    let types = skill(&daemon.home(), "d", "").file("script.ts", "\nenum A { B }");
    let link = skill(&daemon.home(), "e", "").shell("echo null");
    std::os::unix::fs::symlink("/etc/hostname", link.folder().join("link")).unwrap();
    for (name, file, word) in [
        ("a", wrong.folder().join("SKILL.md"), "unknown: `colour`"),
        ("b", none.folder().to_owned(), "no program"),
        ("c", mode.folder().join("run"), "not executable"),
        ("d", types.folder().join("script.ts"), "line 2"),
        ("e", link.folder().to_owned(), "`link`"),
    ] {
        let error = daemon.run(name).await.error.unwrap();
        assert_eq!(
            (error.reason.as_str(), &error.metadata["file"]),
            ("SKILL_INVALID", &file.display().to_string())
        );
        assert!(error.message.contains(word), "{}", error.message);
    }
    assert_eq!(list(&daemon, Tier::Global).await.len(), 5);
}

#[tokio::test]
async fn an_unknown_skill_is_not_found() {
    let daemon = Daemon::start().await;
    assert_eq!(daemon.run("nothing").await.error.unwrap().reason, "SKILL_NOT_FOUND");
    let request = ShowSkillRequest { name: "../x".to_owned(), ..Default::default() };
    let error = Failure::from(daemon.skills().await.show_skill(request).await.unwrap_err());
    assert_eq!(error.reason, "SKILL_NOT_FOUND");
}

#[tokio::test]
async fn an_edit_is_seen_by_the_next_listing() {
    let daemon = Daemon::start().await;
    for number in 0..50 {
        skill(&daemon.home(), &format!("s{number}"), "trusted: true").file("script.ts", "");
    }
    let mut skills = daemon.skills().await;
    let global = ListSkillsRequest { source: Tier::Global.into(), ..Default::default() };
    let listed = skills.list_skills(global.clone()).await.unwrap().into_inner().skills;
    assert_eq!(listed.len(), 50);
    assert!(listed.iter().all(|skill| skill.problem.is_empty()));
    let folder = daemon.home().join("skills/s7");
    std::fs::write(folder.join("SKILL.md"), "---\n").unwrap();
    let listed = skills.list_skills(global.clone()).await.unwrap().into_inner();
    let edited = listed.skills.iter().find(|skill| skill.name == "s7").unwrap();
    assert!(!edited.problem.is_empty());
}
