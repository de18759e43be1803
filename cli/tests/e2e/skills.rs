//! The life of a skill on the command line, as text and as JSON.

use std::fs;
use std::path::Path;

use crate::project::Project;

fn project() -> Project {
    Project::new().with("BROWSE_NO_BROWSER", "1")
}

/// The row of `skill list` that begins with this name.
fn row(project: &Project, name: &str) -> Option<String> {
    let list = project.ok(&["--raw", "skill", "list"]);
    list.lines().find(|line| line.starts_with(&format!("{name} "))).map(str::to_owned)
}

#[test]
fn a_skill_is_staged_tested_committed_upgraded_and_removed() {
    let project = project();
    let staged = ["skill", "stage", "--lang", "py", "--name", "shop", "--host", "shop.example"];
    let path = project.ok(&staged);
    let path = path.trim_end();
    assert!(path.contains("/.tmp/skillify-"), "{path}");
    let tested = project.run(&["skill", "test", path]);
    assert_eq!(tested.stdout, "passed shop\n", "{tested:?}");
    assert!(tested.stderr.contains("Ran 2 tests"), "{tested:?}");
    assert_eq!(row(&project, "shop"), None);
    let committed = project.ok(&["skill", "commit", path]);
    assert!(committed.starts_with("committed shop global "), "{committed}");
    let row_of = row(&project, "shop").expect("it is listed");
    assert!(row_of.starts_with("shop global shop.example python 3."), "{row_of}");
    assert!(row_of.contains(" untrusted Reads the headings"), "{row_of}");
    assert_eq!(project.ok(&["skill", "upgrade", "shop"]), "current shop global\n");
    let lib = project.home().join("skills/shop/_lib");
    fs::write(lib.join("more.py"), "").expect("written");
    assert_eq!(project.fail(&["skill", "test", "shop"]), ("SDK_MISMATCH".to_owned(), 1));
    assert_eq!(project.ok(&["skill", "upgrade", "shop"]), "upgraded shop global\n");
    assert_eq!(project.ok(&["skill", "test", "shop"]), "passed shop global\n");
    let removed = project.ok(&["skill", "rm", "shop"]);
    assert!(removed.starts_with("removed shop global: it lies in "), "{removed}");
    assert_eq!(row(&project, "shop"), None);
    assert_eq!(project.ok(&["skill", "discard", path]).lines().count(), 1);
}

#[test]
fn each_answer_is_one_json_document() {
    let project = project();
    let staged = project.json(&["skill", "stage", "--lang", "run", "--name", "b"]);
    let draft = staged["draft"].as_str().expect("a name");
    assert_eq!(staged["files"][0], "SKILL.md");
    let tested = project.json(&["skill", "test", draft]);
    assert_eq!(
        (tested["name"].as_str(), tested["runtime"].as_str()),
        (Some("b"), Some("executable"))
    );
    let committed = project.json(&["skill", "commit", draft, "--project", "--name", "c"]);
    assert_eq!(committed["tier"], "project");
    assert_eq!(committed["hash"].as_str().map(str::len), Some(64));
    assert!(Path::new(committed["path"].as_str().expect("a path")).join("SKILL.md").is_file());
    let list = project.json(&["skill", "list", "--source", "project"]);
    for key in ["name", "triggers", "args", "runtime", "tier", "trust", "language"] {
        assert!(!list[0][key].is_null(), "{key} in {list}");
    }
    let shown = project.json(&["skill", "show", "c"]);
    assert_eq!(shown["skill"]["name"], "c");
    assert_eq!(project.json(&["skill", "upgrade", "c"])["outcome"], "current");
    assert_eq!(project.json(&["skill", "rm", "c"])["name"], "c");
    assert_eq!(project.json(&["skill", "discard", draft])["existed"], false);
}

#[test]
fn a_folder_of_the_user_is_committed_and_stays_as_it_is() {
    let project = project();
    let staged = project.json(&["skill", "stage", "--lang", "run", "--name", "mine"]);
    let draft = staged["path"].as_str().expect("a path");
    let folder = project.path().join("mine");
    fs::rename(draft, &folder).expect("moved");
    project.ok(&["skill", "commit", "./mine"]);
    assert!(folder.join("run").is_file() && row(&project, "mine").is_some());
    fs::write(folder.join("tests/run"), "#!/bin/sh\necho broken >&2\nexit 1\n").expect("written");
    let failing = project.run(&["skill", "commit", "./mine", "--name", "other"]);
    assert_eq!(failing.code, Some(1), "{failing:?}");
    assert!(failing.stderr.contains("broken"), "{failing:?}");
    assert!(folder.join("run").is_file() && row(&project, "other").is_none());
    let left = fs::read_dir(project.home().join(".tmp")).expect("read").count();
    assert_eq!(left, 0);
}

#[test]
fn wrong_calls_say_what_to_do() {
    let project = project();
    for (words, reason, code) in [
        (&["skill", "commit", "skillify-00000000"][..], "DRAFT_NOT_FOUND", 1),
        (&["skill", "commit", "nowhere"], "DRAFT_NOT_FOUND", 1),
        (&["skill", "commit", "."], "FILE_UNREADABLE", 2),
        (&["skill", "test", "nowhere"], "SKILL_NOT_FOUND", 1),
        (&["skill", "rm", "nowhere"], "SKILL_NOT_FOUND", 1),
        (&["skill", "rm", "hackernews-frontpage"], "SKILL_READ_ONLY", 1),
        (&["skill", "upgrade", "hackernews-frontpage"], "SKILL_READ_ONLY", 1),
        (&["skill", "stage", "nowhere"], "FILE_UNREADABLE", 2),
        (&["skill", "stage", "--lang", "ts", "--name", "A"], "SKILL_NAME_INVALID", 2),
        (&["skill", "stage", "--lang", "ts", "--host", "http://a"], "ARGUMENT_INVALID", 2),
        (&["skill", "stage", "--name", "a"], "ARGUMENT_INVALID", 2),
        (&["skill", "stage", ".", "--lang", "ts"], "ARGUMENT_INVALID", 2),
    ] {
        assert_eq!(project.fail(words), (reason.to_owned(), code), "{words:?}");
    }
}
