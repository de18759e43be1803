//! An issuer whose keys are in a file, and what somebody makes who wants to pose as it.

use std::{
    fs,
    time::{SystemTime, UNIX_EPOCH},
};

use jsonwebtoken::{Algorithm, EncodingKey, Header, encode, jwk::Jwk};
use serde_json::{Value, json};
use tempfile::TempDir;

/// The `iss` of the tokens.
const ISSUER: &str = "https://issuer.example";

/// The `aud` of the tokens.
const AUDIENCE: &str = "browse-fleet";

/// The `kid` of the key of the issuer.
pub const KEY_ID: &str = "2026-1";

/// A private key.
pub struct SigningKey(EncodingKey);

/// The issuer of the fleet.
pub struct TenantIssuer {
    pub key: SigningKey,
    folder: TempDir,
}

impl SigningKey {
    /// A new one.
    pub fn new() -> Self {
        let pair = rcgen::KeyPair::generate().expect("a key");
        Self(EncodingKey::from_ec_der(&pair.serialize_der()))
    }

    /// Its public half.
    pub fn public(&self) -> Jwk {
        Jwk::from_encoding_key(&self.0, Algorithm::ES256).expect("a public key")
    }

    /// A token whose header a test changes.
    pub fn sign(&self, claims: &Value, change: impl FnOnce(&mut Header)) -> String {
        let mut header = Header::new(Algorithm::ES256);
        header.kid = Some(KEY_ID.to_owned());
        change(&mut header);
        encode(&header, claims, &self.0).expect("a token")
    }
}

impl TenantIssuer {
    /// Publishes one key.
    pub fn new() -> Self {
        let issuer =
            Self { key: SigningKey::new(), folder: tempfile::tempdir().expect("a folder") };
        let mut jwk = serde_json::to_value(issuer.key.public()).expect("JSON");
        jwk["kid"] = json!(KEY_ID);
        let path = issuer.folder.path().join("jwks.json");
        fs::write(path, json!({ "keys": [jwk] }).to_string()).expect("written");
        issuer
    }

    /// What `[auth]` says of it.
    pub fn settings(&self) -> String {
        let jwks = self.folder.path().join("jwks.json").display().to_string();
        format!("issuer = \"{ISSUER}\"\naudience = \"{AUDIENCE}\"\njwks_file = \"{jwks}\"")
    }

    /// A token with these claims in place of the usual ones.
    pub fn token(&self, changed: &Value) -> String {
        self.key.sign(&claims(changed), |_| ())
    }
}

/// A token with a secret key.
pub fn sign_with_secret(secret: &[u8], key_id: &str, claims: &Value) -> String {
    let mut header = Header::new(Algorithm::HS256);
    header.kid = Some(key_id.to_owned());
    encode(&header, claims, &EncodingKey::from_secret(secret)).expect("a token")
}

/// Claims of a caller of `acme`, with these in place of the usual ones.
pub fn claims(changed: &Value) -> Value {
    let mut claims = json!({
        "iss": ISSUER,
        "aud": AUDIENCE,
        "sub": "ann",
        "tenant": "acme",
        "scope": "read write meta admin control",
        "exp": now() + 600,
    });
    for (name, value) in changed.as_object().expect("an object") {
        claims[name] = value.clone();
    }
    claims
}

/// Seconds since 1970.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_secs()
}
