//! Databases as browsers write them, of several versions.

use super::*;

/// A database of `version` with these rows: host, name, expiry in
/// microseconds, sameSite.
fn database(folder: &Path, version: i64, rows: &[(&str, &str, i64, i64)]) -> PathBuf {
    let path = folder.join("Cookies");
    let connection = Connection::open(&path).expect("a database");
    let partition = if version >= 24 { ", has_cross_site_ancestor INTEGER" } else { "" };
    let schema = format!(
        "CREATE TABLE meta(key LONGVARCHAR NOT NULL UNIQUE PRIMARY KEY, value LONGVARCHAR);
         CREATE TABLE cookies(creation_utc INTEGER NOT NULL, host_key TEXT NOT NULL,
         top_frame_site_key TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL,
         encrypted_value BLOB NOT NULL, path TEXT NOT NULL, expires_utc INTEGER NOT NULL,
         is_secure INTEGER NOT NULL, is_httponly INTEGER NOT NULL, samesite INTEGER NOT NULL
         {partition});"
    );
    connection.execute_batch(&schema).expect("a schema");
    connection
        .execute("INSERT INTO meta VALUES ('version', ?)", [version.to_string()])
        .expect("a version");
    for (host, name, expires, same_site) in rows {
        let columns = "creation_utc, host_key, top_frame_site_key, name, value, \
            encrypted_value, path, expires_utc, is_secure, is_httponly, samesite";
        let insert = format!(
            "INSERT INTO cookies ({columns}) VALUES (1, ?, '', ?, '', x'763130aa', '/', ?, 1, 0, ?)"
        );
        connection.execute(&insert, (host, name, expires, same_site)).expect("a row");
    }
    path
}

#[test]
fn cookies_are_read_as_they_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let rows = [
        (".a.test", "domain", 13_644_473_600_000_000, 0),
        ("b.test", "host", 0, -1),
        ("c.test", "lax", 1, 1),
        ("d.test", "strict", 0, 2),
    ];
    for version in [18, 24] {
        let path = database(folder.path(), version, &rows);
        let read = CookieDatabase::read(&path).expect("it is read");
        assert_eq!((read.version, read.rows.len()), (version, 4));
        let cookie = |index: usize| &read.rows[index].cookie;
        assert_eq!(cookie(0).expires, Some(2_000_000_000.0));
        assert_eq!(cookie(0).same_site, Some(SameSite::None));
        assert!(!cookie(0).is_host_only() && cookie(1).is_host_only());
        assert_eq!((cookie(1).expires, cookie(1).same_site), (None, None));
        assert_eq!((cookie(2).expires, cookie(2).same_site), (Some(1.0), Some(SameSite::Lax)));
        assert_eq!(cookie(3).same_site, Some(SameSite::Strict));
        assert_eq!(read.rows[0].encrypted_value, b"v10\xaa");
        fs::remove_file(path).expect("it was there");
    }
}

#[test]
fn a_database_that_its_browser_holds_is_read_with_what_it_has_not_merged() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = database(folder.path(), 24, &[(".a.test", "one", 0, -1)]);
    let owner = Connection::open(&path).expect("it opens");
    owner.pragma_update(None, "journal_mode", "wal").expect("it has a log");
    owner.pragma_update(None, "locking_mode", "exclusive").expect("it is locked");
    owner
        .execute_batch("BEGIN EXCLUSIVE; UPDATE cookies SET name = 'two'; COMMIT; BEGIN EXCLUSIVE")
        .expect("it is written");
    let before = fs::read(&path).expect("it is there");
    let read = CookieDatabase::read(&path).expect("it is read");
    assert_eq!(read.rows[0].cookie.name, "two");
    assert_eq!(fs::read(&path).expect("it is there"), before);
}

#[test]
fn what_is_no_database_is_said_to_be_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("Cookies");
    for bytes in [b"".as_slice(), b"SQLite format 3\0 but not really", &[7; 5000]] {
        fs::write(&path, bytes).expect("a file");
        let error = CookieDatabase::read(&path).map(drop).expect_err("it is none");
        assert_eq!(error.reason(), Reason::CookiesUnreadable);
    }
    assert!(CookieDatabase::read(&folder.path().join("none")).is_err());
}
