//! Calls and what is printed of their answers.

use std::process::Stdio;

use browse_proto::metadata::{NOTICE, UNTRUSTED, WARNINGS};
use serde_json::{Value, json};
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt as _};

use crate::fake::{Answer, Fake};

fn stale() -> Status {
    let metadata = [("tab".to_owned(), "3".to_owned())];
    let details = ErrorDetails::with_error_info("REF_OTHER_TAB", "browse", metadata);
    Status::with_error_details(Code::FailedPrecondition, "`@e1` is of tab 3", details)
}

#[test]
fn a_call_carries_its_context() {
    let fake = Fake::new(&[("click", Answer::of([json!({"receipt": {"summary": "ok"}})]))]);
    let output =
        fake.run(&["click", "@e3", "--tab", "2", "--session", "work", "--timeout", "5s", "--raw"]);
    assert_eq!((output.stdout.as_str(), output.code), ("ok\n", 0), "{output:?}");
    let seen = fake.last();
    assert_eq!(seen.request["target"], "@e3");
    let entry = |name| seen.metadata.get(name).and_then(|value| value.to_str().ok());
    assert_eq!(entry("authorization"), Some("Bearer root-token"));
    assert_eq!(entry("browse-tab"), Some("2"));
    assert_eq!(entry("browse-session"), Some("work"));
    assert_eq!(entry("browse-content"), Some("raw"));
    assert!(entry("grpc-timeout").is_some_and(|timeout| timeout.starts_with('5')), "{seen:?}");
    let directory = std::fs::canonicalize(fake.project()).expect("a folder");
    assert_eq!(entry("browse-cwd"), directory.to_str());
}

#[test]
fn page_text_is_printed_in_an_envelope_unless_raw_is_asked_for() {
    let answer = Answer::of([json!({"text": "hello"})]);
    let fake = Fake::new(&[("text", answer.clone().with(UNTRUSTED, "7f3a news.example"))]);
    let guarded = "--- untrusted 7f3a from news.example ---\nhello\n--- end 7f3a ---\n";
    assert_eq!(fake.run(&["text"]).stdout, guarded);
    assert_eq!(
        fake.run(&["text", "--json"]).stdout,
        "{\"untrusted\":{\"nonce\":\"7f3a\",\"source\":\"news.example\"},\"result\":\"hello\"}\n"
    );
    let raw = Fake::new(&[("text", answer)]);
    assert_eq!(raw.run(&["text", "--raw"]).stdout, "hello\n");
}

#[test]
fn an_empty_list_is_noted_beside_it_and_is_a_list_in_json() {
    let lists = [
        "downloads",
        "inbox",
        "network routes",
        "pair list",
        "session list",
        "skill list",
        "state list",
        "tabs",
        "trace list",
    ];
    for name in lists {
        let fake = Fake::new(&[(name, Answer::of([json!({})]))]);
        let words: Vec<_> = name.split(' ').collect();
        let text = fake.run(&words);
        assert_eq!((text.stdout.as_str(), text.code), ("", 0), "{name}: {text:?}");
        assert!(text.stderr.starts_with("note: no "), "{name}: {text:?}");
        let json = fake.run(&[&words[..], &["--json"]].concat());
        assert_eq!(json.stdout, "{\"result\":[]}\n", "{name}");
        assert_eq!(json.stderr, "", "{name}");
    }
}

#[test]
fn script_values_are_json() {
    let value = |text: &str| Fake::new(&[("js", Answer::of([json!({"value": text})]))]);
    let fake = value("{\"id\":12345678901234567890123}");
    assert_eq!(
        fake.run(&["js", "x", "--json"]).stdout,
        "{\"result\":{\"id\":12345678901234567890123}}\n"
    );
    assert_eq!(value("\"a b\"").run(&["js", "x"]).stdout, "a b\n");
}

