//! What a wrong call gets, with its exit code.

use crate::fake::Fake;

#[test]
fn wrong_calls_are_told_what_is_wrong_and_what_to_do() {
    let fake = Fake::absent(&[]);
    let lines = [
        "clik @e1",
        "banana",
        "click",
        "fill @e1",
        "session",
        "session lst",
        "network shwo 4",
        "type hello world",
        "snapshot --dpeth 3",
        "snapshot -x",
        "snapshot --depth",
        "snapshot --depth --json",
        "snapshot -d deep",
        "snapshot -d 3 --depth 4",
        "snapshot --interactive=perhaps",
        "is visble @e1",
        "tab one",
        "scroll --by -4",
        "console --clear=1",
        "--tab one url",
        "--timeout soon url",
        "--sesion a url",
        "--session a/b url",
        "--project /nowhere url",
        "--addr nonsense url",
        "--addr 127.0.0.1:1 url",
        "completions",
        "completions fihs",
        "help clik",
        "screenshot page.bmp",
        "screenshot page",
        "screenshot @e3 --viewport",
        "screenshot --viewport --clip 0,0,1,1",
        "screenshot page.png --base64",
        "load-html page.pdf",
        "load-html none.html",
        "eval /etc/hostname",
        "url",
        "status",
        "stop",
    ];
    let root = fake.project().display().to_string();
    let reported = lines.map(|line| {
        let args: Vec<_> = line.split(' ').collect();
        let output = fake.run(&args);
        format!("$ browse {line}\n{}{}[{}]\n", output.stdout, output.stderr, output.code)
    });
    insta::assert_snapshot!(reported.join("\n").replace(&root, "/project"));
}

#[test]
fn with_json_a_failure_is_one_document_on_standard_output() {
    let fake = Fake::absent(&[]);
    let output = fake.run(&["clik", "--json"]);
    assert_eq!((output.code, output.stderr.as_str()), (2, ""));
    insta::assert_snapshot!(output.stdout, @r#"{"error":{"reason":"COMMAND_UNKNOWN","message":"`clik` is not a command","hint":"Did you mean `browse click`?","metadata":{}}}"#);
}
