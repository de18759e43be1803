//! The keychain, through programs that pretend.

use std::{fs, path::Path, time::Duration};

use super::*;
use crate::testing;

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(10)
}

fn program(folder: &Path, script: &str) -> Keychain {
    let path = folder.join("program");
    testing::write_program(&path, &format!("#!/bin/sh\n{script}\n"));
    Keychain::with_program(path)
}

fn item() -> KeychainItem {
    KeychainItem::Attributes(vec![("application".to_owned(), "a b'c".to_owned())])
}

#[tokio::test]
async fn arguments_arrive_as_a_list_and_answers_are_remembered() {
    let folder = tempfile::tempdir().expect("a folder");
    let count = folder.path().join("count");
    let script = format!("echo x >> {}; printf '%s|' \"$@\"", count.display());
    let keychain = program(folder.path(), &script);
    for _ in 0..2 {
        let secret = keychain.find(&item(), soon()).await.expect("an answer");
        assert_eq!(secret.as_slice(), b"lookup|application|a b'c|");
    }
    assert_eq!(fs::read_to_string(count).expect("it ran"), "x\n");
}

#[tokio::test]
async fn secrets_travel_on_standard_input_only() {
    let folder = tempfile::tempdir().expect("a folder");
    let (kept, asked) = (folder.path().join("kept"), folder.path().join("asked"));
    let script = format!(
        "echo \"$@\" >> {1}; case $1 in store) cat > {0};; -i) read -r line; \
         printf %s \"${{line##* }}\" > {0};; *) cat {0};; esac",
        kept.display(),
        asked.display()
    );
    let keychain = program(folder.path(), &script);
    let password = KeychainItem::Password { service: "browse".to_owned(), account: "x".to_owned() };
    for item in [item(), password] {
        let secret = Zeroizing::new(b"0a1b2c".to_vec());
        keychain.store(&item, "a label", &secret, soon()).await.expect("it is kept");
    }
    let asked = fs::read_to_string(asked).expect("it ran");
    assert!(asked.contains("store --label=a label") && !asked.contains("0a1b2c"), "{asked}");
}

#[tokio::test]
async fn faults_say_what_to_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let absent = program(folder.path(), "exit 1").find(&item(), soon()).await;
    assert_eq!(absent.err(), Some(KeychainError::NotFound));
    let locked = program(folder.path(), "echo 'no D-Bus' >&2; exit 1").find(&item(), soon()).await;
    let fault = locked.expect_err("it fails").to_string();
    assert!(fault.contains("no D-Bus"), "{fault}");
    let missing = Keychain::with_program("/nonexistent/program").find(&item(), soon()).await;
    assert!(missing.expect_err("it fails").to_string().contains("not installed"));
    let late = Instant::now() + Duration::from_millis(100);
    let hung = program(folder.path(), "exec sleep 60").find(&item(), late).await;
    let fault = hung.expect_err("it fails").to_string();
    assert!(fault.contains("unlock"), "{fault}");
}
