//! Where the key of states comes from.

use std::{fs, path::Path, time::Duration};

use super::*;
use crate::testing;

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(10)
}

/// A keychain that keeps its item in `kept`, and works while `works` exists.
fn keychain(folder: &Path) -> Keychain {
    let path = folder.join("secret-tool");
    let script = format!(
        "#!/bin/sh\n[ -e {0}/works ] || {{ echo 'no keychain' >&2; exit 1; }}\n\
         case $1 in store) cat > {0}/kept;; *) cat {0}/kept 2>/dev/null || exit 1;; esac\n",
        folder.display()
    );
    testing::write_program(&path, &script);
    Keychain::with_program(path)
}

fn store(folder: &Path) -> StateStore {
    StateStore::open(folder.join("state")).expect("a folder")
}

async fn place(
    store: &StateStore,
    keychain: Option<&Keychain>,
) -> Result<(KeyLocation, [u8; 8]), Reason> {
    let key = Keyring { store, keychain }.for_saving(soon()).await;
    key.map(|key| (key.location, key.id())).map_err(|error| error.reason())
}

#[tokio::test]
async fn a_keychain_that_works_keeps_the_key() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = store(folder.path());
    fs::write(folder.path().join("works"), "").expect("a file");
    let first = place(&store, Some(&keychain(folder.path()))).await.expect("a key");
    let again = place(&store, Some(&keychain(folder.path()))).await.expect("a key");
    assert_eq!((first.0, first), (KeyLocation::Keychain, again));
    assert!(!store.key_file().exists());
}

#[tokio::test]
async fn without_a_keychain_the_key_is_in_a_private_file_and_stays_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = store(folder.path());
    let keychain = keychain(folder.path());
    let first = place(&store, Some(&keychain)).await.expect("a key");
    assert_eq!(first.0, KeyLocation::File);
    let mode = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    assert_eq!((mode(&store.key_file()), mode(store.folder())), (0o600, 0o700));
    fs::write(folder.path().join("works"), "").expect("a file");
    fs::set_permissions(store.key_file(), fs::Permissions::from_mode(0o644)).expect("a mode");
    assert_eq!(place(&store, Some(&keychain)).await, Ok(first));
    assert_eq!(mode(&store.key_file()), 0o600);
    fs::write(store.key_file(), "short").expect("a file");
    assert_eq!(place(&store, None).await, Err(Reason::StateForeign));
}

#[tokio::test]
async fn a_locked_keychain_makes_no_second_key() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = store(folder.path());
    fs::write(folder.path().join("works"), "").expect("a file");
    let keyring = keychain(folder.path());
    let key = Keyring { store: &store, keychain: Some(&keyring) };
    let key = key.for_saving(soon()).await.expect("a key");
    let name = "work".parse().expect("a name");
    store.write(&name, &seal::seal(&key, b"{}")).await.expect("it is written");
    fs::remove_file(folder.path().join("works")).expect("it was there");
    // A daemon that has not asked yet.
    let locked = keychain(folder.path());
    assert_eq!(place(&store, Some(&locked)).await, Err(Reason::KeychainUnavailable));
    let loading = Keyring { store: &store, keychain: Some(&locked) };
    let loading = loading.for_loading(KeyLocation::Keychain, soon()).await.map(drop);
    assert_eq!(loading.map_err(|error| error.reason()), Err(Reason::KeychainUnavailable));
    assert!(!store.key_file().exists());
}

#[tokio::test]
async fn two_daemons_that_begin_together_make_one_key() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = store(folder.path());
    let keys = futures::future::join_all((0..8).map(|_| place(&store, None))).await;
    assert!(keys.iter().all(|key| *key == keys[0] && key.is_ok()), "{keys:?}");
}

#[tokio::test]
async fn a_kept_session_counts_as_a_state_of_its_key() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = store(folder.path());
    fs::write(folder.path().join("works"), "").expect("a file");
    let keyring = keychain(folder.path());
    let key = Keyring { store: &store, keychain: Some(&keyring) };
    let key = key.for_saving(soon()).await.expect("a key");
    let name = "work".parse().expect("a name");
    let sessions = store.sessions().expect("a folder");
    sessions.write(&name, &seal::seal(&key, b"{}")).await.expect("it is written");
    assert!(store.list().await.expect("a list").is_empty(), "it is not a state");
    assert!(sessions.saved_at(&name).is_some() && store.saved_at(&name).is_none());
    fs::remove_file(folder.path().join("works")).expect("it was there");
    let locked = keychain(folder.path());
    assert_eq!(place(&store, Some(&locked)).await, Err(Reason::KeychainUnavailable));
}

#[test]
fn a_mounted_key_is_hex_or_base64() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("key");
    let read = |text: &str| {
        fs::write(&path, text).expect("a file");
        StateKey::mounted(&path)
    };
    let hex = read(&format!("{}\n", "0f".repeat(32))).expect("a key");
    let base64 = read("Dw8PDw8PDw8PDw8PDw8PDw8PDw8PDw8PDw8PDw8PDw8=\n").expect("a key");
    assert_eq!((*hex.bytes, base64.location), (*base64.bytes, KeyLocation::Mounted));
    for text in ["", "secret-text", &"0f".repeat(31), "Dw8PDw8P"] {
        let error = read(text).map(drop).expect_err("it is not a key");
        assert_eq!(error.reason(), Reason::SettingInvalid);
        assert!(!error.to_string().contains("secret-text"), "{error}");
    }
    let (work, mail) = (hex.derive(b"acme/work"), hex.derive(b"acme/mail"));
    assert!(work.id() != mail.id() && work.id() != hex.id());
    assert_eq!(work.id(), base64.derive(b"acme/work").id());
}
