//! The keys of a JWKS (RFC 7517) that verify JWTs.
//!
//! The library takes keys as they come: it would panic at an Ed25519 key that is too short, and
//! verifies with RSA keys of any size. Such keys are left out here, and so are symmetric ones:
//! with those, everybody who can read the JWKS could make tokens.

use jsonwebtoken::{
    Algorithm, AlgorithmFamily, DecodingKey, DecodingKeyKind,
    crypto::rust_crypto::DEFAULT_PROVIDER,
    jwk::{AlgorithmParameters, EllipticCurve, Jwk, KeyAlgorithm, KeyOperations, PublicKeyUse},
};
use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::token_cache::KeySetHash;

/// Sizes of RSA keys, in bits. The upper one is that of the library.
const MIN_RSA_BITS: usize = 2048;
const MAX_RSA_BITS: usize = 4096;

/// Bytes of public keys: an Ed25519 key, and uncompressed points of P-256 and P-384.
const ED25519_BYTES: usize = 32;
const P256_BYTES: usize = 65;
const P384_BYTES: usize = 97;

/// Keys of an issuer.
pub struct KeySet {
    hash: KeySetHash,
    keys: Vec<VerificationKey>,
}

struct VerificationKey {
    id: Option<String>,
    algorithms: Vec<Algorithm>,
    key: DecodingKey,
}

#[derive(Deserialize)]
struct JwksDocument {
    keys: Vec<Value>,
}

impl KeySet {
    /// Reads a JWKS. Keys in it that cannot verify JWTs are left out.
    ///
    /// # Errors
    /// It is not a JWKS, or has no key that can be used, in words.
    pub fn parse(text: &[u8]) -> Result<Self, String> {
        let document: JwksDocument =
            serde_json::from_slice(text).map_err(|error| format!("it is not a JWKS: {error}"))?;
        let mut keys = Vec::new();
        for (index, value) in document.keys.into_iter().enumerate() {
            match VerificationKey::parse(value) {
                Ok(key) => keys.push(key),
                Err(why) => tracing::debug!(index, why, "left out a key of the JWKS"),
            }
        }
        match keys.is_empty() {
            true => Err("the JWKS has no key that can be used".to_owned()),
            false => Ok(Self { hash: Sha256::digest(text).into(), keys }),
        }
    }

    /// SHA-256 of the JWKS, which says whether two sets are the same.
    pub fn hash(&self) -> &KeySetHash {
        &self.hash
    }

    /// Whether a newer JWKS is not needed for a token with this `kid`.
    pub fn has(&self, id: Option<&str>) -> bool {
        id.is_none() || self.keys.iter().any(|key| key.id.as_deref() == id)
    }

    /// The key for a token. One without `kid` is verified when only one key fits.
    pub fn find(&self, id: Option<&str>, algorithm: Algorithm) -> Option<&DecodingKey> {
        let mut fitting = self.keys.iter().filter(|key| {
            key.algorithms.contains(&algorithm) && (id.is_none() || key.id.as_deref() == id)
        });
        let found = fitting.next()?;
        match id.is_none() && fitting.next().is_some() {
            true => None,
            false => Some(&found.key),
        }
    }
}

impl VerificationKey {
    fn parse(value: Value) -> Result<Self, String> {
        let jwk: Jwk = serde_json::from_value(value).map_err(|error| error.to_string())?;
        if !is_for_signatures(&jwk) {
            return Err("it is for another use".to_owned());
        }
        let named = jwk.common.key_algorithm;
        let is_named = |algorithm: &Algorithm| {
            named.is_none_or(|named| named == KeyAlgorithm::from(*algorithm))
        };
        let algorithms: Vec<Algorithm> =
            possible_algorithms(&jwk.algorithm).iter().copied().filter(is_named).collect();
        let Some(first) = algorithms.first() else {
            return Err("its algorithm is not supported".to_owned());
        };
        let key = DecodingKey::from_jwk(&jwk).map_err(|error| error.to_string())?;
        check_size(&key)?;
        // Checks that a point is on its curve.
        (DEFAULT_PROVIDER.verifier_factory)(first, &key).map_err(|error| error.to_string())?;
        Ok(Self { id: jwk.common.key_id, algorithms, key })
    }
}

fn is_for_signatures(jwk: &Jwk) -> bool {
    let is_use_good = matches!(jwk.common.public_key_use, None | Some(PublicKeyUse::Signature));
    let operations = jwk.common.key_operations.as_ref();
    is_use_good && operations.is_none_or(|known| known.contains(&KeyOperations::Verify))
}

fn possible_algorithms(parameters: &AlgorithmParameters) -> &'static [Algorithm] {
    match parameters {
        AlgorithmParameters::RSA(_) => {
            &[Algorithm::RS256, Algorithm::RS384, Algorithm::RS512, Algorithm::PS256]
        }
        AlgorithmParameters::EllipticCurve(key) => match key.curve {
            EllipticCurve::P256 => &[Algorithm::ES256],
            EllipticCurve::P384 => &[Algorithm::ES384],
            _ => &[],
        },
        AlgorithmParameters::OctetKeyPair(key) if key.curve == EllipticCurve::Ed25519 => {
            &[Algorithm::EdDSA]
        }
        _ => &[],
    }
}

fn check_size(key: &DecodingKey) -> Result<(), String> {
    let is_good = match key.kind() {
        DecodingKeyKind::RsaModulusExponent { n, .. } => {
            (MIN_RSA_BITS..=MAX_RSA_BITS).contains(&bits(n))
                && n.last().is_some_and(|low| low & 1 == 1)
        }
        DecodingKeyKind::SecretOrDer(bytes) => match key.family() {
            AlgorithmFamily::Ec => matches!(bytes.len(), P256_BYTES | P384_BYTES),
            AlgorithmFamily::Ed => bytes.len() == ED25519_BYTES,
            AlgorithmFamily::Hmac | AlgorithmFamily::Rsa => false,
        },
    };
    match is_good {
        true => Ok(()),
        false => Err("its size is not supported".to_owned()),
    }
}

/// Bits of a number with the highest byte first.
fn bits(number: &[u8]) -> usize {
    let leading = number.iter().take_while(|byte| **byte == 0).count();
    match number.get(leading) {
        Some(highest) => {
            (number.len() - leading) * 8 - usize::try_from(highest.leading_zeros()).unwrap_or(0)
        }
        None => 0,
    }
}

#[cfg(test)]
#[path = "key_set/tests.rs"]
mod tests;
