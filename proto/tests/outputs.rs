//! The table of cases for output paths; the SDKs are tested with the same one.

use std::{
    fs::{self, File, OpenOptions},
    io::Write as _,
    os::fd::AsRawFd as _,
    path::{Path, PathBuf},
    time::Instant,
};

use browse_proto::{
    output::{AtomicFile, harmless_page_name},
    output_names::{NAMES, matches_pattern},
    output_place::OutputOptions,
    output_rule::{OutputPlaces, kind_mismatch, replacement_refusal},
    sensitive_paths,
};
use serde_json::Value;

fn table() -> Value {
    serde_json::from_str(include_str!("outputs.json")).expect("the table is JSON")
}

fn places(table: &Value, case: &Value) -> OutputPlaces {
    let of = |key: &str| case.get(key).unwrap_or(&table["places"][key]).clone();
    let path = |key: &str| of(key).as_str().map(PathBuf::from);
    let paths = |key: &str| {
        let entries = of(key).as_array().cloned().unwrap_or_default();
        entries.iter().filter_map(Value::as_str).map(PathBuf::from).collect()
    };
    OutputPlaces {
        working_folders: paths("own"),
        temp: path("temp").expect("it has one"),
        home: path("home"),
        browse_home: path("browse_home"),
        search_path: paths("search"),
        is_confined: false,
    }
}

#[test]
fn a_confined_caller_writes_below_its_own_folders_alone() {
    let table = table();
    let free = places(&table, &Value::Null);
    let confined = OutputPlaces { is_confined: true, ..free.clone() };
    let mut kept_out = 0;
    for path in table["written"].as_array().expect("a list") {
        let path = Path::new(path.as_str().expect("a path"));
        let below =
            free.working_folders.iter().chain([&free.temp]).any(|own| path.starts_with(own));
        assert_eq!(confined.refusal_reason(path).is_none(), below, "{path:?}");
        kept_out += usize::from(!below);
    }
    assert!(kept_out > 0, "the table has paths outside of the folders");
}

#[test]
fn every_path_is_refused_or_written_as_the_table_says() {
    let table = table();
    let here = places(&table, &Value::Null);
    for (key, is_refused) in [("refused", true), ("written", false)] {
        for path in table[key].as_array().expect("a list") {
            let path = path.as_str().expect("a path");
            let refusal = here.refusal_reason(Path::new(path));
            assert_eq!(refusal.is_some(), is_refused, "{path}: {refusal:?}");
        }
    }
    for case in table["other_places"].as_array().expect("a list") {
        let path = case["path"].as_str().expect("a path");
        let refusal = places(&table, case).refusal_reason(Path::new(path));
        assert_eq!(refusal.is_some(), case["refused"] == true, "{case}: {refusal:?}");
    }
}

#[test]
fn contents_are_written_as_the_table_says() {
    for case in table()["contents"].as_array().expect("a list") {
        let bytes = |key: &str| case[key].as_str().map(unhex);
        let (name, new) = (case["name"].as_str().expect("a name"), bytes("new").expect("bytes"));
        let replaced = bytes("old")
            .and_then(|old| replacement_refusal(name, &old, case["executable"] == true, &new));
        let fault = kind_mismatch(name, &new).or(replaced);
        assert_eq!(fault.is_none(), case["written"] == true, "{case}: {fault:?}");
    }
}

#[test]
fn names_that_hold_secrets_are_in_the_table() {
    let keys = ["cookies", "credentials.json", "login data", "_netrc", "token.json", "wallet.dat"];
    for name in keys {
        assert!(
            sensitive_paths::is_private(Path::new(name)) && matches_pattern(NAMES, name),
            "{name}"
        );
    }
}

#[test]
fn a_name_that_a_page_chose_is_neither_obeyed_nor_loaded() {
    for (name, expected) in [
        ("report.csv", "report.csv"),
        ("readme", "readme"),
        ("CLAUDE.md", "_CLAUDE.md"),
        ("opencode.json", "_opencode.json"),
        ("json.py", "_json.py"),
        ("main.tf", "_main.tf"),
        ("X.Desktop", "_X.Desktop.txt"),
    ] {
        assert_eq!(harmless_page_name(name), expected);
    }
}

#[test]
fn a_descriptor_that_was_opened_for_reading_is_not_written_to() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a");
    fs::write(&path, "old").expect("a file");
    let write = |file: &File| {
        let options = OutputOptions {
            output_places: &places(&table(), &Value::Null),
            is_forced: false,
            is_numbered: false,
            mode: 0o666,
            deadline: Instant::now(),
        };
        let descriptor = PathBuf::from(format!("/dev/fd/{}", file.as_raw_fd()));
        let mut draft = AtomicFile::begin(&descriptor, &options).expect("begun");
        draft.write_all(b" new").expect("written");
        draft.finish().is_ok()
    };
    assert!(!write(&File::open(&path).expect("opened")));
    assert_eq!(fs::read_to_string(&path).expect("read"), "old");
    assert!(write(&OpenOptions::new().append(true).open(&path).expect("opened")));
    assert_eq!(fs::read_to_string(&path).expect("read"), "old new");
}

fn unhex(text: &str) -> Vec<u8> {
    let pairs = text.as_bytes().chunks(2);
    let byte = |pair| u8::from_str_radix(std::str::from_utf8(pair).expect("digits"), 16);
    pairs.map(|pair| byte(pair).expect("a byte")).collect()
}
