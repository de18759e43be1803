//! An issuer: its keys, its tokens, and a file with its JWKS.

use std::{
    fs,
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use jsonwebtoken::{Algorithm, EncodingKey, Header, encode, jwk::Jwk};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::auth::{AuthSettings, Authenticator, RefreshTimes};

/// The `iss` of the tokens, unless a test changes it.
pub const ISSUER: &str = "https://issuer.example";

/// The `aud` of the tokens, unless a test changes it.
pub const AUDIENCE: &str = "browse-fleet";

/// What precedes the 32 bytes of an Ed25519 key in PKCS#8 (RFC 8410, section 7).
const ED25519_PKCS8: [u8; 16] = [
    0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
];

/// A private key of the issuer.
pub struct TestKey {
    id: &'static str,
    algorithm: Algorithm,
    private: EncodingKey,
}

/// An issuer whose JWKS is a file.
pub struct FileIssuer {
    folder: TempDir,
}

impl TestKey {
    /// A new key for ES256.
    pub fn es256(id: &'static str) -> Self {
        let pair = rcgen::KeyPair::generate().expect("a key");
        let private = EncodingKey::from_ec_der(&pair.serialize_der());
        Self { id, algorithm: Algorithm::ES256, private }
    }

    /// A new key for EdDSA.
    pub fn ed25519(id: &'static str) -> Self {
        let seed = browse_base::random::<32>().expect("random bytes");
        let private = EncodingKey::from_ed_der(&[ED25519_PKCS8.as_slice(), &seed].concat());
        Self { id, algorithm: Algorithm::EdDSA, private }
    }

    /// The public key.
    pub fn jwk(&self) -> Value {
        let jwk = Jwk::from_encoding_key(&self.private, self.algorithm).expect("a public key");
        let mut jwk = serde_json::to_value(jwk).expect("JSON");
        jwk["kid"] = json!(self.id);
        jwk
    }

    /// A token.
    pub fn sign(&self, claims: &Value) -> String {
        self.sign_with(|_| (), claims)
    }

    /// A token whose header a test changes.
    pub fn sign_with(&self, change: impl FnOnce(&mut Header), claims: &Value) -> String {
        let mut header = Header::new(self.algorithm);
        header.kid = Some(self.id.to_owned());
        change(&mut header);
        encode(&header, claims, &self.private).expect("a token")
    }
}

impl FileIssuer {
    /// Its JWKS has these keys.
    pub fn new(keys: &[&TestKey]) -> Self {
        let issuer = Self { folder: tempfile::tempdir().expect("a folder") };
        issuer.publish(&jwks(keys));
        issuer
    }

    /// Replaces the JWKS, as a mounted Secret is replaced.
    pub fn publish(&self, jwks: &str) {
        let (new, path) = (self.folder.path().join("new"), self.folder.path().join("jwks.json"));
        fs::write(&new, jwks).expect("written");
        fs::rename(&new, &path).expect("renamed");
    }

    /// Settings for this issuer.
    pub fn settings(&self) -> AuthSettings {
        AuthSettings {
            issuer: Some(ISSUER.to_owned()),
            audience: Some(AUDIENCE.to_owned()),
            jwks_file: Some(self.folder.path().join("jwks.json")),
            ..AuthSettings::default()
        }
    }

    /// Accepts its tokens, and looks at the file at each call.
    pub fn authenticator(&self) -> Arc<Authenticator> {
        Authenticator::with_times(&self.settings(), always()).expect("the settings are whole")
    }
}

/// Looks for changes at each call.
pub fn always() -> RefreshTimes {
    let zero = Duration::ZERO;
    RefreshTimes { file: zero, fetch: zero, refetch: zero, stale: zero }
}

/// Looks for changes once.
pub fn once() -> RefreshTimes {
    let hour = Duration::from_secs(3600);
    RefreshTimes { file: hour, fetch: hour, refetch: hour, stale: hour }
}

/// A JWKS.
pub fn jwks(keys: &[&TestKey]) -> String {
    let keys: Vec<Value> = keys.iter().map(|key| key.jwk()).collect();
    json!({"keys": keys}).to_string()
}

/// Claims that are whole but for `changed`; `null` takes one away.
pub fn claims(changed: Value) -> Value {
    let mut claims = json!({
        "iss": ISSUER,
        "aud": AUDIENCE,
        "sub": "alice",
        "tenant": "acme",
        "exp": now() + 300,
    });
    for (name, value) in changed.as_object().expect("an object") {
        claims[name] = value.clone();
    }
    if let Some(claims) = claims.as_object_mut() {
        claims.retain(|_, value| !value.is_null());
    }
    claims
}

/// Seconds since 1970.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_secs()
}
