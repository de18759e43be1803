//! Tests of the file of API keys.

use browse_base::hex;
use browse_proto::Reason;

use super::*;

fn entry(key: &str, more: &str) -> String {
    let hash = hex(&Sha256::digest(key));
    format!("[[key]]\nsha256 = '{hash}'\ntenant = 'acme'\nsubject = 'ci'\n{more}\n")
}

fn refused(text: &str) -> String {
    parse(text.as_bytes()).map(drop).expect_err(text)
}

#[test]
fn a_key_is_found_by_its_hash() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("keys.toml");
    let text = entry("one", "scopes = ['write', 'read']")
        + &entry("two", "scopes = []\nsession = 'nightly'");
    std::fs::write(&path, text).expect("written");
    let keys = ApiKeys::open(&path, Duration::ZERO).expect("it is whole");
    let quotas = QuotaRules::default();
    let one = keys.caller("one", &quotas).expect("a key");
    assert_eq!((one.tenant.as_str(), one.subject.as_str()), ("acme", "ci"));
    assert_eq!(one.scopes, ["read", "write"]);
    assert_eq!((one.session, one.expires_at), (SessionScope::Any, None));
    let two = keys.caller("two", &quotas).expect("a key");
    assert_eq!(two.session, SessionScope::Only("nightly".to_owned()));
    for wrong in ["", "On", "one ", "three", &hex(&Sha256::digest("one"))] {
        assert_eq!(keys.caller(wrong, &quotas), None, "{wrong}");
    }
}

#[test]
fn an_entry_that_is_wrong_is_named() {
    let scopes = "scopes = ['read']";
    for (text, part) in [
        ("[[key]]\nsha256 = 'ab'".to_owned(), "tenant"),
        (entry("a", ""), "scopes"),
        (entry("a", "scopes = ['root']"), "number 1: `root` is not a scope"),
        (entry("a", "scopes = ['read']\nsession = 'a/b'"), "not a name for a session"),
        (entry("a", "scopes = ['read']\nkey = 'a'"), "unknown field `key`"),
        (entry("a", scopes).replace("'acme'", "'a/b'"), "does not name a tenant"),
        (entry("a", scopes).replace("'ci'", "'a b'"), "`a b` is not a subject"),
        (entry("a", scopes) + &entry("a", scopes), "number 2: an earlier one"),
        (entry("a", scopes).replace("sha256 = '", "sha256 = '+"), "64 hexadecimal digits"),
        ("keys = 3".to_owned(), "unknown field"),
    ] {
        let why = refused(&text);
        assert!(why.contains(part), "{text}: {why}");
    }
    assert!(parse(b"").is_ok_and(|keys| keys.is_empty()));
    assert!(parse(b"\xff").is_err());
}

#[test]
fn a_file_that_is_missing_is_an_invalid_setting() {
    let path = Path::new("/nonexistent/keys.toml");
    let error = ApiKeys::open(path, Duration::ZERO).map(drop).expect_err("no file");
    assert_eq!(error.reason(), Reason::SettingInvalid);
    assert!(error.to_string().contains("`api_keys`"), "{error}");
}

#[test]
fn a_comparison_looks_at_every_byte() {
    let hash: KeyHash = Sha256::digest("a").into();
    assert!(is_equal(&hash, &hash));
    for index in 0..32 {
        let mut other = hash;
        other[index] ^= 1;
        assert!(!is_equal(&hash, &other), "{index}");
    }
}
