//! The record of attempts, on real files.

use std::{fs, os::unix::fs::PermissionsExt as _};

use super::*;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("a file").permissions().mode() & 0o777
}

#[tokio::test]
async fn rows_hold_hashes_and_domains_and_nothing_else() {
    let home = tempfile::tempdir().expect("a folder");
    let attempts = SecurityLog::new(home.path());
    assert!(!home.path().join("security").exists(), "nothing is made before it is needed");
    attempts.record(SecuritySurface::Tunnel, "TOKEN_INVALID", b"203.0.113.9", "Example.COM.");
    attempts.record(
        SecuritySurface::Egress,
        "egress.bulk",
        b"203.0.113.9",
        "https://a.b/?token=hunter2",
    );
    attempts.flush().await;
    let (rows, damaged) = attempts.last_rows(10).expect("it is read");
    assert!(damaged.is_empty());
    let [first, second] = rows.as_slice() else { panic!("{rows:?}") };
    assert_eq!((first.surface.as_str(), first.reason.as_str()), ("tunnel", "TOKEN_INVALID"));
    assert_eq!((first.domain.as_str(), second.domain.as_str()), ("example.com", ""));
    assert_eq!(first.source, second.source);
    assert_eq!(first.source.len(), 64);
    let folder = home.path().join("security");
    let text = fs::read_to_string(folder.join("attempts.jsonl")).expect("a file");
    assert!(!text.contains("203.0.113.9") && !text.contains("hunter2"), "{text}");
    assert_eq!(mode(&folder), 0o700);
    assert_eq!(mode(&folder.join("attempts.jsonl")), 0o600);
    assert_eq!(mode(&folder.join("device-salt")), 0o600);
    // Another daemon has the same salt.
    let other = SecurityLog::new(home.path());
    other.record(SecuritySurface::Tunnel, "TOKEN_INVALID", b"203.0.113.9", "");
    other.flush().await;
    let (rows, _) = other.last_rows(1).expect("it is read");
    assert_eq!(rows[0].source, first.source);
}

#[tokio::test]
async fn a_salt_that_cannot_be_used_is_said_and_never_replaced() {
    let home = tempfile::tempdir().expect("a folder");
    let folder = home.path().join("security");
    fs::create_dir(&folder).expect("a folder");
    fs::write(folder.join("device-salt"), "short").expect("a file");
    let attempts = SecurityLog::new(home.path());
    let problem = attempts.write_error().expect("a problem");
    assert!(problem.contains("device-salt") && problem.contains("32 bytes"), "{problem}");
    attempts.record(SecuritySurface::Local, "x", b"y", "");
    attempts.flush().await;
    assert!(attempts.last_rows(1).expect("it is read").0.is_empty());
    assert_eq!(fs::read(folder.join("device-salt")).expect("a file"), b"short");
}

#[test]
fn files_are_rotated_and_torn_lines_passed_over() {
    let folder = tempfile::tempdir().expect("a folder");
    let row = |reason: &str| SecurityLogRow {
        time: "t".to_owned(),
        surface: "local".to_owned(),
        reason: reason.to_owned(),
        source: String::new(),
        domain: String::new(),
        dropped: 0,
    };
    let now = folder.path().join("attempts.jsonl");
    for generation in 0..7 {
        // A file that is full, and ends in the middle of a row.
        fs::write(&now, b"x".repeat(10 << 20)).expect("a file");
        let log = SecurityLogFile::open(folder.path()).expect("it opens");
        log.append(&row(&format!("r{generation}"))).expect("it is written");
    }
    let count = fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(count, 5, "the oldest are gone");
    fs::write(&now, "{\"time\":\"t\",\"sur").expect("a file");
    let log = SecurityLogFile::open(folder.path()).expect("it opens");
    log.append(&row("after")).expect("it is written");
    let (rows, damaged) = file::read_last(folder.path(), 1).expect("it is read");
    assert_eq!(rows, [row("after")]);
    assert!(damaged.is_empty());
    let (_, damaged) = file::read_last(folder.path(), 2).expect("it is read");
    assert_eq!(damaged, [format!("{}:1", now.display())]);
}
