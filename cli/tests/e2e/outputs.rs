//! The law of output paths: each path of the contract's table, and what is not a
//! regular file, in a system of its own.

use std::{
    collections::BTreeMap,
    fs,
    io::Write as _,
    process::{Command, Stdio},
};

use serde_json::Value;

use crate::project::{Project, browsed};

const TABLE: &str = include_str!("../../../proto/tests/outputs.json");

/// Paths that are not regular files, and what comes of them: exit code, what is
/// there afterwards, a part of the message.
const SPECIAL: &[(&str, &str, &str)] = &[
    ("/dev/null", "0 device", ""),
    ("/dev/zero", "0 device", ""),
    ("/dev/full", "2 device", "no space left"),
    ("/dev/tty", "2 device", "cannot be written"),
    ("/dev/stdout", "0 link", "one,two"),
    ("/dev/stderr", "0 link", "one,two"),
    ("/dev/fd/1", "0 link", "one,two"),
    ("/dev/block", "2 block", "it is a block device"),
    ("/dev/random", "2 device", "it is a device"),
    ("/h/p/link.csv", "2 link", "`.bashrc` begins with a dot"),
    ("/h/p/disk", "2 link", "it is a block device"),
    ("/h/p/nothing", "0 link", ""),
    ("/h/p/latest.csv", "0 link", ""),
    ("/h/p/folder/x.csv", "2 none", "`.ssh` holds"),
    ("/h/p/pipe", "0 pipe", ""),
    ("/h/p/unread", "2 pipe", "nobody reads it"),
    ("--force-path /h/p/Makefile", "0 written", ""),
    ("--force-path /h/.config/x", "0 written", ""),
    ("--force-path /dev/block", "2 block", "it is a block device"),
];

#[test]
fn paths_are_written_or_refused_and_nothing_else_changes() {
    if !may_mount() {
        eprintln!("skipped: mount namespaces need root");
        return;
    }
    let table: Value = serde_json::from_str(TABLE).expect("the table is JSON");
    let of = |key: &str| {
        let paths = table[key].as_array().expect("a list").iter().filter_map(Value::as_str);
        paths.map(str::to_owned).collect::<Vec<_>>()
    };
    // What is not in the temp folder of a new system: our own state, which exists.
    let refused: Vec<_> =
        of("refused").into_iter().filter(|p| !p.ends_with("daemon.json")).collect();
    let written = of("written");
    let special = SPECIAL.iter().map(|(path, ..)| (*path).to_owned());
    let outcomes = write(refused.iter().chain(&written).cloned().chain(special));
    let outcome = |path: &str| outcomes.get(path.trim_start_matches("--force-path ")).cloned();
    for path in &refused {
        let (code, message) = outcome(path).expect("it was tried");
        let is_forced = SPECIAL.iter().any(|(other, ..)| other.ends_with(&format!(" {path}")));
        assert!(
            is_forced
                || code.starts_with("2 ")
                    && (path.starts_with("/proc/") || !code.ends_with("written")),
            "{path}: {code}"
        );
        assert!(is_forced || message.contains("--force-path"), "{path}: {message}");
    }
    for path in &written {
        assert_eq!(outcome(path).expect("it was tried").0, "0 written", "{path}");
    }
    for (path, expected, part) in SPECIAL {
        let (code, message) = outcome(path).expect("it was tried");
        assert!(
            path.contains("--force") && code == "2 block" || code == *expected,
            "{path}: {code}"
        );
        assert!(message.contains(part), "{path}: {message}");
    }
    assert_eq!(outcomes["piped"].1, "one,two");
    assert!(!outcomes.contains_key("left"), "drafts are left: {outcomes:?}");
}

