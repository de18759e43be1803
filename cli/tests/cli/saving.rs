//! Commands whose answer is a file.

use std::fs;

use serde_json::{Value, json};

use crate::{
    fake::{Answer, Fake},
    parser::parse,
};

fn fake() -> Fake {
    let image =
        json!({"image": "iVBORw==", "mime": "image/png", "width": 4, "height": 2, "note": ""});
    Fake::new(&[("screenshot", Answer::of([image]))])
}

#[test]
fn a_word_is_the_path_unless_it_is_a_target() {
    let read = |line| {
        let invocation = parse(line).unwrap_or_else(|failure| panic!("{line}: {failure:?}"));
        let target = invocation.fields.get("target").and_then(Value::as_str).map(str::to_owned);
        (target, invocation.path)
    };
    let pair = |target: &str, path: &str| {
        let some = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        (some(target), some(path))
    };
    assert_eq!(read("screenshot"), pair("", ""));
    assert_eq!(read("screenshot page.png"), pair("", "page.png"));
    assert_eq!(read("screenshot ./page.png"), pair("", "./page.png"));
    assert_eq!(read("screenshot ../page.png"), pair("", "../page.png"));
    assert_eq!(read("screenshot @e3"), pair("@e3", ""));
    assert_eq!(read("screenshot .card"), pair(".card", ""));
    assert_eq!(read("screenshot '#main'"), pair("#main", ""));
    assert_eq!(read("screenshot '[data-x]'"), pair("[data-x]", ""));
    assert_eq!(read("screenshot main page.webp"), pair("main", "page.webp"));
    assert_eq!(read("screenshot @e3 a.JPG"), pair("@e3", "a.JPG"));
    assert_eq!(read("screenshot --selector main page.png"), pair("", "page.png"));
}

#[test]
fn the_file_is_written_and_its_path_printed() {
    let fake = fake();
    let output = fake.run(&["screenshot", "page.png"]);
    assert_eq!((output.stdout.as_str(), output.code), ("page.png\n", 0), "{output:?}");
    assert_eq!(fs::read(fake.project().join("page.png")).expect("a file"), b"\x89PNG");
    assert_eq!(fake.last().request["format"], "png");
    let document: Value =
        serde_json::from_str(&fake.run(&["screenshot", "a.jpg", "--json"]).stdout).expect("JSON");
    let expected =
        json!({"mime": "image/png", "width": 4, "height": 2, "note": "", "path": "a.jpg"});
    assert_eq!(document["result"], expected);
    assert_eq!(fake.last().request["format"], "jpeg");
}

#[test]
fn without_a_path_the_file_is_in_the_temp_directory() {
    let fake = fake();
    let path = fake.run(&["screenshot"]).stdout;
    let path = std::path::Path::new(path.trim_end());
    assert_eq!(path.parent(), fake.project().parent());
    assert_eq!(fs::read(path).expect("a file"), b"\x89PNG");
}

#[test]
fn base64_is_a_data_url() {
    let output = fake().run(&["screenshot", "--base64"]);
    assert_eq!(output.stdout, "data:image/png;base64,iVBORw==\n");
}

#[test]
fn a_place_that_cannot_be_written_is_told() {
    let fake = fake();
    for path in ["none/page.png", "/proc/page.png"] {
        let output = fake.run(&["screenshot", path]);
        assert_eq!(output.code, 2, "{output:?}");
        assert!(output.stderr.starts_with(&format!("error: `{path}` cannot be written: ")));
    }
}
