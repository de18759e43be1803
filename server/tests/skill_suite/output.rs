//! What a run gets, and what it may print.

use std::time::Duration;

use browse_proto::v1::RunSkillRequest;
use serde_json::json;

use crate::{daemon::Daemon, shelf::skill};

#[tokio::test]
async fn what_a_program_prints_is_the_output() {
    let daemon = Daemon::start().await;
    skill(&daemon.home(), "a", "").shell("echo one >&2; echo '{\"a\": [1, 2.50]}'; echo two >&2");
    let outcome = daemon.run("a").await;
    assert_eq!(outcome.output, Some(json!({"a": [1, 2.5]})));
    assert_eq!((outcome.stderr.as_str(), outcome.error.is_none()), ("one\ntwo\n", true));
}

#[tokio::test]
async fn arguments_arrive_as_json_and_as_words() {
    let daemon = Daemon::start().await;
    skill(&daemon.home(), "a", "args: [{name: q, required: true}, {name: n, default: 3}]")
        .shell("printf '[%s, \"%s|%s|%s\"]' \"$BROWSE_SKILL_ARGS\" \"$#\" \"$1\" \"$2\"");
    let run = async |arg: &[&str]| {
        let arg = arg.iter().map(|word| (*word).to_owned()).collect();
        daemon
            .run_with(RunSkillRequest { name: "a".to_owned(), arg, ..Default::default() }, None)
            .await
    };
    let outcome = run(&["q=x y"]).await;
    assert_eq!(outcome.output, Some(json!([{"q": "x y", "n": "3"}, "2|--q=x y|--n=3"])));
    for wrong in [&["z=1"][..], &[], &["q"], &["q=1", "q=2"]] {
        let error = run(wrong).await.error.unwrap();
        assert_eq!(
            (error.reason.as_str(), error.metadata["skill"].as_str()),
            ("SKILL_ARGUMENT_INVALID", "a")
        );
    }
}

#[tokio::test]
async fn standard_error_comes_while_the_program_runs() {
    let daemon = Daemon::start_free().await;
    let gate = daemon.project().join("gate");
    skill(&daemon.home(), "a", "").shell(&format!(
        "echo begun >&2; until test -e {}; do sleep 0.02; done; echo null",
        gate.display()
    ));
    let request = daemon.request("a");
    let mut events = daemon.skills().await.run_skill(request).await.unwrap().into_inner();
    // The first says that nothing confines it.
    events.message().await.unwrap().unwrap();
    let first = events.message().await.unwrap().unwrap();
    assert!(format!("{first:?}").contains("Stderr"), "{first:?}");
    std::fs::write(gate, "").unwrap();
    assert!(format!("{:?}", events.message().await.unwrap().unwrap()).contains("null"));
}

#[tokio::test]
async fn output_that_is_no_document_is_refused_with_a_quote() {
    let daemon = Daemon::start().await;
    for (name, script) in
        [("a", "echo hello"), ("b", "echo '{} {}'"), ("c", "true"), ("d", "printf '\\377'")]
    {
        skill(&daemon.home(), name, "").shell(script);
        let error = daemon.run(name).await.error.unwrap();
        assert_eq!(error.reason, "SKILL_OUTPUT_INVALID", "{script}");
    }
    skill(&daemon.home(), "e", "").shell("head -c 5000 /dev/zero | tr '\\0' x");
    let error = daemon.run("e").await.error.unwrap();
    assert_eq!(error.page[0].1.chars().count(), 80);
}

#[tokio::test]
async fn more_than_a_mebibyte_is_cut_and_fails() {
    let daemon = Daemon::start().await;
    skill(&daemon.home(), "a", "").shell("head -c 1048570 /dev/zero | tr '\\0' ' '; echo null");
    assert_eq!(daemon.run("a").await.output, Some(json!(null)));
    skill(&daemon.home(), "b", "").shell("yes");
    let error = daemon.run("b").await.error.unwrap();
    assert_eq!(error.reason, "SKILL_OUTPUT_TOO_LARGE");
    // Also when it hangs afterwards, and says nothing about the time.
    skill(&daemon.home(), "c", "").shell("head -c 2000000 /dev/zero; exec sleep 600");
    let begun = std::time::Instant::now();
    let error = daemon.run("c").await.error.unwrap();
    assert_eq!(error.reason, "SKILL_OUTPUT_TOO_LARGE");
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn standard_error_has_a_bound() {
    let daemon = Daemon::start().await;
    skill(&daemon.home(), "a", "").shell("head -c 3000000 /dev/zero | tr '\\0' x >&2; echo null");
    let outcome = daemon.run("a").await;
    assert_eq!(outcome.output, Some(json!(null)));
    let length = outcome.stderr.len();
    assert!((1 << 20..1_100_000).contains(&length), "{length}");
    assert!(outcome.stderr.contains("standard error is cut here"));
}

#[tokio::test]
async fn an_exit_code_travels() {
    let daemon = Daemon::start().await;
    for (name, script, code) in
        [("a", "echo why >&2; echo null; exit 7", "7"), ("b", "kill -9 $$", "137")]
    {
        skill(&daemon.home(), name, "").shell(script);
        let outcome = daemon.run(name).await;
        let error = outcome.error.unwrap();
        assert_eq!(
            (error.reason.as_str(), error.metadata["exit_code"].as_str()),
            ("SKILL_FAILED", code)
        );
        assert!(outcome.output.is_none());
    }
}

#[tokio::test]
async fn the_callers_time_stands_above_that_of_the_manifest() {
    let daemon = Daemon::start().await;
    skill(&daemon.home(), "a", "timeout: 100ms").shell("sleep 0.4; echo null");
    assert_eq!(daemon.run("a").await.error.unwrap().reason, "SKILL_TIMEOUT");
    let request = RunSkillRequest { name: "a".to_owned(), ..Default::default() };
    let outcome = daemon.run_with(request, Some(Duration::from_secs(20))).await;
    assert_eq!(outcome.output, Some(json!(null)));
}
