//! API keys, both kinds of tokens together, and what the settings say about tenants.

use std::fs;

use browse_base::hex;
use browse_fleet::{SessionScope, TenantQuota};
use browse_proto::Reason;
use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::issuer::{FileIssuer, TestKey, always, claims};
use crate::auth::{AuthSettings, Authenticator};

fn key_file(key: &str, tenant: &str) -> String {
    let hash = hex(&Sha256::digest(key));
    format!("[[key]]\nsha256 = '{hash}'\ntenant = '{tenant}'\nsubject = 'ci'\nscopes = ['read']\n")
}

#[tokio::test]
async fn an_api_key_is_accepted_until_the_file_drops_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("keys.toml");
    fs::write(&path, key_file("first", "acme")).expect("written");
    let settings = AuthSettings { api_keys: Some(path.clone()), ..AuthSettings::default() };
    let authenticator = Authenticator::with_times(&settings, always()).expect("settings");
    let caller = authenticator.authenticate(Some("first")).await.expect("a caller");
    assert_eq!((caller.tenant.as_str(), caller.session), ("acme", SessionScope::Any));
    let new = folder.path().join("new");
    fs::write(&new, key_file("second.one", "other")).expect("written");
    fs::rename(&new, &path).expect("renamed");
    let caller = authenticator.authenticate(Some("second.one")).await.expect("a caller");
    assert_eq!(caller.tenant.as_str(), "other");
    for wrong in ["first", "second", "a.b.c"] {
        let error = authenticator.authenticate(Some(wrong)).await.expect_err(wrong);
        assert_eq!(error.reason(), Reason::TokenInvalid, "{wrong}");
    }
}

#[tokio::test]
async fn a_call_without_a_token_is_told_so() {
    let authenticator = FileIssuer::new(&[&TestKey::es256("a")]).authenticator();
    for token in [None, Some(""), Some("  ")] {
        let error = authenticator.authenticate(token).await.expect_err("no token");
        assert_eq!(error.reason(), Reason::TokenMissing, "{token:?}");
    }
    let error = authenticator.authenticate(Some("key")).await.expect_err("no API keys");
    assert_eq!(error.reason(), Reason::TokenInvalid);
}

#[tokio::test]
async fn quotas_are_of_the_tenant_and_a_token_can_only_lower_them() {
    let key = TestKey::es256("a");
    let issuer = FileIssuer::new(&[&key]);
    let own = TenantQuota { sessions: 50, sessions_per_minute: 500, queue: 7 };
    let mut settings = issuer.settings();
    settings.default_scopes = vec!["read".to_owned()];
    settings.quotas.insert("acme".to_owned(), own);
    settings.default_quota.sessions = 2;
    let authenticator = Authenticator::with_times(&settings, always()).expect("settings");
    let other = TenantQuota { sessions: 2, ..TenantQuota::default() };
    for (changed, expected) in [
        (json!({}), own),
        (json!({"browse_quota": {"sessions": 60}}), own),
        (json!({"browse_quota": {"queue": 3}}), TenantQuota { queue: 3, ..own }),
        (json!({"tenant": "other"}), other),
        (json!({"tenant": "other", "browse_quota": {"sessions": 9}}), other),
    ] {
        let token = key.sign(&claims(changed.clone()));
        let caller = authenticator.authenticate(Some(&token)).await.expect("a caller");
        assert_eq!(caller.quota, expected, "{changed}");
        assert_eq!(caller.scopes, ["read"]);
    }
}

#[test]
fn settings_that_cannot_be_used_are_refused() {
    let missing = AuthSettings { api_keys: Some("/nonexistent".into()), ..AuthSettings::default() };
    let mut no_jwks = FileIssuer::new(&[&TestKey::es256("a")]).settings();
    no_jwks.jwks_file = Some("/nonexistent".into());
    for (settings, setting) in
        [(AuthSettings::default(), "issuer"), (missing, "api_keys"), (no_jwks, "jwks_file")]
    {
        let error = Authenticator::new(settings).expect_err(setting);
        assert_eq!(error.reason(), Reason::SettingInvalid, "{setting}");
        assert!(error.to_string().contains(setting), "{error}");
    }
}
