//! From the folder of a browser to opened cookies, with real databases.

use std::{collections::BTreeMap, fs, path::Path, time::Duration};

use rusqlite::{Connection, params};

use super::*;
use crate::testing;

const PASSWORD: &str = "a keyring password";

/// A browser's database of `version` under `home`: host, value, prefix of the
/// seal, seconds until it ends.
fn write(
    home: &Path,
    place: &str,
    version: i64,
    platform: Platform,
    rows: &[(&str, &str, &[u8; 3], i64)],
) {
    let path = home.join(place);
    fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
    let connection = Connection::open(path).expect("a database");
    connection
        .execute_batch(
            "CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT);
             CREATE TABLE cookies(host_key TEXT, top_frame_site_key TEXT DEFAULT '', name TEXT,
             value TEXT DEFAULT '', encrypted_value BLOB, path TEXT DEFAULT '/',
             expires_utc INTEGER, is_secure INTEGER DEFAULT 1, is_httponly INTEGER DEFAULT 1,
             samesite INTEGER DEFAULT 1)",
        )
        .expect("a schema");
    connection.execute("INSERT INTO meta VALUES ('version', ?)", [version]).expect("a version");
    let keys = CookieDecryptor::new(platform, Some(PASSWORD.as_bytes()));
    for (index, (host, value, prefix, seconds)) in rows.iter().enumerate() {
        let sealed = keys.encrypt(prefix, value, host, version);
        let ends = (browse_chromium::unix_seconds() as i64 + 11_644_473_600 + seconds) * 1_000_000;
        let insert = "INSERT INTO cookies (host_key, name, encrypted_value, expires_utc) VALUES (?, ?, ?, ?)";
        let name = format!("n{index}");
        connection.execute(insert, params![host, name, sealed, ends]).expect("a row");
    }
    // Somebody changed a byte of this one.
    let broken = "INSERT INTO cookies (host_key, name, encrypted_value, expires_utc) \
        VALUES ('broken.test', 'b', x'76313000112233445566778899aabbccddeeff0011', 0)";
    connection.execute(broken, []).expect("a row");
}

fn keychain(folder: &Path, script: &str) -> Keychain {
    let path = folder.join("keychain");
    testing::write_program(&path, &format!("#!/bin/sh\n{script}\n"));
    Keychain::with_program(path)
}

/// Opens the first profile, and answers its values by domain.
async fn open(
    home: &Path,
    platform: Platform,
    script: &str,
) -> (CookieImport, Option<KeychainError>) {
    let keychain = keychain(home, script);
    let profile = find_profiles(platform, home).remove(0);
    let deadline = Instant::now() + Duration::from_secs(10);
    let unlock = CookieUnlocker { keychain: &keychain, platform, deadline };
    let database = read_profile(&profile).await.expect("it is read");
    unlock.decrypt_cookies(&profile, database, &CookieHostRules::any()).await
}

fn values(intake: &CookieImport) -> BTreeMap<String, String> {
    let pairs = intake.staged().iter().map(|cookie| (cookie.domain.clone(), cookie.value.clone()));
    pairs.collect()
}

#[tokio::test]
async fn linux_browsers_of_both_seals_and_versions() {
    for version in [18, 24] {
        let home = tempfile::tempdir().expect("a folder");
        let rows: &[(&str, &str, &[u8; 3], i64)] = &[
            (".fixed.test", "one", b"v10", 3600),
            ("ring.test", "two", b"v11", 3600),
            ("over.test", "old", b"v11", -3600),
            ("169.254.169.254", "no", b"v10", 3600),
        ];
        let place = ".config/BraveSoftware/Brave-Browser/Default/Cookies";
        write(home.path(), place, version, Platform::Linux, rows);
        let script = format!("[ \"$5\" = brave ] && printf '{PASSWORD}'");
        let (intake, fault) = open(home.path(), Platform::Linux, &script).await;
        assert_eq!(fault, None);
        let expected = [(".fixed.test", "one"), ("ring.test", "two")];
        let expected = expected.map(|(domain, value)| (domain.to_owned(), value.to_owned()));
        assert_eq!(values(&intake), BTreeMap::from(expected), "version {version}");
        let left = |domain: &str| {
            let rows = intake.domains();
            let row = rows.iter().find(|row| row.domain == domain).expect("a row");
            (row.expired, row.refused)
        };
        assert_eq!((left("over.test"), left("broken.test")), ((1, 0), (0, 1)));
        assert_eq!(left("169.254.169.254"), (0, 1));
    }
}

#[tokio::test]
async fn a_mac_asks_for_its_password() {
    let home = tempfile::tempdir().expect("a folder");
    let place = "Library/Application Support/Arc/User Data/Default/Cookies";
    let rows: &[(&str, &str, &[u8; 3], i64)] = &[("a.test", "one", b"v10", 3600)];
    write(home.path(), place, 24, Platform::Mac, rows);
    let script = format!("[ \"$4\" = 'Arc Safe Storage' ] && echo '{PASSWORD}'");
    let (intake, _) = open(home.path(), Platform::Mac, &script).await;
    assert_eq!(values(&intake)["a.test"], "one");
}

#[tokio::test]
async fn without_the_keychain_what_it_sealed_stays_shut() {
    let home = tempfile::tempdir().expect("a folder");
    let rows: &[(&str, &str, &[u8; 3], i64)] =
        &[("fixed.test", "one", b"v10", 3600), ("ring.test", "two", b"v11", 3600)];
    write(home.path(), ".config/chromium/Default/Cookies", 24, Platform::Linux, rows);
    let (intake, fault) = open(home.path(), Platform::Linux, "echo locked >&2; exit 1").await;
    assert!(fault.is_some_and(|fault| fault.to_string().contains("locked")));
    assert_eq!(values(&intake).into_keys().collect::<Vec<_>>(), ["fixed.test"]);
    let (intake, _) = open(home.path(), Platform::Linux, "printf wrong").await;
    assert_eq!(values(&intake).into_keys().collect::<Vec<_>>(), ["fixed.test"]);
}

#[tokio::test]
async fn the_keychain_is_not_asked_for_nothing() {
    let home = tempfile::tempdir().expect("a folder");
    let rows: &[(&str, &str, &[u8; 3], i64)] = &[("fixed.test", "one", b"v10", 3600)];
    write(home.path(), ".config/google-chrome/Default/Cookies", 24, Platform::Linux, rows);
    let (_, fault) = open(home.path(), Platform::Linux, "touch asked; exit 1").await;
    assert_eq!(fault, None);
}