#[test]
fn a_failure_has_reason_hint_and_exit_code() {
    let fake = Fake::new(&[("click", Answer::failing(stale()))]);
    let output = fake.run(&["click", "@e1"]);
    assert_eq!((output.code, output.stdout.as_str()), (1, ""));
    assert_eq!(output.stderr, "error: `@e1` is of tab 3\nhint: Add `--tab 3`\n");
    let document: Value =
        serde_json::from_str(&fake.run(&["click", "@e1", "--json"]).stdout).expect("a document");
    assert_eq!(document["error"]["reason"], "REF_OTHER_TAB");
    assert_eq!(document["error"]["metadata"], json!({"tab": "3"}));
}

#[test]
fn notices_and_skills_are_told_on_standard_error() {
    let skill = json!({"id": "hn", "title": "Reads the front page", "kind": "bundled"});
    let response =
        json!({"status": 200, "url": "http://a/", "title": "", "suggested_skills": [skill]});
    let fake = Fake::new(&[("goto", Answer::of([response]).with(NOTICE, "tabs%20were%20lost"))]);
    let output = fake.run(&["goto", "a"]);
    assert_eq!(output.stdout, "200 http://a/\n");
    assert_eq!(
        output.stderr,
        "note: tabs were lost\nnote: `browse skill run hn` fits this host (bundled)\n"
    );
}

#[test]
fn a_stream_is_printed_as_it_comes() {
    let entry = |time: &str| json!({"entry": {"time": time, "client": "root", "command": "url", "outcome": "ok", "duration_ms": 1.25}});
    let fake = Fake::new(&[("activity", Answer::of([entry("t1"), entry("t2")]))]);
    assert_eq!(fake.run(&["activity"]).stdout, "t1 root url ok 1.3ms\nt2 root url ok 1.3ms\n");
    let document: Value =
        serde_json::from_str(&fake.run(&["activity", "--json"]).stdout).expect("one document");
    assert_eq!(document["result"].as_array().map(Vec::len), Some(2));
    let lines = fake.run(&["activity", "--json", "--follow"]).stdout;
    assert_eq!(lines.lines().count(), 2, "{lines}");
    assert!(fake.last().metadata.get("grpc-timeout").is_none());
}

#[test]
fn a_skill_logs_to_standard_error_and_answers_with_json() {
    let messages = [json!({"stderr": "bG9nCg=="}), json!({"output": "[{\"id\":1}]\n"})];
    let fake = Fake::new(&[("skill run", Answer::of(messages.clone()))]);
    let output = fake.run(&["skill", "run", "hn", "--raw"]);
    assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("[{\"id\":1}]\n", "log\n"));
    assert_eq!(
        fake.last().request["environment"]["BROWSE_PROJECT"],
        fake.project().to_str().expect("UTF-8")
    );
    let document = fake.run(&["skill", "run", "hn", "--raw", "--json"]).stdout;
    assert_eq!(document, "{\"result\":[{\"id\":1}]}\n");

    let guarded = Fake::new(&[("skill run", Answer::of(messages).with(UNTRUSTED, "1a a.example"))]);
    let output = guarded.run(&["skill", "run", "hn"]);
    assert_eq!(
        output.stdout,
        "--- untrusted 1a from a.example ---\n[{\"id\":1}]\n--- end 1a ---\n"
    );
    assert_eq!(output.stderr, "--- untrusted 1a from a.example ---\nlog\n--- end 1a ---\n");
}

