//! What `guide install` writes into the files of agents, and what `guide remove` leaves.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::{PermissionsExt as _, symlink},
    path::Path,
};

use serde_json::Value;

use crate::guide::browse;

/// Each agent, and the files that others write as well, in the home and in the project.
const AGENTS: &[(&str, &[&str], &[&str])] = &[
    ("claude", &[".claude.json", ".claude/settings.json"], &[".mcp.json", ".claude/settings.json"]),
    ("codex", &[".codex/config.toml", ".codex/AGENTS.md"], &[".codex/config.toml", "AGENTS.md"]),
    ("cursor", &[".cursor/mcp.json"], &[".cursor/mcp.json"]),
    (
        "gemini",
        &[".gemini/settings.json", ".gemini/GEMINI.md"],
        &[".gemini/settings.json", "GEMINI.md"],
    ),
    (
        "copilot",
        &[".copilot/mcp-config.json", ".copilot/copilot-instructions.md"],
        &[".vscode/mcp.json", ".github/copilot-instructions.md"],
    ),
    ("agents-md", &[], &["AGENTS.md"]),
];

const JSON: &str = "{\n    // mine\n    \"theme\": \"dark\",\n    \"hooks\": {\"SessionStart\": []},\n    \"mcpServers\": {}\n}\n";
const TOML: &str = "# mine\nmodel = \"o3\"   # fast\n\n[mcp_servers.other]\ncommand = 'x'\n";
const MARKDOWN: &str = "# Rules\r\n\r\nBe brief.";

fn content(path: &str) -> &'static str {
    match Path::new(path).extension().and_then(|end| end.to_str()) {
        Some("json") => JSON,
        Some("toml") => TOML,
        _ => MARKDOWN,
    }
}

/// Every path below `root`, with the content of files.
fn tree(root: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut open = vec![root.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            let name = path.strip_prefix(root).expect("below").display().to_string();
            if entry.file_type().expect("a type").is_dir() {
                found.insert(name, "folder".to_owned());
                open.push(path);
            } else {
                found.insert(name, fs::read_to_string(path).expect("text"));
            }
        }
    }
    found
}

fn write(root: &Path, name: &str, text: &str) {
    let path = root.join(name);
    fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    fs::write(path, text).expect("written");
}

fn guide<'a>(task: &'a str, agent: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["guide", task, "--agent", agent], more].concat()
}

#[test]
fn each_agent_gets_its_files_and_is_left_as_it_was() {
    for (agent, home_files, project_files) in AGENTS {
        for (files, scope) in [(home_files, None), (project_files, Some("--project"))] {
            for has_files in [false, true] {
                let home = tempfile::tempdir().expect("a folder");
                let root = home.path();
                if has_files {
                    files.iter().for_each(|file| write(root, file, content(file)));
                }
                let before = tree(root);
                let hook = (*agent == "claude").then_some("--hook");
                let flags: Vec<_> = scope.into_iter().chain(hook).collect();
                let with = |last: &'static str| [&flags[..], &[last]].concat();

                let (text, code) = browse(root, &guide("install", agent, &flags));
                assert!(code == 0 && text.contains("add `--yes` to write it"), "{text}");
                let (text, code) = browse(root, &guide("install", agent, &with("--dry-run")));
                assert!(code == 0 && text.contains("nothing was written"), "{text}");
                assert_eq!(tree(root), before, "{agent}: a preview writes nothing");

                let (text, code) = browse(root, &guide("install", agent, &with("--yes")));
                assert_eq!(code, 0, "{text}");
                let installed = tree(root);
                for file in *files {
                    let text = installed.get(*file).unwrap_or_else(|| panic!("{file}: {text}"));
                    assert!(text.contains("browse"), "{file}: {text}");
                    let lines = content(file).lines().filter(|line| line.contains("mine"));
                    lines.for_each(|line| assert!(!has_files || text.contains(line), "{text}"));
                }
                let (text, code) = browse(root, &guide("install", agent, &with("--yes")));
                assert!(
                    code == 0 && !text.contains("update") && !text.contains("create"),
                    "{text}"
                );
                assert_eq!(tree(root), installed, "{agent}: the second time changes nothing");

                let scope: Vec<_> = scope.into_iter().chain(["--yes"]).collect();
                let (text, code) = browse(root, &guide("remove", agent, &scope));
                assert_eq!(code, 0, "{text}");
                assert_eq!(tree(root), before, "{agent} {scope:?}: {text}");
                let (text, code) = browse(root, &guide("remove", agent, &scope));
                assert!(code == 0 && text.contains("there is nothing of browse"), "{text}");
            }
        }
    }
}

