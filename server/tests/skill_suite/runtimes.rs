//! Each runtime runs its program.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::json;

use crate::{
    daemon::{Daemon, until},
    shelf::skill,
};

#[tokio::test]
async fn python_finds_its_neighbours_and_leaves_nothing() {
    let daemon = Daemon::start().await;
    let draft = skill(&daemon.home(), "a", "")
        .file(
            "script.py",
            "import json, os\nfrom _lib import b\nprint(json.dumps([b.c, os.getcwd()]))",
        )
        .file("_lib/b.py", "c = 1");
    let outcome = daemon.run("a").await;
    assert_eq!(outcome.output, Some(json!([1, draft.folder()])), "{}", outcome.stderr);
    assert!(!draft.folder().join("_lib/__pycache__").exists());
}

#[tokio::test]
async fn python_is_compiled_once_for_a_content_and_nothing_of_it_is_run() {
    // Without a sandbox a module that is run would be seen.
    let daemon = Daemon::start_free().await;
    let trace = daemon.home().join("trace");
    let evil = format!("open({:?}, 'w')", trace.display().to_string());
    let draft = skill(&daemon.home(), "a", "")
        .file("script.py", "import json\nimport b\nprint(json.dumps([b.__cached__, b.c]))")
        .file("b.py", "c = 1")
        .file("colorsys.py", &evil)
        .file("d.py", &format!("import colorsys\n{evil}"))
        .file("e.py", "import (");
    let run = async || daemon.run_with(daemon.request("a"), None).await.output.unwrap();
    // It is compiled when a run has ended, for the next one.
    let kept = daemon.home().join("cache/python");
    let is_kept = |count: usize| {
        let names = fs::read_dir(&kept).into_iter().flatten().flatten().map(|it| it.file_name());
        (names.filter(|name| name.to_string_lossy().starts_with("a-")).count() == count)
            .then_some(())
    };
    run().await;
    until(|| is_kept(1)).await.expect("it is compiled");
    let first = run().await;
    let cached = first[0].as_str().unwrap().to_owned();
    assert!(Path::new(&cached).starts_with(&kept) && Path::new(&cached).is_file(), "{cached}");
    assert!(!trace.exists());
    let _draft = draft.file("b.py", "c = 2");
    assert_eq!(run().await[1], json!(2));
    until(|| is_kept(2)).await.expect("it is compiled again");
    assert_ne!(run().await[0], first[0]);
    assert!(!trace.exists());
}

const TYPES: &str = "
import { b, type C } from './b.ts';
const c: C = { d: b };
const words = process.argv.slice(2);
console.log(JSON.stringify([c, words, process.cwd().endsWith('/a')] satisfies unknown[]));
";

#[tokio::test]
async fn typescript_loses_its_types() {
    let daemon = Daemon::start().await;
    skill(&daemon.home(), "a", "args: [{name: n, default: 1}]")
        .file("script.ts", TYPES)
        .file("b.ts", "export interface C { d: number }\nexport const b: number = 1;");
    let outcome = daemon.run("a").await;
    assert_eq!(outcome.output, Some(json!([{"d": 1}, ["--n=1"], true])), "{outcome:?}");
}

#[tokio::test]
async fn code_that_nests_too_deeply_ends_no_daemon() {
    let daemon = Daemon::start().await;
    let nested = |open: &str, close: &str| {
        format!("let x = {}1{};", open.repeat(100_000), close.repeat(100_000))
    };
    for code in [nested("(", ")"), nested("[", "]"), nested("!", ""), nested("<A<", ">>")] {
        skill(&daemon.home(), "a", "").file("script.ts", &code);
        let error = daemon.run("a").await.error.unwrap();
        assert_eq!(error.reason, "SKILL_INVALID", "{error:?}");
    }
    skill(&daemon.home(), "a", "").file("script.ts", "console.log('[1]')");
    assert_eq!(daemon.run("a").await.output, Some(json!([1])));
}

