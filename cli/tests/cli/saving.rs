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
    let temp = path.parent().and_then(std::path::Path::parent);
    assert_eq!(temp, fake.project().parent());
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
    for (path, why) in
        [("none/page.png", "cannot be written"), ("/proc/page.png", "is not written")]
    {
        let output = fake.run(&["screenshot", path]);
        assert_eq!(output.code, 2, "{output:?}");
        assert!(output.stderr.starts_with(&format!("error: `{path}` {why}: ")), "{output:?}");
    }
}

/// `hi`, as FilePart messages.
fn hi(name: &str, sha256: &str) -> [Value; 3] {
    [
        json!({"head": {"url": "http://a.b/x", "name": name, "mime": "text/plain", "size": 2}}),
        json!({"data": "aGk="}),
        json!({"tail": {"bytes": 2, "sha256": sha256}}),
    ]
}

const HI: &str = "8f434346648f6b96df89dda901c5176b10a6d83961dd3c1ac88b59b2dc327aa4";

fn listed(fake: &Fake, folder: &str) -> Vec<String> {
    let entries = fs::read_dir(fake.project().join(folder)).expect("a folder").flatten();
    let mut names: Vec<_> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names.retain(|name| name != ".browse");
    names
}

#[test]
fn several_files_are_named_after_their_prefix() {
    let picture = |name: &str| json!({"name": name, "image": "iVBORw==", "width": 1, "height": 1, "note": ""});
    let answer = json!({"pictures": [picture("a.png"), picture("../b.png")]});
    let fake = Fake::new(&[("responsive", Answer::of([answer]))]);
    let output = fake.run(&["responsive", "home"]);
    assert_eq!((output.stdout.as_str(), output.code), ("home-a.png\nhome-b.png\n", 0));
    assert_eq!(fs::read(fake.project().join("home-b.png")).expect("a file"), b"\x89PNG");
}

#[test]
fn a_name_that_the_page_chose_stays_in_its_folder_and_replaces_nothing() {
    let fake = Fake::new(&[("download", Answer::of(hi("../../a\u{1b}[31m.sh", HI)))]);
    for expected in ["./a[31m.sh\n", "./a[31m-2.sh\n"] {
        let output = fake.run(&["download", "http://a.b/x", "."]);
        assert_eq!((output.stdout.as_str(), output.code), (expected, 0), "{output:?}");
    }
    assert_eq!(listed(&fake, "."), ["a[31m-2.sh", "a[31m.sh"]);
    let output = fake.run(&["download", "http://a.b/x", "--base64"]);
    assert_eq!(output.stdout, "data:text/plain;base64,aGk=\n");
}

#[test]
fn a_file_that_is_not_what_was_sent_leaves_nothing() {
    let short = hi("a.txt", HI)[..2].to_vec();
    for messages in [hi("a.txt", "00").to_vec(), short] {
        let fake = Fake::new(&[("download", Answer::of(messages))]);
        let output = fake.run(&["download", "http://a.b/x", "a.txt"]);
        assert_eq!(output.code, 5, "{output:?}");
        assert_eq!(listed(&fake, "."), [""; 0]);
    }
}

#[test]
fn a_second_run_names_what_is_there() {
    let mut messages = vec![json!({"files": 2})];
    messages.extend(hi("manifest.json", HI));
    let failed = json!({"url": "http://a.b/y", "reason": "DOWNLOAD_FAILED", "message": "`y`: no"});
    messages.push(json!({"file": 1, "tail": failed}));
    let fake = Fake::new(&[("scrape", Answer::of(messages))]);
    let output = fake.run(&["scrape", "images", "--dir", "out"]);
    assert_eq!(output.stdout, "out/manifest.json: 1 saved, 1 failed\n`y`: no\n");
    assert_eq!(output.code, 1);
    assert_eq!(listed(&fake, "out"), ["_manifest.json", "manifest.json"]);
    assert_eq!(fake.last().request["known"], json!([]));
    fake.run(&["scrape", "images", "--dir", "out"]);
    assert_eq!(fake.last().request["known"], json!(["http://a.b/x"]));
    fs::write(fake.project().join("out/_manifest-2.json"), "ho").expect("a file");
    fake.run(&["scrape", "images", "--dir=out"]);
    assert_eq!(fake.last().request["known"], json!([]));
}

#[test]
fn flags_that_a_command_has_not_are_refused() {
    for line in ["pdf --base64", "archive --base64", "scrape images out", "scrape images --base64"]
    {
        assert!(parse(line).is_err(), "{line}");
    }
    assert!(parse("scrape images --dir a --dir b").is_err());
    assert!(parse("pdf --format a4 --width 3cm").is_err());
    assert!(parse("pdf --from-file p.json --outline").is_err());
    assert!(parse("pdf --margins 1cm --margin-left 2cm").is_err());
    assert!(parse("pdf --page-numbers --footer-template x").is_err());
}