#[test]
fn what_two_agents_read_stays_until_both_are_removed() {
    let home = tempfile::tempdir().expect("a folder");
    let skill = home.path().join(".agents/skills/scrape/SKILL.md");
    for agent in ["codex", "gemini"] {
        let (text, code) = browse(home.path(), &guide("install", agent, &["--yes"]));
        assert!(code == 0 && skill.exists(), "{text}");
    }
    let (text, _) = browse(home.path(), &guide("remove", "codex", &["--yes"]));
    assert!(skill.exists() && text.contains("gemini reads it, too"), "{text}");
    assert!(!home.path().join(".codex").exists(), "{text}");
    let (text, _) = browse(home.path(), &guide("remove", "gemini", &["--yes"]));
    assert!(tree(home.path()).is_empty(), "{text}");
}

#[test]
fn a_section_of_two_agents_stays_until_both_are_removed() {
    for installed in [["codex", "agents-md"], ["agents-md", "codex"]] {
        for removed in [["codex", "agents-md"], ["agents-md", "codex"]] {
            let home = tempfile::tempdir().expect("a folder");
            let root = home.path();
            let run = |task, agent| browse(root, &guide(task, agent, &["--project", "--yes"]));
            for agent in installed {
                let (text, code) = run("install", agent);
                assert_eq!(code, 0, "{text}");
            }
            let (text, code) = run("remove", removed[0]);
            let section = fs::read_to_string(root.join("AGENTS.md")).unwrap_or_default();
            assert!(code == 0 && section.contains("browse: begin"), "{installed:?}: {text}");
            assert!(text.contains(&format!("{} reads it, too", removed[1])), "{text}");
            let (text, _) = run("remove", removed[1]);
            assert!(tree(root).is_empty(), "{installed:?}, {removed:?}: {text}");
        }
    }
}

#[test]
fn what_came_meanwhile_stays() {
    let home = tempfile::tempdir().expect("a folder");
    let root = home.path();
    for (agent, file, from, to) in [
        ("gemini", ".gemini/settings.json", "{\n", "{\n  \"new\": 1,\n"),
        ("codex", ".codex/config.toml", "[mcp", "new = 1\n[mcp"),
        (
            "copilot",
            ".copilot/copilot-instructions.md",
            "<!-- browse: begin",
            "new\n\n<!-- browse: begin",
        ),
    ] {
        browse(root, &guide("install", agent, &["--yes"]));
        let text = fs::read_to_string(root.join(file)).expect("written");
        fs::write(root.join(file), text.replacen(from, to, 1)).expect("edited");
        let (text, code) = browse(root, &guide("remove", agent, &["--yes"]));
        let rest = fs::read_to_string(root.join(file)).unwrap_or_else(|_| panic!("{text}"));
        assert!(code == 0 && rest.contains("new") && !rest.contains("browse"), "{text}\n{rest}");
        assert!(!rest.contains("mcpServers"), "what we made around it goes, too: {rest}");
    }
}

