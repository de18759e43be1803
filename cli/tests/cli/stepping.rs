//! `chain` and `batch`.

use serde_json::{Value, json};

use crate::fake::{Answer, Fake};

const STEPS: &str = "[\"goto\", \"http://a/\"]\n{\"tab\": 2, \"command\": [\"text\"]}\n[\"screenshot\", \"a.png\"]\n[\"click\", \"@e1\"]\n";

fn results() -> Value {
    let error = json!({"reason": "SCOPE_DENIED", "message": "no", "hint": "ask", "metadata": {"required": "write"}});
    let response = |name: &str, fields: Value| {
        let mut fields = fields;
        fields["@type"] = json!(format!("browse.v1.{name}Response"));
        fields
    };
    json!({"results": [
        {"command": "goto", "tab": 1, "response": response("Goto", json!({"status": 200, "url": "http://a/"}))},
        {"command": "text", "tab": 2, "response": response("Text", json!({"text": "one\ntwo"}))},
        {"command": "screenshot", "tab": 1, "response": response("Screenshot", json!({"image": "iVBORw==", "mime": "image/png"}))},
        {"command": "click", "tab": 1, "error": error},
    ]})
}

#[test]
fn each_step_is_printed_as_its_command_would_be() {
    let fake = Fake::new(&[
        ("chain", Answer::of([results()]).with("browse-untrusted", "7f a.example")),
        ("batch", Answer::of([results()])),
    ]);
    let chain = fake.feed(&["chain"], STEPS);
    let request = fake.last().request;
    assert_eq!(request["steps"][1]["tab"], 2);
    assert_eq!(
        request["steps"][3]["request"],
        json!({"@type": "browse.v1.ClickRequest", "target": "@e1", "button": "", "no_wait": false})
    );
    assert!(fake.project().join("a.png").exists());
    let batch = fake.feed(&["batch"], STEPS);
    assert_eq!((chain.code, batch.code), (3, 1), "the step's exit code, and 1 for a batch");
    let json = fake.feed(&["chain", "--json"], STEPS);
    insta::assert_snapshot!(format!(
        "{}{}{}{}{}",
        chain.stdout, chain.stderr, batch.stdout, batch.stderr, json.stdout
    ));
}

#[test]
fn the_time_of_the_steps_adds_up() {
    let fake = Fake::new(&[("chain", Answer::of([json!({"results": []})]))]);
    fake.feed(&["chain"], "[\"wait\", 1]\n[\"url\"]\n");
    let timeout = fake.last().metadata.get("grpc-timeout").cloned().expect("a timeout");
    let timeout = timeout.to_str().expect("ASCII").to_owned();
    assert!(timeout.starts_with("45"), "15 s and 30 s: {timeout}");
}

#[test]
fn input_that_is_no_step_is_refused_before_any_call() {
    let fake = Fake::new(&[("chain", Answer::of([json!({"results": []})]))]);
    for (input, reason) in [
        ("", "BATCH_INVALID"),
        ("{", "JSON_INVALID"),
        ("[\"clik\"]", "COMMAND_UNKNOWN"),
        ("[\"load-html\", \"-\"]", "BATCH_INVALID"),
        ("[\"eval\", \"/etc/hostname\"]", "FILE_DENIED"),
    ] {
        let output = fake.feed(&["chain", "--json"], input);
        assert!(output.stdout.contains(reason), "{input}: {output:?}");
    }
    assert!(fake.seen().is_empty());
}

#[test]
fn input_above_the_limit_is_refused() {
    let fake = Fake::new(&[("chain", Answer::of([json!({"results": []})]))]);
    let output =
        fake.feed(&["chain", "--json"], &format!("[\"type\", \"{}\"]", "a".repeat(110 << 20)));
    assert!(output.stdout.contains("TOO_LARGE"), "{output:?}");
    assert_eq!(output.code, 2);
    assert!(fake.seen().is_empty());
}