#[tokio::test]
async fn a_trace_points_at_the_source() {
    let daemon = Daemon::start().await;
    skill(&daemon.home(), "a", "")
        .file("script.ts", "type A = 1;\n\nfunction f<T>(a: T) { throw new Error('no') }\nf(1);");
    let outcome = daemon.run("a").await;
    assert_eq!(outcome.error.unwrap().metadata["exit_code"], "1");
    assert!(outcome.stderr.contains("script.js:3:"), "{}", outcome.stderr);
}

#[tokio::test]
async fn a_missing_runtime_is_named() {
    let folder = tempfile::tempdir().unwrap();
    symlink("/bin/sh", folder.path().join("sh")).unwrap();
    let daemon = Daemon::start_with(&[
        ("BROWSE_NO_BROWSER", "1"),
        ("PATH", &folder.path().display().to_string()),
    ])
    .await;
    for (name, file, runtime) in [
        ("a", "script.ts", "node 20 or later, deno 2 or later, or bun 1.2 or later"),
        ("b", "script.py", "python 3.10 or later"),
        ("c", "src/main.rs", "rust 1.85 or later"),
    ] {
        skill(&daemon.home(), name, "").file(file, "").file("Cargo.toml", "");
        let error = daemon.run(name).await.error.unwrap();
        assert_eq!(
            (error.reason.as_str(), error.metadata["runtime"].as_str()),
            ("RUNTIME_MISSING", runtime)
        );
    }
}

const MANIFEST: &str = "[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";

/// What builds leave in the cache and among the drafts.
fn left(daemon: &Daemon) -> (Vec<String>, usize) {
    let names = |folder: &str| {
        let entries = std::fs::read_dir(daemon.home().join(folder)).into_iter().flatten().flatten();
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect::<Vec<_>>()
    };
    (names("cache/rust"), names(".tmp").len())
}

#[tokio::test]
async fn rust_is_built_once() {
    let daemon = Daemon::start().await;
    let draft = skill(&daemon.home(), "a", "")
        .file("Cargo.toml", &format!("{MANIFEST}[dependencies]\ntiny = '1'\n"))
        .file("src/main.rs", "fn main() { println!(\"{}\", tiny::one()) }")
        .file("vendor/tiny/Cargo.toml", "[package]\nname = \"tiny\"\nversion = \"1.0.0\"\n")
        .file("vendor/tiny/.cargo-checksum.json", "{\"files\":{}}")
        .file("vendor/tiny/src/lib.rs", "pub fn one() -> u8 { 1 }");
    let (one, two) = tokio::join!(daemon.run("a"), daemon.run("a"));
    assert_eq!((&one.output, &two.output), (&Some(json!(1)), &Some(json!(1))), "{one:?} {two:?}");
    let said = one.stderr + &two.stderr;
    assert_eq!(said.matches("Compiling a ").count(), 1, "{said}");
    assert_eq!(daemon.run("a").await.stderr, "");
    assert!(!draft.folder().join("target").exists() && !draft.folder().join("Cargo.lock").exists());
    let built = left(&daemon);
    assert_eq!((built.0.len(), built.1), (1, 0), "{built:?}");
    let draft = draft.file("src/main.rs", "fn main() { nothing() }");
    let failed = daemon.run("a").await;
    let error = failed.error.unwrap();
    assert_eq!(error.reason, "BUILD_FAILED");
    assert!(error.page[0].1.contains("cannot find function `nothing`"), "{:?}", error.page);
    assert!(failed.stderr.contains("src/main.rs:1:13"), "{}", failed.stderr);
    assert_eq!(left(&daemon), built, "a failed build leaves nothing");
    draft.file("Cargo.toml", &format!("{MANIFEST}[dependencies]\nb = {{ git = 'file:///b' }}\n"));
    let error = daemon.run("a").await.error.unwrap();
    assert!(error.message.contains("`b` is asked for by `git`"), "{}", error.message);
}