#[test]
fn what_cannot_be_edited_is_refused_and_nothing_is_changed() {
    let table: &[(&str, &str, &[u8], &str)] = &[
        ("claude", ".claude.json", b"{\"a\": 1,\n \"b\" 2}", "in line 2"),
        ("claude", ".claude.json", b"[]", "not an object"),
        ("claude", ".claude.json", b"{\"mcpServers\": []}", "`mcpServers` is not an object"),
        ("claude", ".claude.json", b"{\"a\": \"\xff\"}", "not UTF-8"),
        ("claude", ".claude.json", b"{\"mcpServers\": {\"browse\": {\"command\": \"x\"}}}", "another entry"),
        ("codex", ".codex/config.toml", b"a = 1\nb = \n", "in line 2"),
        ("codex", ".codex/config.toml", b"mcp_servers = 1\n", "is not a table"),
        ("codex", ".codex/config.toml", b"[mcp_servers.browse]\ncommand = 'x'\n", "another entry"),
        ("codex", ".codex/AGENTS.md", b"<!-- browse: begin, written by `browse guide install`, removed by `browse guide remove`: x -->\n", "no last line"),
    ];
    for (agent, file, bytes, problem) in table {
        let home = tempfile::tempdir().expect("a folder");
        write(home.path(), file, "");
        fs::write(home.path().join(file), bytes).expect("written");
        let (text, code) = browse(home.path(), &guide("install", agent, &["--yes"]));
        assert!(code == 2 && text.contains(problem) && text.contains("hint: "), "{text}");
        assert_eq!(fs::read(home.path().join(file)).expect("there"), *bytes);
        let names = fs::read_dir(home.path()).expect("a folder").count();
        assert_eq!(names, 1, "nothing else was written: {text}");
    }
}

#[test]
fn an_entry_of_another_is_replaced_on_request_and_comes_back() {
    let home = tempfile::tempdir().expect("a folder");
    let before = "{\"mcpServers\": {\"browse\": {\"command\": \"other\"}, \"x\": {}}}";
    write(home.path(), ".cursor/mcp.json", before);
    let read = || fs::read_to_string(home.path().join(".cursor/mcp.json")).expect("there");
    let (text, code) = browse(home.path(), &guide("install", "cursor", &["--yes", "--force"]));
    let value: Value = serde_json::from_str(&read()).expect("JSON");
    assert_eq!(
        (&value["mcpServers"]["browse"]["args"][0], code),
        (&Value::from("mcp"), 0),
        "{text}"
    );
    browse(home.path(), &guide("remove", "cursor", &["--yes"]));
    assert_eq!(read(), before);
}

#[test]
fn options_that_the_user_gave_the_server_stay() {
    let home = tempfile::tempdir().expect("a folder");
    let text = "{\"mcpServers\": {\"browse\": {\"command\": \"browse\", \"args\": [\"mcp\", \"--read-only\"]}}}";
    write(home.path(), ".cursor/mcp.json", text);
    for task in ["install", "remove"] {
        let (shown, code) = browse(home.path(), &guide(task, "cursor", &["--yes"]));
        assert!(code == 0 && shown.contains("left alone "), "{shown}");
        assert_eq!(fs::read_to_string(home.path().join(".cursor/mcp.json")).expect("there"), text);
    }
}

#[test]
fn a_read_only_file_stays_as_it_is() {
    let home = tempfile::tempdir().expect("a folder");
    write(home.path(), ".gemini/settings.json", JSON);
    let file = home.path().join(".gemini/settings.json");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).expect("set");
    let (text, code) = browse(home.path(), &guide("install", "gemini", &["--yes"]));
    assert!(code == 2 && text.contains("is read-only") && text.contains("chmod u+w"), "{text}");
    assert_eq!(fs::read_to_string(&file).expect("there"), JSON);
    assert!(!home.path().join(".agents/skills").exists(), "nothing is half done");
}

