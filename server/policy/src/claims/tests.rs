//! Each default of the library that is not ours has its test here.

use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use serde_json::{Value, json};

use super::*;

fn signer() -> TokenSigner {
    TokenSigner::new("d1").expect("there are random numbers")
}

fn claims() -> Value {
    let now = unix_seconds(SystemTime::now());
    json!({
        "iss": "d1", "aud": "daemon:d1:local", "sub": "ada", "jti": "1",
        "iat": now, "nbf": now, "exp": now + 60, "scopes": [], "hosts": [], "tabs": "own",
        "session": "s", "rate": 1, "kind": "skill", "content": "guarded",
    })
}

fn header() -> Header {
    Header {
        typ: Some("JWT".to_owned()),
        kid: Some("d1".to_owned()),
        ..Header::new(Algorithm::HS256)
    }
}

fn token(signer: &TokenSigner, header: &Header, change: &[(&str, Value)]) -> String {
    let mut claims = claims();
    for (name, value) in change {
        match value {
            Value::Null => claims.as_object_mut().expect("an object").remove(*name),
            value => {
                claims.as_object_mut().expect("an object").insert((*name).to_owned(), value.clone())
            }
        };
    }
    encode(header, &claims, &signer.encoding).expect("it can be signed")
}

fn reason(signer: &TokenSigner, token: &str) -> Option<Reason> {
    signer.verify(token, Listener::Local).err().map(|error| error.reason())
}

#[test]
fn a_good_token_passes() {
    let signer = signer();
    assert_eq!(reason(&signer, &token(&signer, &header(), &[])), None);
}

#[test]
fn there_is_no_leeway() {
    let signer = signer();
    let now = unix_seconds(SystemTime::now());
    let late = token(&signer, &header(), &[("exp", json!(now - 1))]);
    assert_eq!(reason(&signer, &late), Some(Reason::TokenExpired));
    let early = token(&signer, &header(), &[("nbf", json!(now + 30))]);
    assert_eq!(reason(&signer, &early), Some(Reason::TokenExpired));
}

#[test]
fn every_claim_is_required() {
    let signer = signer();
    let names: Vec<_> = claims().as_object().expect("an object").keys().cloned().collect();
    for name in names {
        let token = token(&signer, &header(), &[(&name, Value::Null)]);
        assert_eq!(reason(&signer, &token), Some(Reason::TokenInvalid), "{name}");
    }
}

#[test]
fn audience_and_issuer_are_ours() {
    let signer = signer();
    for change in [("aud", "daemon:d1:tunnel"), ("aud", "daemon:d2:local"), ("iss", "d2")] {
        let token = token(&signer, &header(), &[(change.0, json!(change.1))]);
        assert_eq!(reason(&signer, &token), Some(Reason::TokenForeign), "{change:?}");
    }
}

#[test]
fn the_header_is_ours() {
    let signer = signer();
    let wrong_type = Header { typ: Some("at+jwt".to_owned()), ..header() };
    let no_type = Header { typ: None, ..header() };
    let wrong_key = Header { kid: Some("d2".to_owned()), ..header() };
    let no_key = Header { kid: None, ..header() };
    for header in [wrong_type, no_type, wrong_key, no_key] {
        assert_eq!(
            reason(&signer, &token(&signer, &header, &[])),
            Some(Reason::TokenInvalid),
            "{header:?}"
        );
    }
    let empty = token(&signer, &header(), &[("jti", json!(""))]);
    assert_eq!(reason(&signer, &empty), Some(Reason::TokenInvalid));
}

#[test]
fn one_algorithm_is_taken() {
    let signer = signer();
    let strong = Header { alg: Algorithm::HS512, ..header() };
    assert_eq!(reason(&signer, &token(&signer, &strong, &[])), Some(Reason::TokenInvalid));
    let body = token(&signer, &header(), &[]);
    let body = body.split('.').nth(1).expect("a JWT has three parts");
    let none = r#"{"typ":"JWT","alg":"none","kid":"d1"}"#;
    let none = base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(none);
    assert_eq!(reason(&signer, &format!("{none}.{body}.")), Some(Reason::TokenInvalid));
}

#[test]
fn a_forged_signature_is_told_from_another_daemons() {
    let (signer, other) = (signer(), TokenSigner::new("d2").expect("there are random numbers"));
    let forged = TokenSigner { id: "d1".to_owned(), ..TokenSigner::new("d1").expect("random") };
    assert_eq!(reason(&signer, &token(&forged, &header(), &[])), Some(Reason::TokenInvalid));
    let theirs =
        token(&other, &Header { kid: Some("d2".to_owned()), ..header() }, &[("iss", json!("d2"))]);
    assert_eq!(reason(&signer, &theirs), Some(Reason::TokenForeign));
    for garbage in ["", "a", "a.b.c", "....", "é.ü.ß"] {
        assert_eq!(reason(&signer, garbage), Some(Reason::TokenInvalid), "{garbage}");
    }
}

#[test]
fn signing_with_an_empty_key_does_not_pass() {
    let signer = signer();
    let token =
        encode(&header(), &claims(), &EncodingKey::from_secret(b"")).expect("it can be signed");
    assert_eq!(reason(&signer, &token), Some(Reason::TokenInvalid));
}
