//! Which JWTs are accepted.

use browse_fleet::{SessionScope, TenantQuota};
use browse_proto::Reason;
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use serde_json::{Value, json};

use super::issuer::{FileIssuer, TestKey, claims, jwks, now};
use crate::auth::Authenticator;

/// `{"alg":"none","typ":"JWT"}`
const NO_ALGORITHM: &str = "eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0";

/// An RSA key, tokens of it that are good until 2100, and one for PS512. Its private key is gone.
const RSA: &str = include_str!("rsa.json");

async fn reason(authenticator: &Authenticator, token: &str) -> Option<Reason> {
    authenticator.authenticate(Some(token)).await.err().map(|error| error.reason())
}

/// Refuses a token with the one message, whatever is wrong with it.
async fn assert_invalid(authenticator: &Authenticator, token: &str, why: &str) {
    let error = authenticator.authenticate(Some(token)).await.expect_err(why);
    assert_eq!(error.reason(), Reason::TokenInvalid, "{why}");
    assert_eq!(error.to_string(), "the token is not valid", "{why}");
}

#[tokio::test]
async fn a_token_of_the_issuer_is_accepted() {
    let keys = [TestKey::es256("ec"), TestKey::ed25519("ed")];
    let authenticator = FileIssuer::new(&[&keys[0], &keys[1]]).authenticator();
    for key in &keys {
        let token = key.sign(&claims(json!({"scope": "browse:read", "browse_session": "s"})));
        for turn in ["verified", "remembered"] {
            let caller = authenticator.authenticate(Some(&token)).await.expect(turn);
            assert_eq!((caller.tenant.as_str(), caller.subject.as_str()), ("acme", "alice"));
            assert_eq!(caller.scopes, ["read"]);
            assert_eq!(caller.session, SessionScope::Only("s".to_owned()));
            assert_eq!(caller.quota, TenantQuota::default());
            assert!(caller.expires_at.is_some());
        }
    }
}

#[tokio::test]
async fn rsa_is_accepted_with_four_algorithms() {
    let rsa: Value = serde_json::from_str(RSA).expect("JSON");
    let tokens =
        |name: &str| -> Vec<String> { serde_json::from_value(rsa[name].clone()).expect("tokens") };
    let issuer = FileIssuer::new(&[&TestKey::es256("ec")]);
    issuer.publish(&json!({"keys": [rsa["jwk"]]}).to_string());
    let authenticator = issuer.authenticator();
    for token in tokens("tokens") {
        assert_eq!(reason(&authenticator, &token).await, None, "{token}");
    }
    assert_invalid(&authenticator, &tokens("refused")[0], "PS512").await;
    let mut named = rsa["jwk"].clone();
    named["alg"] = json!("RS384");
    issuer.publish(&json!({"keys": [named]}).to_string());
    for (index, token) in tokens("tokens").iter().enumerate() {
        let is_refused = reason(&authenticator, token).await.is_some();
        assert_eq!(is_refused, index != 1, "the key is for RS384: {token}");
    }
}

#[tokio::test]
async fn a_token_for_others_is_invalid() {
    let key = TestKey::es256("a");
    let authenticator = FileIssuer::new(&[&key]).authenticator();
    for changed in [
        json!({"aud": "other"}),
        json!({"aud": "browse-fleet2"}),
        json!({"aud": ["other", "another"]}),
        json!({"aud": null}),
        json!({"aud": 7}),
        json!({"iss": "https://issuer.example/"}),
        json!({"iss": "https://other.example"}),
        json!({"iss": ["https://issuer.example"]}),
        json!({"iss": null}),
        json!({"exp": null}),
        json!({"exp": "tomorrow"}),
        json!({"nbf": "today"}),
    ] {
        let token = key.sign(&claims(changed.clone()));
        assert_invalid(&authenticator, &token, &changed.to_string()).await;
    }
    let several = key.sign(&claims(json!({"aud": ["other", "browse-fleet"]})));
    assert_eq!(reason(&authenticator, &several).await, None);
}

#[tokio::test]
async fn a_token_is_good_from_nbf_to_exp_and_half_a_minute_around() {
    let key = TestKey::es256("a");
    let authenticator = FileIssuer::new(&[&key]).authenticator();
    let expired = Some(Reason::TokenExpired);
    for (changed, expected) in [
        (json!({"exp": now() - 20}), None),
        (json!({"exp": now() - 40}), expired),
        (json!({"exp": 0}), expired),
        (json!({"nbf": now() + 20}), None),
        (json!({"nbf": now() + 60}), expired),
        (json!({"nbf": now() - 60}), None),
    ] {
        let token = key.sign(&claims(changed.clone()));
        assert_eq!(reason(&authenticator, &token).await, expected, "{changed}");
    }
}

