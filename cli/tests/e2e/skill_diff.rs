//! What changed in a skill since it was trusted, and trust in what was read.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::{dashboard::Dashboard, project::Project};

const MANIFEST: &str = "---\nname: prices\ndescription: Reads prices.\nhost: shop.example\ntrusted: true\n---\n\nIt.\n";

/// A project with the skill `prices` in its home, and the folder of that.
fn project() -> (Project, PathBuf) {
    let project = Project::new().with("BROWSE_NO_BROWSER", "1");
    let folder = project.home().join("skills/prices");
    fs::create_dir_all(&folder).expect("made");
    fs::write(folder.join("SKILL.md"), MANIFEST).expect("written");
    write_program(&folder, "echo '[1]'");
    (project, folder)
}

fn write_program(folder: &Path, line: &str) {
    let path = folder.join("run");
    fs::write(&path, format!("#!/bin/sh\n{line}\n")).expect("written");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("set");
}

fn diff(project: &Project) -> Value {
    project.json(&["skill", "diff", "prices"])
}

/// Path, change and whether its lines are left out, of each file.
fn files(diff: &Value) -> Vec<(&str, &str, bool)> {
    let files = diff["files"].as_array().expect("a list").iter();
    files
        .map(|file| {
            let text = |key: &str| file[key].as_str().expect("a text");
            (text("path"), text("change"), file["binary"].as_bool().expect("a flag"))
        })
        .collect()
}

fn hash(diff: &Value) -> &str {
    diff["hash"].as_str().expect("a hash")
}

fn trust_state(project: &Project) -> String {
    let shown = project.json(&["skill", "show", "prices"]);
    shown["skill"]["trust"].as_str().expect("a word").to_owned()
}

#[test]
fn what_was_read_is_what_is_trusted() {
    let (project, folder) = project();
    let new = diff(&project);
    assert_eq!((&new["trust"], &new["trusted_hash"]), (&"untrusted".into(), &"".into()));
    assert_eq!(files(&new), [("SKILL.md", "added", false), ("run", "added", false)]);
    let trust = |hash: &str| project.run(&["skill", "trust", "prices", "--hash", hash]);
    assert_eq!(trust(hash(&new)).code, Some(0));
    assert_eq!(
        (trust_state(&project), &diff(&project)["trust"]),
        ("trusted".to_owned(), &"trusted".into())
    );

    write_program(&folder, "echo '[2]'");
    assert_eq!(trust_state(&project), "changed");
    let list = project.ok(&["--raw", "skill", "list"]);
    assert!(
        list.lines().any(|line| line.starts_with("prices ") && line.contains(" changed ")),
        "{list}"
    );
    let changed = diff(&project);
    assert_eq!(files(&changed), [("run", "changed", false)]);
    assert_eq!((&changed["trust"], &changed["trusted_hash"]), (&"changed".into(), &new["hash"]));
    let all: Vec<_> = changed["diff"].as_str().expect("a text").lines().collect();
    let number = |key: &str| changed["files"][0][key].as_u64().expect("a number") as usize;
    let hunks = &all[number("line") - 1..][..number("lines")];
    assert_eq!(hunks, ["@@ -1,2 +1,2 @@", " #!/bin/sh", "-echo '[1]'", "+echo '[2]'"]);
    let text = project.ok(&["skill", "diff", "prices"]);
    assert!(text.contains("\n-echo '[1]'\n+echo '[2]'\n"), "{text}");
    assert!(text.contains(&format!("prices global changed {}\n", hash(&changed))), "{text}");

    let refused = trust(hash(&new));
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.stderr.contains("browse skill diff prices"), "{refused:?}");
    let old = ["skill", "trust", "prices", "--hash", hash(&new)];
    assert_eq!(project.fail(&old), ("SKILL_HASH_MISMATCH".to_owned(), 1));
    assert_eq!(trust_state(&project), "changed");
    let trusted = trust(hash(&changed));
    assert_eq!(trusted.stdout, format!("trusted prices global {}\n", hash(&changed)));
    let output = project.run(&["skill", "diff", "prices"]);
    assert!(output.stderr.contains("nothing changed since it was trusted"), "{output:?}");
    assert_eq!(output.stdout, format!("prices global trusted {}\n", hash(&changed)));
}

