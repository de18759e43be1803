//! Each runtime runs its program.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use browse_proto::v1::{CheckSkillsRequest, CommitSkillRequest};
use serde_json::json;

use crate::{
    daemon::{Daemon, Failure, until},
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
async fn typescript_runs_as_it_is() {
    let daemon = Daemon::start().await;
    skill(&daemon.home(), "a", "args: [{name: n, default: 1}]")
        .file("script.ts", TYPES)
        .file("b.ts", "export interface C { d: number }\nexport const b: number = 1;");
    let outcome = daemon.run("a").await;
    assert_eq!(outcome.output, Some(json!([{"d": 1}, ["--n=1"], true])), "{outcome:?}");
    assert_eq!(outcome.stderr, "", "stripping types is nobody's news");
    assert_eq!(daemon.run("a").await.output, outcome.output);
}

#[tokio::test]
async fn a_project_does_not_make_modules_of_another_kind() {
    let daemon = Daemon::start_free().await;
    std::fs::write(daemon.home().join("package.json"), r#"{"type":"commonjs"}"#).unwrap();
    skill(&daemon.home(), "a", "")
        .file("script.ts", "import { b } from './b.ts';\nconsole.log(await b());")
        .file("b.ts", "export const b = async (): Promise<string> => '1';");
    let outcome = daemon.run_with(daemon.request("a"), None).await;
    assert_eq!((outcome.output, outcome.stderr.contains("Warning")), (Some(json!(1)), false));
}

/// What each command that needs the program says about the skill `a`: `skill run`,
/// `skill test`, `skill commit` and `skill check`.
async fn refusals(daemon: &Daemon, folder: &Path) -> Vec<String> {
    let shown = |error: &Failure| format!("{} {}", error.reason, error.message);
    let run = shown(&daemon.run("a").await.error.unwrap());
    let tested = shown(&daemon.test("a").await.1.unwrap_err());
    let (draft, staged) = daemon.stage().await;
    for file in fs::read_dir(folder).unwrap().flatten() {
        fs::copy(file.path(), staged.join(file.file_name())).unwrap();
    }
    let name = Some("b".to_owned());
    let request = CommitSkillRequest { draft, name, ..Default::default() };
    let committed = shown(&daemon.commit(request).await.unwrap_err());
    let request = CheckSkillsRequest { name: Some("a".to_owned()), ..Default::default() };
    let checked = daemon.skills().await.check_skills(request).await.unwrap().into_inner();
    let health = &checked.skills[0];
    let is_missing = run.starts_with("RUNTIME_MISSING ");
    assert_eq!(health.state, if is_missing { "unchecked" } else { "broken" }, "{health:?}");
    vec![run, tested, committed, format!("checked: {}", health.reasons.join("; "))]
}

const A_TEST: &str = "import { test } from 'node:test';\ntest('a', () => {});";

#[tokio::test]
async fn what_node_cannot_strip_fails_before_the_start() {
    let daemon = Daemon::start().await;
    let traced = "import fs from 'node:fs';\nconsole.error('it ran');\n";
    for (code, place, word) in [
        ("enum A { B }", "`b.ts`, line 3", "`enum`"),
        ("namespace A { export const b = 1 }", "`b.ts`, line 3", "`namespace`"),
        ("class A { constructor(private b: 1) {} }", "`b.ts`, line 3", "a parameter property"),
        ("import a = require('a');", "`b.ts`, line 3", "`import … =`"),
        ("let a = ;", "`b.ts`, line 3", "Expression expected"),
        ("let a; let a;", "`b.ts`, line 3", "already been declared"),
        ("import { c } from './c.js';", "`b.ts`, line 3", "`./c.js`, which is not there"),
        ("import { d } from './c.ts';", "`b.ts`, line 3", "does not provide an export"),
    ] {
        let draft = skill(&daemon.home(), "a", "")
            .file("script.ts", &format!("{traced}import './b.ts';"))
            .file("b.ts", &format!("{traced}{code}"))
            .file("c.ts", "export const c = 1;")
            .file("script.test.ts", A_TEST);
        for output in refusals(&daemon, draft.folder()).await {
            assert!(
                output.starts_with("SKILL_INVALID ") || output.starts_with("checked: "),
                "{output}"
            );
            assert!(output.contains(place) && output.contains(word), "{output}");
        }
    }
    let outcome = daemon.run("a").await;
    assert_eq!(outcome.error.unwrap().metadata["line"], "3");
    assert_eq!(outcome.stderr, "", "nothing of it was run");
}

#[tokio::test]
async fn a_check_runs_nothing_of_the_skill() {
    let daemon = Daemon::start_free().await;
    let trace = daemon.home().join("trace");
    let code = |text: &str| {
        format!("import fs from 'node:fs';\nfs.appendFileSync({trace:?}, 'x');\n{text}")
    };
    skill(&daemon.home(), "a", "")
        .file("script.ts", &code("import { b } from './b.ts';\nconsole.log(b);"))
        .file("b.ts", &code("export const b: number = await 1;"));
    let outcome = daemon.run_with(daemon.request("a"), None).await;
    assert_eq!(outcome.output, Some(json!(1)), "{outcome:?}");
    assert_eq!(fs::read_to_string(&trace).unwrap(), "xx", "each module once, by the run");
    skill(&daemon.home(), "a", "").file("script.ts", &code("import './b.ts'; import './c.ts';"));
    let error = daemon.run_with(daemon.request("a"), None).await.error.unwrap();
    assert_eq!((error.reason.as_str(), error.metadata["line"].as_str()), ("SKILL_INVALID", "3"));
    assert_eq!(fs::read_to_string(&trace).unwrap(), "xx");
}

#[tokio::test]
async fn what_to_write_instead_is_the_hint() {
    let daemon = Daemon::start().await;
    for (code, hint) in [
        ("enum A { B }", "Write a `const` object with `as const` in `script.ts`, line 1"),
        ("import { b } from './b.js';", "Import `./b.ts` in `script.ts`, line 1"),
    ] {
        skill(&daemon.home(), "a", "").file("script.ts", code).file("b.ts", "export const b = 1;");
        assert_eq!(daemon.run("a").await.error.unwrap().metadata["hint"], hint);
    }
}

#[tokio::test]
async fn a_node_that_is_too_old_is_named_with_what_is_needed() {
    let folder = tempfile::tempdir().unwrap();
    symlink("/bin/sh", folder.path().join("sh")).unwrap();
    let node = folder.path().join("node");
    fs::write(&node, "#!/bin/sh\nprintf '/bin/sh\\n20.20.2\\n'\n").unwrap();
    fs::set_permissions(&node, fs::Permissions::from_mode(0o755)).unwrap();
    let daemon = Daemon::start_with(&[
        ("BROWSE_NO_BROWSER", "1"),
        ("PATH", &folder.path().display().to_string()),
    ])
    .await;
    let draft =
        skill(&daemon.home(), "a", "").file("script.ts", "1").file("script.test.ts", A_TEST);
    for output in refusals(&daemon, draft.folder()).await {
        assert!(
            output.starts_with("RUNTIME_MISSING ") || output.starts_with("checked: "),
            "{output}"
        );
        for word in ["node 20.20", "too old", "node 22.18 or later"] {
            assert!(output.contains(word), "{output}");
        }
    }
    let hint = &daemon.run("a").await.error.unwrap().metadata["hint"];
    assert_eq!(hint, "Install node 22.18 or later, deno 2 or later, or bun 1.2 or later");
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
    assert!(outcome.stderr.contains("script.ts:3:"), "{}", outcome.stderr);
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
        ("a", "script.ts", "node 22.18 or later, deno 2 or later, or bun 1.2 or later"),
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
    let reported = one.stderr + &two.stderr;
    assert_eq!(reported.matches("Compiling a ").count(), 1, "{reported}");
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
