//! Tests of what claims mean.

use browse_fleet::TenantQuota;
use serde_json::json;

use super::*;

fn rules() -> ClaimRules {
    ClaimRules {
        tenant_claim: "tenant".to_owned(),
        scope_claim: "scope".to_owned(),
        session_claim: "browse_session".to_owned(),
        default_scopes: vec!["meta".to_owned(), "read".to_owned()],
        quotas: QuotaRules::default(),
    }
}

/// The caller of claims that are whole but for `changed`; `null` takes a claim away.
fn caller(changed: Value) -> Result<AuthenticatedCaller, String> {
    let mut claims = json!({"tenant": "acme", "sub": "alice", "exp": 2_000_000_000});
    let claims = claims.as_object_mut().expect("an object");
    for (name, value) in changed.as_object().expect("an object") {
        match value {
            Value::Null => claims.remove(name),
            value => claims.insert(name.clone(), value.clone()),
        };
    }
    rules().caller(claims)
}

#[test]
fn claims_describe_a_caller() {
    let found = caller(json!({"scope": "openid browse:write read write", "browse_session": "s1"}));
    let expected = AuthenticatedCaller {
        tenant: Tenant::new("acme").expect("a name"),
        subject: "alice".to_owned(),
        scopes: vec!["read".to_owned(), "write".to_owned()],
        session: SessionScope::Only("s1".to_owned()),
        quota: TenantQuota::default(),
        expires_at: UNIX_EPOCH.checked_add(Duration::from_secs(2_000_000_000)),
    };
    assert_eq!(found, Ok(expected));
}

#[test]
fn scopes_are_a_string_or_an_array_and_have_a_default() {
    for (claim, expected) in [
        (json!(null), vec!["meta", "read"]),
        (json!(""), vec![]),
        (json!("openid profile browse:root READ"), vec![]),
        (json!(["browse:control", "admin", "admin"]), vec!["admin", "control"]),
        (json!([]), vec![]),
    ] {
        let found = caller(json!({"scope": claim.clone()})).expect("a caller");
        assert_eq!(found.scopes, expected, "{claim}");
    }
    for claim in [json!(7), json!(["read", 7]), json!({"read": true})] {
        assert!(caller(json!({"scope": claim.clone()})).is_err(), "{claim}");
    }
}

#[test]
fn a_tenant_is_a_name_and_nothing_else() {
    for claim in [json!(null), json!(""), json!(7), json!("a/b"), json!("../b"), json!(["acme"])] {
        let error = caller(json!({"tenant": claim.clone()})).expect_err("no tenant");
        assert!(error.contains("`tenant`"), "{claim}: {error}");
    }
}

#[test]
fn a_session_that_cannot_be_used_is_not_every_session() {
    assert_eq!(caller(json!({})).expect("a caller").session, SessionScope::Any);
    let look_alike = json!("w\u{43e}rk");
    for claim in [json!("*"), json!(""), json!("a/b"), look_alike, json!(7), json!("x".repeat(65))]
    {
        let error = caller(json!({"browse_session": claim.clone()})).expect_err("no session");
        assert!(error.contains("`browse_session`"), "{claim}: {error}");
    }
    let mut claims = json!({"tenant": "a", "sub": "a", "exp": 1, "browse_session": null});
    let claims = claims.as_object_mut().expect("an object");
    assert!(rules().caller(claims).is_err(), "`null` is not absent");
}

#[test]
fn an_unusual_subject_is_hashed() {
    let subject = |text: &str| caller(json!({"sub": text})).expect("a caller").subject;
    for plain in ["a", "alice@example.com", "00u1-x_y.z", &"x".repeat(64)] {
        assert_eq!(subject(plain), plain);
    }
    for unusual in ["auth0|abc", "a b", "é", "a/b", "a\n", &"x".repeat(65)] {
        assert_eq!(subject(unusual), hex(&Sha256::digest(unusual))[..16], "{unusual}");
    }
    assert!(caller(json!({"sub": null})).is_err() && caller(json!({"sub": ""})).is_err());
}

#[test]
fn an_expiry_is_a_time() {
    let at = |exp: Value| caller(json!({"exp": exp})).map(|caller| caller.expires_at);
    let half = UNIX_EPOCH.checked_add(Duration::from_secs(1));
    assert_eq!(at(json!(1.5)), Ok(half));
    for exp in [json!("1"), json!(u64::MAX), json!(1e300), json!(null)] {
        assert!(at(exp.clone()).is_err(), "{exp}");
    }
}

#[test]
fn a_quota_is_lowered_by_the_token() {
    let lowered = caller(json!({"browse_quota": {"sessions": 2}})).expect("a caller").quota;
    assert_eq!(lowered, TenantQuota { sessions: 2, ..TenantQuota::default() });
    assert!(caller(json!({"browse_quota": {"session": 2}})).is_err());
}