#[test]
fn a_dashboard_trusts_what_was_read_there() {
    let (project, folder) = project();
    let admin = Dashboard::open(&project, &["--scope", "read,write,meta,admin"]);
    let other = Dashboard::open(&project, &[]);
    let (compare, trust) = ("SkillService/DiffSkill", "SkillService/TrustSkill");
    let skill = json!({ "name": "prices", "source": "global" });
    for method in [compare, trust] {
        assert_eq!(other.call(method, &skill), Err("SCOPE_DENIED".to_owned()), "{method}");
    }
    let read = admin.call(compare, &skill).expect("compared");
    assert_eq!(files(&read), [("SKILL.md", "added", false), ("run", "added", false)]);
    write_program(&folder, "echo '[3]'");
    let exact = json!({ "name": "prices", "source": "global", "hash": hash(&read) });
    assert_eq!(admin.call(trust, &exact), Err("SKILL_HASH_MISMATCH".to_owned()));
    assert_eq!(trust_state(&project), "asks");
    let read = admin.call(compare, &skill).expect("compared");
    let exact = json!({ "name": "prices", "source": "global", "hash": hash(&read) });
    assert_eq!(admin.call(trust, &exact).expect("trusted")["hash"], read["hash"]);
    assert_eq!(trust_state(&project), "trusted");
}

#[test]
fn copies_are_private_and_go_with_the_skill() {
    let (project, _) = project();
    project.ok(&["skill", "trust", "prices"]);
    let copies = project.home().join("trusted-skills");
    let mode = |path: &Path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
    let listed = || fs::read_dir(&copies).expect("read").flatten().collect::<Vec<_>>();
    assert_eq!((mode(&copies), listed().len()), (0o700, 1));
    assert_eq!(mode(&listed()[0].path()), 0o600);
    project.ok(&["skill", "rm", "prices"]);
    assert!(listed().is_empty());
}

#[test]
fn a_link_leads_nowhere() {
    let (project, folder) = project();
    let (secret, work) = (project.write("key.txt", "QXV-7731-KFT\n"), project.path());
    for (target, name) in [(&secret, "key.txt"), (&work, "more")] {
        symlink(target, folder.join(name)).expect("linked");
        for words in [&["skill", "diff", "prices"][..], &["skill", "trust", "prices"]] {
            assert_eq!(project.fail(words), ("SKILL_INVALID".to_owned(), 1), "{words:?}");
            let output = project.run(&[&["--raw"], words].concat());
            assert!(!format!("{output:?}").contains("QXV"), "{output:?}");
        }
        fs::remove_file(folder.join(name)).expect("removed");
    }
    project.ok(&["skill", "trust", "prices"]);
}

#[test]
fn what_cannot_be_shown_has_a_note() {
    let (project, folder) = project();
    project.ok(&["skill", "trust", "prices"]);
    fs::write(folder.join("large.txt"), "a".repeat(5_000_000)).expect("written");
    fs::write(folder.join("logo.png"), b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01")
        .expect("written");
    let large = diff(&project);
    assert_eq!(files(&large), [("large.txt", "added", true), ("logo.png", "added", true)]);
    let note = |at: usize| large["files"][at]["note"].as_str().expect("a note");
    assert!(note(0).starts_with("larger than 512 KiB: 5000000 bytes, SHA-256 "), "{}", note(0));
    assert!(note(1).starts_with("not text: "), "{}", note(1));
}

#[test]
fn nothing_in_a_file_or_its_name_acts_on_the_terminal() {
    let (project, folder) = project();
    project.ok(&["skill", "trust", "prices"]);
    let text = "a line like others, so that it is text\nx\u{202e}y\u{1b}]0;title\u{7}\r\n";
    fs::write(folder.join("a\u{1b}[2J\n+b"), text).expect("written");
    let output = project.run(&["--raw", "skill", "diff", "prices"]);
    assert!(output.stdout.contains("\n+x\\u{202e}y\\u{1b}]0;title\\u{7}\\r\n"), "{output:?}");
    assert!(output.stdout.contains("added a\\u{1b}[2J\\n+b\n"), "{output:?}");
    let is_odd = |letter: char| letter.is_control() && letter != '\n' || letter == '\u{202e}';
    assert!(!output.stdout.contains(is_odd), "{output:?}");
}
