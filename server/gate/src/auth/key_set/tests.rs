//! Tests of which keys of a JWKS are used.

use serde_json::json;

use super::*;
use crate::auth::tests::issuer::{TestKey, jwks};

fn parse(keys: Value) -> Result<KeySet, String> {
    KeySet::parse(json!({"keys": keys}).to_string().as_bytes())
}

/// A key with some members changed.
fn changed(key: &TestKey, members: Value) -> Value {
    let mut jwk = key.jwk();
    for (name, value) in members.as_object().expect("an object") {
        jwk[name] = value.clone();
    }
    jwk
}

#[test]
fn keys_that_do_not_verify_jwts_are_left_out() {
    let (ec, ed) = (TestKey::es256("ec"), TestKey::ed25519("ed"));
    let short = "AAAA";
    let rsa_504 = format!("_{}B", "A".repeat(82));
    for (key, why) in [
        (changed(&ec, json!({"use": "enc"})), "encryption"),
        (changed(&ec, json!({"key_ops": ["sign"]})), "signing only"),
        (changed(&ec, json!({"alg": "ES384"})), "an algorithm that does not fit"),
        (changed(&ec, json!({"alg": "HS256"})), "a symmetric algorithm"),
        (changed(&ec, json!({"alg": "dir"})), "an unknown algorithm"),
        (changed(&ec, json!({"crv": "P-384"})), "another curve"),
        (changed(&ec, json!({"crv": "secp256k1"})), "an unknown curve"),
        (changed(&ec, json!({"x": short})), "a point that is too short"),
        (changed(&ec, json!({"y": ec.jwk()["x"]})), "a point that is not on the curve"),
        (changed(&ed, json!({"x": short})), "an Ed25519 key that is too short"),
        (changed(&ed, json!({"crv": "Ed448"})), "Ed448"),
        (json!({"kty": "oct", "k": "AAAA", "alg": "HS256"}), "a secret"),
        (json!({"kty": "RSA", "n": rsa_504, "e": "AQAB"}), "a short RSA key"),
        (json!({"kty": "RSA", "n": "", "e": "AQAB"}), "an empty RSA key"),
        (json!({"kty": "new"}), "an unknown type"),
        (json!(7), "no object"),
    ] {
        assert!(parse(json!([key.clone()])).is_err(), "{why}: {key}");
        let beside = parse(json!([key, TestKey::es256("good").jwk()])).expect(why);
        assert_eq!(beside.keys.len(), 1, "{why}");
    }
    for text in ["", "[]", "{}", "{\"keys\":[]}", "{\"keys\":7}"] {
        assert!(KeySet::parse(text.as_bytes()).is_err(), "{text}");
    }
}

#[test]
fn a_key_is_found_by_its_id_and_algorithm() {
    let (ec, ed) = (TestKey::es256("1"), TestKey::ed25519("2"));
    let keys = KeySet::parse(jwks(&[&ec, &ed]).as_bytes()).expect("a JWKS");
    let is_found = |id, algorithm| keys.find(id, algorithm).is_some();
    assert!(is_found(Some("1"), Algorithm::ES256) && is_found(Some("2"), Algorithm::EdDSA));
    assert!(!is_found(Some("1"), Algorithm::EdDSA) && !is_found(Some("3"), Algorithm::ES256));
    assert!(is_found(None, Algorithm::ES256) && !is_found(None, Algorithm::RS256));
    assert!(keys.has(Some("1")) && keys.has(None) && !keys.has(Some("3")));
}

#[test]
fn bits_are_counted_without_leading_zeros() {
    let table: [(&[u8], usize); 5] =
        [(&[], 0), (&[0, 0], 0), (&[1], 1), (&[0, 0x80, 0], 16), (&[0x0f, 0xff], 12)];
    for (number, expected) in table {
        assert_eq!(bits(number), expected, "{number:?}");
    }
}