/// What came of each path: code and kind, and the message.
fn write(paths: impl Iterator<Item = String>) -> BTreeMap<String, (String, String)> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/e2e/outputs.sh");
    let mut child = Command::new("unshare")
        .args(["--mount", "--propagation", "private", "bash", script, env!("CARGO_BIN_EXE_browse")])
        .arg(browsed())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("unshare is there");
    let list: Vec<_> = paths.collect();
    let mut input = child.stdin.take().expect("it is piped");
    let feed =
        std::thread::spawn(move || input.write_all(format!("{}\n", list.join("\n")).as_bytes()));
    let output = child.wait_with_output().expect("it ends");
    feed.join().expect("it is fed").expect("it is read");
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = |line: &str| match line.split_once(' ')? {
        (key @ ("piped" | "left"), rest) => {
            Some((key.to_owned(), (String::new(), rest.to_owned())))
        }
        _ => {
            let (head, message) = line.split_once(": ")?;
            let (code, path) = head.rsplit_once(' ')?;
            Some((path.to_owned(), (code.to_owned(), message.to_owned())))
        }
    };
    text.lines().filter_map(line).collect()
}

fn may_mount() -> bool {
    let tried = Command::new("unshare").args(["--mount", "true"]).stderr(Stdio::null()).status();
    tried.is_ok_and(|status| status.success())
}

#[test]
fn a_file_is_replaced_by_its_own_kind_only() {
    let project = Project::new();
    let page = project.write("page.html", "<h1>page</h1>");
    project.ok(&["goto", "file://./page.html"]);
    let save = |content: &str, path: &str| {
        let output = project.run(&["download", &format!("data:text/plain,{content}"), path]);
        (output.code, output.stderr)
    };
    for content in ["one", "two"] {
        assert_eq!(save(content, "report.csv").0, Some(0));
        assert_eq!(fs::read_to_string(project.path().join("report.csv")).expect("there"), content);
    }
    for _ in 0..2 {
        project.ok(&["pdf", "a.pdf"]);
        project.ok(&["screenshot", "a.png"]);
    }
    for (name, old) in [("a.py", "print()"), ("run", "#!/bin/sh\n"), ("a.conf", "x")] {
        project.write(name, old);
        let (code, stderr) = save("new", name);
        assert_eq!(code, Some(2), "{name}: {stderr}");
        assert!(stderr.contains("--force-path"), "{stderr}");
        assert_eq!(fs::read_to_string(project.path().join(name)).expect("there"), old);
    }
    let (code, stderr) = save("text", "a.png");
    assert_eq!((code, stderr.contains("the content is text, not a PNG file")), (Some(2), true));
    assert!(page.exists());
}

#[test]
fn a_page_cannot_choose_a_name_that_programs_obey() {
    let project = Project::new();
    project.write("page.html", "<a id=a href='data:text/plain,x' download='CLAUDE.md'>x</a>");
    project.ok(&["goto", "file://./page.html"]);
    fs::create_dir(project.path().join("in")).expect("a folder");
    project.ok(&["click", "#a", "--download", "in/"]);
    let names: Vec<_> =
        fs::read_dir(project.path().join("in")).expect("a folder").flatten().collect();
    let names: Vec<_> = names.iter().map(|entry| entry.file_name()).collect();
    assert_eq!(names, ["_CLAUDE.md"]);
}

#[test]
fn a_file_that_nobody_named_is_ours_alone() {
    use std::os::unix::fs::PermissionsExt as _;

    let project = Project::new();
    project.write("page.html", "<h1>page</h1>");
    project.ok(&["goto", "file://./page.html"]);
    let path = project.ok(&["screenshot"]);
    let path = std::path::Path::new(path.trim());
    let mode = |path: &std::path::Path| {
        fs::metadata(path).expect("it is there").permissions().mode() & 0o777
    };
    let folder = path.parent().expect("a folder");
    assert_eq!((mode(path), mode(folder)), (0o600, 0o700));
    fs::remove_dir_all(folder).expect("removed");
}

#[test]
fn only_the_owner_lifts_the_rule() {
    let project = Project::new().with("BROWSE_TOKEN", "another");
    project.write("page.html", "<h1>page</h1>");
    let output = project.run(&["screenshot", "./.hidden.png", "--force-path"]);
    assert!(output.stderr.contains("is for the owner"), "{output:?}");
    let output = project.run(&["screenshot", "./.hidden.png"]);
    assert!(output.stderr.contains("begins with a dot"), "{output:?}");
    assert!(!output.stderr.contains("--force-path"), "{output:?}");
}
