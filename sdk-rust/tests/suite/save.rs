//! What is downloaded, and where it may lie.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{Fake, Reply};
use browse_sdk::{Browse, Result, Saved, ScrapeKind};

const HI: &str = "8f434346648f6b96df89dda901c5176b10a6d83961dd3c1ac88b59b2dc327aa4";

/// The parts of one file that holds `hi`.
fn parts(file: u8, name: &str, sha256: &str) -> Vec<String> {
    let head = format!(r#"{{"url":"http://x/{file}","name":"{name}","mime":"text/plain"}}"#);
    let tail = format!(r#"{{"bytes":"2","sha256":"{sha256}"}}"#);
    vec![
        format!(r#"{{"file":{file},"head":{head},"data":""}}"#),
        format!(r#"{{"file":{file},"data":"aGk="}}"#),
        format!(r#"{{"file":{file},"data":"","tail":{tail}}}"#),
    ]
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("browse-sdk-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("made");
    folder
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    let mut names: Vec<_> = entries.map(|e| e.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn download(name: &'static str, sha256: &'static str, place: &Path) -> Result<Saved> {
    let fake = Fake::tcp(move |_| Reply::Messages(parts(0, name, sha256)));
    Browse::new(&fake.address, "t").download("http://x", Some(place))
}

#[test]
fn a_name_of_the_page_is_made_harmless_and_replaces_nothing() {
    let place = folder("names");
    for wanted in ["a.txt", "../../a.txt", "/etc/a.txt"] {
        download(wanted, HI, &place).expect("saved");
    }
    download(".bashrc", HI, &place).expect("saved");
    download("--rf\u{202e}", HI, &place).expect("saved");
    download("json.py", HI, &place).expect("saved");
    download("x.desktop", HI, &place).expect("saved");
    assert_eq!(
        names(&place),
        ["_-rf", "_json.py", "_x.desktop.txt", "a-2.txt", "a-3.txt", "a.txt", "bashrc"]
    );
    let saved = download("x", HI, &place.join("a.txt")).expect("the caller named it");
    assert_eq!((saved.bytes, saved.path), (2, place.join("a.txt")));
    fs::remove_dir_all(place).expect("removed");
}

#[test]
fn what_did_not_arrive_as_it_was_sent_is_not_there() {
    let place = folder("torn");
    let error = download("a.txt", "00", &place).expect_err("another hash");
    assert_eq!(error.reason, "BUG");
    assert_eq!(names(&place), [""; 0]);
    fs::remove_dir_all(place).expect("removed");
}

#[test]
fn settings_hooks_and_credentials_are_out_of_reach() {
    let place = folder("guarded");
    for inner in [".git/hooks", ".ssh", ".browse", "plain"] {
        fs::create_dir_all(place.join(inner)).expect("made");
    }
    std::os::unix::fs::symlink(place.join(".ssh"), place.join("link")).expect("linked");
    for path in [".git/hooks/pre-commit", ".ssh/a", "link/a", ".browse/config.toml", "plain/.env"] {
        let error = download("x", HI, &place.join(path)).expect_err(path);
        assert_eq!(error.reason, "FILE_UNWRITABLE", "{path}");
    }
    assert_eq!(names(&place.join(".ssh")), [""; 0]);
    fs::remove_dir_all(place).expect("removed");
}

#[test]
fn a_folder_has_a_manifest_and_a_second_run_says_what_it_has() {
    let place = folder("scrape");
    let both = || [parts(0, "manifest.json", HI), parts(1, "b.txt", HI)].concat();
    let fake = Fake::tcp(move |_| Reply::Messages(both()));
    let browse = Browse::new(&fake.address, "t");
    let first = browse.scrape(ScrapeKind::Images, Some(&place)).expect("saved");
    assert_eq!(first.saved.len(), 2);
    assert_eq!(names(&place), ["_manifest.json", "b.txt", "manifest.json"]);
    fs::write(place.join("b.txt"), "ho").expect("changed");
    browse.scrape(ScrapeKind::Images, Some(&place)).expect("saved");
    let known: Vec<_> = fake.seen().iter().map(|call| call.message.clone()).collect();
    assert_eq!(known[0], r#"{"kind":"images","known":[]}"#);
    assert_eq!(
        known[1], r#"{"kind":"images","known":["http://x/0"]}"#,
        "what changed is not known"
    );
    fs::remove_dir_all(place).expect("removed");
}