#[test]
fn links_are_followed_within_reason_and_modes_stay() {
    let home = tempfile::tempdir().expect("a folder");
    let root = home.path();
    write(root, "dotfiles/settings.json", JSON);
    let real = root.join("dotfiles/settings.json");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o600)).expect("set");
    fs::create_dir(root.join(".gemini")).expect("made");
    let link = root.join(".gemini/settings.json");
    symlink(&real, &link).expect("linked");
    let (text, code) = browse(root, &guide("install", "gemini", &["--yes"]));
    assert_eq!(code, 0, "{text}");
    assert!(link.symlink_metadata().expect("there").is_symlink(), "the link stays");
    assert!(fs::read_to_string(&real).expect("there").contains("\"browse\""));
    assert_eq!(real.metadata().expect("there").permissions().mode() & 0o777, 0o600);
    browse(root, &guide("remove", "gemini", &["--yes"]));
    assert_eq!(fs::read_to_string(&real).expect("there"), JSON);

    // A project is the work of others: its links stay within it.
    let outside = tempfile::tempdir().expect("a folder");
    write(outside.path(), "notes.md", "mine\n");
    symlink(outside.path().join("notes.md"), root.join("AGENTS.md")).expect("linked");
    let (text, code) = browse(root, &guide("install", "agents-md", &["--yes"]));
    assert!(code == 2 && text.contains("is a link out of the project"), "{text}");
    fs::remove_file(root.join("AGENTS.md")).expect("removed");
    symlink(root.join("none.md"), root.join("AGENTS.md")).expect("linked");
    let (text, code) = browse(root, &guide("install", "agents-md", &["--yes"]));
    assert!(code == 2 && text.contains("a link to a file that is not there"), "{text}");
    assert_eq!(fs::read_to_string(outside.path().join("notes.md")).expect("there"), "mine\n");
}

#[test]
fn a_preview_shows_the_lines_and_no_other_content() {
    let home = tempfile::tempdir().expect("a folder");
    write(home.path(), ".claude.json", "{\n  \"token\": \"sk-secret\"\n}\n");
    let (text, _) = browse(home.path(), &guide("install", "claude", &["--dry-run"]));
    assert!(text.contains("+   \"mcpServers\": {") && text.contains("@ line 3"), "{text}");
    assert!(
        text.contains(".claude/skills/scrape/SKILL.md (") && !text.contains("sk-secret"),
        "{text}"
    );
    let (text, code) = browse(home.path(), &guide("install", "claude", &["--json"]));
    let value: Value = serde_json::from_str(&text).expect("JSON");
    let files = value["result"]["files"].as_array().expect("a list");
    assert_eq!((files.len(), &value["result"]["written"], code), (7, &Value::Bool(false), 0));
    assert!(files.iter().all(|file| file["path"].is_string() && file["preview"].is_string()));
}

#[test]
fn flags_that_do_not_fit_are_refused() {
    let home = tempfile::tempdir().expect("a folder");
    for (agent, flags, problem) in [
        ("claude", &["--user", "--project"][..], "contradict"),
        ("claude", &["--yes", "--dry-run"], "contradict"),
        ("claude", &["--skills", "--hook"], "contradict"),
        ("codex", &["--hook"], "is for claude"),
        ("agents-md", &["--user"], "leave `--user` out"),
        ("agents-md", &["--skills"], "has no skills"),
        ("gemni", &[], "--agent gemini"),
        ("claude", &["--now"], "does not take `--now`"),
    ] {
        let (text, code) = browse(home.path(), &guide("install", agent, flags));
        assert!(code == 2 && text.contains(problem), "{text}");
    }
    assert!(tree(home.path()).is_empty());
}

#[test]
fn the_hook_never_fails() {
    let home = tempfile::tempdir().expect("a folder");
    assert_eq!(browse(home.path(), &["guide", "hook"]), (String::new(), 0), "an unused project");
    // A project with a daemon that cannot be started.
    fs::create_dir(home.path().join(".browse")).expect("made");
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_browse"));
    command.args(["guide", "hook"]).current_dir(home.path()).env_clear();
    command.env("HOME", home.path()).env("BROWSE_PROJECT", home.path());
    let output = command.env("BROWSE_DAEMON", "/bin/false").output().expect("it runs");
    assert!(output.status.success() && output.stdout.is_empty() && output.stderr.is_empty());
}