#[tokio::test]
async fn a_token_that_the_issuer_did_not_sign_is_invalid() {
    let (key, posing) = (TestKey::es256("a"), TestKey::es256("a"));
    let authenticator = FileIssuer::new(&[&key]).authenticator();
    let good = key.sign(&claims(json!({})));
    let parts: Vec<&str> = good.split('.').collect();
    let other = key.sign(&claims(json!({"tenant": "other"})));
    let payload = other.split('.').nth(1).expect("a payload");
    let table = [
        (posing.sign(&claims(json!({}))), "another key of the same name"),
        (format!("{}.{payload}.{}", parts[0], parts[2]), "other claims"),
        (format!("{}.{}.", parts[0], parts[1]), "no signature"),
        (format!("{NO_ALGORITHM}.{}.", parts[1]), "no algorithm"),
        (format!("{NO_ALGORITHM}.{}.{}", parts[1], parts[2]), "no algorithm, and a signature"),
        (TestKey::es256("b").sign(&claims(json!({}))), "an unknown key"),
        (TestKey::ed25519("a").sign(&claims(json!({}))), "another algorithm"),
        (key.sign_with(|header| header.crit = Some(vec!["x".into()]), &claims(json!({}))), "crit"),
        ("..".to_owned(), "nothing"),
        ("a.b.c".to_owned(), "no header"),
        (format!("{good}{}", "A".repeat(20_000)), "too long"),
    ];
    assert_eq!(reason(&authenticator, &good).await, None);
    for (token, why) in table {
        assert_invalid(&authenticator, &token, why).await;
    }
}

#[tokio::test]
async fn a_public_key_is_not_a_secret_key() {
    let key = TestKey::es256("a");
    let authenticator = FileIssuer::new(&[&key]).authenticator();
    let jwk = key.jwk();
    let mut header = Header::new(Algorithm::HS256);
    header.kid = Some("a".to_owned());
    for secret in [jwk.to_string(), jwk["x"].as_str().expect("text").to_owned(), String::new()] {
        let secret = EncodingKey::from_secret(secret.as_bytes());
        let token = encode(&header, &claims(json!({})), &secret).expect("a token");
        assert_invalid(&authenticator, &token, "HS256").await;
    }
    // Nor is a secret key that somebody published.
    let issuer = FileIssuer::new(&[&key]);
    let symmetric = json!({"kty": "oct", "kid": "s", "alg": "HS256", "k": "AAAA"});
    issuer.publish(&json!({"keys": [key.jwk(), symmetric]}).to_string());
    let authenticator = issuer.authenticator();
    header.kid = Some("s".to_owned());
    let token = encode(&header, &claims(json!({})), &EncodingKey::from_secret(&[0; 3]));
    assert_invalid(&authenticator, &token.expect("a token"), "a published secret").await;
}

#[tokio::test]
async fn a_token_without_kid_needs_a_single_key_that_fits() {
    let (one, two, ed) = (TestKey::es256("1"), TestKey::es256("2"), TestKey::ed25519("3"));
    let token = one.sign_with(|header| header.kid = None, &claims(json!({})));
    let issuer = FileIssuer::new(&[&one, &ed]);
    let authenticator = issuer.authenticator();
    assert_eq!(reason(&authenticator, &token).await, None);
    issuer.publish(&jwks(&[&one, &two]));
    assert_invalid(&authenticator, &token, "two keys").await;
}

#[tokio::test]
async fn claims_that_cannot_be_used_are_named() {
    let key = TestKey::es256("a");
    let authenticator = FileIssuer::new(&[&key]).authenticator();
    for (changed, claim) in [
        (json!({"tenant": "acme/other"}), "`tenant`"),
        (json!({"tenant": "../acme"}), "`tenant`"),
        (json!({"tenant": null}), "`tenant`"),
        (json!({"sub": null}), "`sub`"),
        (json!({"scope": 7}), "`scope`"),
        (json!({"browse_session": "a/b"}), "`browse_session`"),
        (json!({"browse_quota": {"sessions": "many"}}), "`browse_quota`"),
    ] {
        let token = key.sign(&claims(changed));
        let error = authenticator.authenticate(Some(&token)).await.expect_err(claim);
        assert_eq!(error.reason(), Reason::TokenInvalid, "{claim}");
        assert!(error.to_string().contains(claim), "{error}");
    }
}
