//! The guide, and what it writes for agents.

use std::{fs, path::Path, process::Command};

/// Runs `browse` in an empty folder that is also its home; answers what it
/// printed and its exit code.
pub fn browse(home: &Path, args: &[&str]) -> (String, i32) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_browse"));
    command.args(args).current_dir(home).env_clear().env("HOME", home).env("BROWSE_PROJECT", home);
    let output = command.output().expect("browse is built");
    let text = [output.stdout, output.stderr].concat();
    (String::from_utf8_lossy(&text).into_owned(), output.status.code().unwrap_or(-1))
}

#[test]
fn the_guide_needs_no_daemon() {
    let home = tempfile::tempdir().expect("a folder");
    let (overview, code) = browse(home.path(), &["guide"]);
    assert!(code == 0 && overview.contains("browse guide scrape"), "{overview}");
    for (topic, sentence) in [
        ("scrape", "Say /skillify to make this a skill"),
        (
            "skillify",
            "No recent /scrape result found in this conversation. Run /scrape first, then say /skillify.",
        ),
        ("skillify", "at most 10 turns"),
        ("automate", "Stop before the step, every time"),
        ("skills", "| `browse skill record save <name>"),
        ("library", "| `browse domain-skill save` | Saves a note"),
    ] {
        let (text, code) = browse(home.path(), &["guide", topic]);
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(code == 0 && line.contains(sentence), "{topic}: {text}");
    }
    assert!(!home.path().join(".browse").exists());
}

#[test]
fn an_unknown_topic_names_the_nearest() {
    let home = tempfile::tempdir().expect("a folder");
    let (text, code) = browse(home.path(), &["guide", "scrap"]);
    assert!(code == 2 && text.contains("browse guide scrape"), "{text}");
    let (text, code) = browse(home.path(), &["guide", "install"]);
    assert!(code == 2 && text.contains("--agent"), "{text}");
    let (text, code) = browse(home.path(), &["guide", "install", "--agent", "cladue"]);
    assert!(code == 2 && text.contains("claude"), "{text}");
}

#[test]
fn skills_of_agents_are_written_once() {
    for (agent, folder) in
        [("claude", ".claude/skills"), ("codex", ".agents/skills"), ("cursor", ".cursor/skills")]
    {
        let home = tempfile::tempdir().expect("a folder");
        let install = ["guide", "install", "--agent", agent, "--skills", "--yes"];
        let (first, code) = browse(home.path(), &install);
        assert_eq!((first.matches("wrote ").count(), code), (6, 0), "{first}");
        for name in ["browse", "scrape", "skillify", "automate", "browse-skills", "browse-library"]
        {
            let path = home.path().join(folder).join(name).join("SKILL.md");
            let text = fs::read_to_string(&path).expect("written");
            assert!(text.starts_with(&format!("---\nname: {name}\ndescription: ")), "{text}");
        }
        let (again, _) = browse(home.path(), &install);
        assert_eq!(again.matches("unchanged ").count(), 6, "{again}");
    }
}

#[test]
fn what_a_person_edited_is_left_alone_unless_forced() {
    let home = tempfile::tempdir().expect("a folder");
    let install = ["guide", "install", "--agent", "claude", "--yes"];
    browse(home.path(), &install);
    let file = home.path().join(".claude/skills/scrape/SKILL.md");
    let ours = fs::read_to_string(&file).expect("written");
    let edited = ours.replace("# ", "# My own ");
    fs::write(&file, &edited).expect("edited");
    let (text, code) = browse(home.path(), &install);
    assert!(code == 2 && text.contains("was edited") && text.contains("--force"), "{text}");
    assert_eq!(fs::read_to_string(&file).expect("there"), edited);
    let (text, code) = browse(home.path(), &[&install[..], &["--force"]].concat());
    assert!(code == 0 && text.matches("updated ").count() == 1, "{text}");
    assert_eq!(fs::read_to_string(&file).expect("there"), ours);
}

#[test]
fn files_of_others_are_left_alone() {
    let home = tempfile::tempdir().expect("a folder");
    let own = home.path().join(".claude/skills/scrape");
    fs::create_dir_all(&own).expect("made");
    fs::write(own.join("SKILL.md"), "mine").expect("written");
    let (text, code) =
        browse(home.path(), &["guide", "install", "--agent", "claude", "--project", "--yes"]);
    assert!(code == 2 && text.contains("left alone"), "{text}");
    assert_eq!(fs::read_to_string(own.join("SKILL.md")).expect("there"), "mine");
    assert!(!home.path().join(".claude/skills/browse").exists(), "nothing is half done");
    fs::remove_dir_all(&own).expect("removed");
    std::os::unix::fs::symlink(home.path(), &own).expect("linked");
    let (text, code) = browse(home.path(), &["guide", "install", "--agent", "claude", "--yes"]);
    assert!(code == 2 && text.contains("left alone"), "{text}");
}
