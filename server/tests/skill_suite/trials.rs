//! The tests of skills, in each language.

use browse_proto::v1::{ScaffoldLanguage, StageSkillRequest};

use crate::{daemon::Daemon, shelf::skill};

#[tokio::test]
async fn a_new_skill_of_each_language_passes_its_tests() {
    let daemon = Daemon::start().await;
    for (language, runtime) in [
        (ScaffoldLanguage::Ts, "node"),
        (ScaffoldLanguage::Py, "python"),
        (ScaffoldLanguage::Run, "executable"),
        (ScaffoldLanguage::Rust, "rust"),
    ] {
        let request = StageSkillRequest {
            lang: language.into(),
            name: Some("a".to_owned()),
            host: Some("*.shop.example:8080".to_owned()),
            ..Default::default()
        };
        let staged = daemon.skills().await.stage_skill(request).await.unwrap().into_inner();
        let (output, outcome) = daemon.test(&staged.draft).await;
        let report = outcome.unwrap_or_else(|failure| panic!("{failure:?}: {output}"));
        let found = ["bun", "deno"].iter().any(|other| report.runtime.starts_with(other));
        assert!(report.runtime.starts_with(runtime) || found, "{}", report.runtime);
        assert_eq!(report.name, "a");
    }
}

#[tokio::test]
async fn a_test_that_fails_says_why() {
    let daemon = Daemon::start().await;
    skill(&daemon.home(), "ts", "").file("script.ts", "").file(
        "script.test.ts",
        "import { test } from 'node:test';\ntest('a', () => { throw new Error('the reason'); });",
    );
    skill(&daemon.home(), "py", "").file("script.py", "").file(
        "tests/test_a.py",
        "import unittest\nclass A(unittest.TestCase):\n  def test_a(self): raise ValueError('the reason')\n",
    );
    skill(&daemon.home(), "sh", "").shell("true").file("tests/a", "").tested(3);
    for (name, word) in [("ts", "the reason"), ("py", "the reason"), ("sh", "tested")] {
        let (output, outcome) = daemon.test(name).await;
        assert_eq!(outcome.unwrap_err().reason, "SKILL_TESTS_FAILED", "{output}");
        assert!(output.contains(word), "{output}");
    }
}

#[tokio::test]
async fn nothing_to_run_is_no_success() {
    let daemon = Daemon::start().await;
    skill(&daemon.home(), "a", "").file("script.py", "").file("test_a.py", "x = 1\n");
    let only_skipped = "import { test } from 'node:test';\ntest.skip('a', () => {});";
    skill(&daemon.home(), "e", "").file("script.ts", "").file("script.test.ts", "");
    skill(&daemon.home(), "s", "").file("script.ts", "").file("script.test.ts", only_skipped);
    for name in ["a", "e", "s"] {
        let (output, outcome) = daemon.test(name).await;
        assert_eq!(outcome.unwrap_err().reason, "SKILL_TESTS_FAILED", "{name}");
        assert!(output.contains("no test ran"), "{name}: {output}");
    }
    for (name, file) in [("b", "script.ts"), ("c", "script.py"), ("d", "run")] {
        skill(&daemon.home(), name, "").file(file, "");
        assert_eq!(daemon.test(name).await.1.unwrap_err().reason, "SKILL_UNTESTED", "{file}");
    }
}

#[tokio::test]
async fn tests_see_neither_the_daemon_nor_its_environment() {
    let daemon = Daemon::start().await;
    skill(&daemon.home(), "a", "")
        .shell("true")
        .tested(0)
        .file("tests/run", "#!/bin/sh\nenv | grep -E 'BROWSE|SECRET' >&2 && exit 1\nexit 0\n");
    let (output, outcome) = daemon.test("a").await;
    assert!(outcome.is_ok(), "{outcome:?} {output}");
}

#[tokio::test]
async fn the_sdk_is_compared_byte_by_byte() {
    let daemon = Daemon::start().await;
    let test = "import { test } from 'node:test';\ntest('a', () => {});";
    let made = skill(&daemon.home(), "a", "").typescript("").file("script.test.ts", test);
    assert!(daemon.test("a").await.1.is_ok());
    let lib = made.folder().join("_lib/browse.ts");
    let text = std::fs::read_to_string(&lib).unwrap();
    std::fs::write(&lib, text.replacen('a', "b", 1)).unwrap();
    let failure = daemon.test("a").await.1.unwrap_err();
    assert_eq!(
        (failure.reason.as_str(), &failure.metadata["file"]),
        ("SDK_MISMATCH", &lib.display().to_string())
    );
}

#[tokio::test]
async fn the_bundled_skills_pass() {
    let daemon = Daemon::start().await;
    let (output, outcome) = daemon.test("hackernews-frontpage").await;
    assert!(outcome.is_ok(), "{outcome:?} {output}");
}