#[test]
fn the_end_of_a_stream_warns_of_what_it_said() {
    let log = json!({"stderr": "bG9nCg=="});
    let ending = |messages: &[Value]| {
        let answer = Answer::of(messages.to_vec()).with(UNTRUSTED, "1a a.example");
        answer.ending(UNTRUSTED, "2b a.example").ending(WARNINGS, "it%20asks")
    };
    let output = json!({"output": "[1]"});
    let run = Fake::new(&[("skill run", ending(&[log.clone(), output]))]);
    let reported = run.run(&["skill", "run", "hn"]);
    assert_eq!(
        reported.stdout,
        "warning: it asks\n--- untrusted 1a from a.example ---\n[1]\n--- end 1a ---\n"
    );
    assert_eq!(reported.stderr, "--- untrusted 1a from a.example ---\nlog\n--- end 1a ---\n");
    let document = run.run(&["skill", "run", "hn", "--json"]).stdout;
    let document: Value = serde_json::from_str(&document).expect("one document");
    assert_eq!(document["untrusted"]["warnings"], json!(["it asks"]));

    // The result of a test is ours: what is warned of is what its program reported.
    let passed = json!({"report": {"name": "hn", "runtime": "node"}});
    let test = Fake::new(&[("skill test", ending(&[log, passed]))]);
    let reported = test.run(&["skill", "test", "hn"]);
    assert_eq!(reported.stdout, "passed hn\n");
    assert!(reported.stderr.ends_with("--- end 1a ---\nwarning: it asks\n"), "{}", reported.stderr);
}

#[test]
fn a_change_is_printed_after_what_it_is_warned_of() {
    let change = |summary: &str, warnings: Value| json!({"tab": 1, "summary": summary, "warnings": warnings});
    let messages =
        [change("one", json!([])), change("two", json!(["it asks"])), change("three", json!([]))];
    let fake = Fake::new(&[("watch", Answer::of(messages).with(UNTRUSTED, "1a a.example"))]);
    let wrap =
        |text: &str| format!("--- untrusted 1a from a.example ---\n{text}\n--- end 1a ---\n");
    let printed = format!("{}warning: it asks\n{}{}", wrap("one"), wrap("two"), wrap("three"));
    assert_eq!(fake.run(&["watch"]).stdout, printed);
    let lines = fake.run(&["watch", "--json"]).stdout;
    let lines: Vec<Value> =
        lines.lines().map(|line| serde_json::from_str(line).expect("a document")).collect();
    let warned: Vec<_> = lines.iter().map(|line| line["untrusted"]["warnings"].clone()).collect();
    assert_eq!(warned, [Value::Null, json!(["it asks"]), Value::Null]);
}

#[test]
fn a_reader_that_has_had_enough_is_no_error() {
    let text = "line\n".repeat(100_000);
    let fake = Fake::new(&[("text", Answer::of([json!({"text": text})]))]);
    let mut child = fake
        .command(&["text"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("browse is built");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}

#[test]
fn a_full_disk_behind_standard_output_is_an_error() {
    let fake = Fake::new(&[("url", Answer::of([json!({"url": "http://a/"})]))]);
    let full = std::fs::File::options().write(true).open("/dev/full").expect("a device");
    let output = fake.command(&["url"]).stdout(full).output().expect("browse is built");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no space left"), "{output:?}");
}

#[test]
fn a_token_and_an_address_replace_the_state_file() {
    let fake = Fake::absent(&[("url", Answer::of([json!({"url": "http://a/"})]))]);
    let address = format!("127.0.0.1:{}", fake.port);
    let output = fake.run(&["url", "--addr", &address, "--token", "mine"]);
    assert_eq!(output.stdout, "http://a/\n", "{output:?}");
    let token = fake.last().metadata.get("authorization").cloned();
    assert_eq!(token.expect("a token"), "Bearer mine");
    let mut skill = fake.command(&["url"]);
    skill.env("BROWSE_ADDR", &address).env("BROWSE_SKILL_TOKEN", "of a skill");
    assert_eq!(crate::fake::output(skill).code, 0);
    let token = fake.last().metadata.get("authorization").cloned();
    assert_eq!(token.expect("a token"), "Bearer of a skill");
}

#[test]
fn a_stuck_daemon_is_given_up() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    let fake = Fake::absent(&[]);
    let begin = std::time::Instant::now();
    let output = fake.run(&["url", "--addr", &address, "--timeout", "200ms"]);
    assert!(output.stderr.contains("by its deadline"), "{output:?}");
    assert_eq!(output.code, 4, "a daemon that does not even refuse cannot be reached");
    assert!(begin.elapsed().as_secs() < 5);
}
