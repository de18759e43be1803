//! JWTs of the issuer.
//!
//! What the library leaves to us: it takes an array of issuers where one of them is right, and
//! does not look at `crit`.

use browse_base::Result;
use jsonwebtoken::{Algorithm, Validation, decode, decode_header, errors::ErrorKind};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use super::{
    AuthenticatedCaller, RefreshTimes,
    claims::ClaimRules,
    expired_token, invalid_token,
    issuer_keys::IssuerKeys,
    settings::IssuerSettings,
    token_cache::{TokenCache, TokenHash},
    unusable_claim,
};

/// Algorithms of JWTs: with a private key, which the issuer keeps.
const ALGORITHMS: [Algorithm; 7] = [
    Algorithm::RS256,
    Algorithm::RS384,
    Algorithm::RS512,
    Algorithm::PS256,
    Algorithm::ES256,
    Algorithm::ES384,
    Algorithm::EdDSA,
];

/// How much the clocks may differ, in seconds.
const LEEWAY_S: u64 = 30;

/// Longest JWT.
const MAX_TOKEN_BYTES: usize = 16 << 10;

/// Authenticates callers by JWTs.
pub struct JwtAuthenticator {
    issuer: String,
    audience: String,
    rules: ClaimRules,
    keys: IssuerKeys,
    cache: TokenCache,
}

impl JwtAuthenticator {
    /// Reads the keys if they are in a file.
    ///
    /// # Errors
    /// `SETTING_INVALID`.
    pub(super) fn new(
        settings: IssuerSettings,
        rules: ClaimRules,
        times: RefreshTimes,
    ) -> Result<Self> {
        let keys = IssuerKeys::open(&settings, times)?;
        let IssuerSettings { issuer, audience, .. } = settings;
        Ok(Self { issuer, audience, rules, keys, cache: TokenCache::default() })
    }

    /// Verifies a JWT, or finds it among those that were verified a short while ago.
    ///
    /// # Errors
    /// `TOKEN_INVALID`, `TOKEN_EXPIRED`, `GATE_UNAVAILABLE`.
    pub async fn authenticate(&self, token: &str) -> Result<AuthenticatedCaller> {
        if token.len() > MAX_TOKEN_BYTES {
            return Err(invalid_token("it is too long"));
        }
        let hash: TokenHash = Sha256::digest(token).into();
        // First, so that a key that was taken back ends what it has verified.
        let mut keys = self.keys.current().await?;
        if let Some(caller) = self.cache.find(&hash, keys.hash()) {
            return Ok(caller);
        }
        let header = decode_header(token).map_err(invalid_token)?;
        if !ALGORITHMS.contains(&header.alg) {
            return Err(invalid_token("its algorithm is not accepted"));
        }
        if header.crit.is_some() {
            return Err(invalid_token("it has the header `crit`"));
        }
        let key_id = header.kid.as_deref();
        if !keys.has(key_id) {
            keys = self.keys.newest().await?;
        }
        let Some(key) = keys.find(key_id, header.alg) else {
            return Err(invalid_token(format!("no key for the `kid` {key_id:?}")));
        };
        let validation = self.validation(header.alg);
        let verified = decode::<Map<String, Value>>(token, key, &validation);
        let claims = verified.map_err(|error| match error.kind() {
            ErrorKind::ExpiredSignature => expired_token("the token has expired"),
            ErrorKind::ImmatureSignature => expired_token("the token is not valid yet"),
            _ => invalid_token(&error),
        })?;
        let claims = claims.claims;
        if claims.get("iss").and_then(Value::as_str) != Some(self.issuer.as_str()) {
            return Err(invalid_token("its `iss` is not a string"));
        }
        let caller = self.rules.caller(&claims).map_err(|why| unusable_claim(&why))?;
        self.cache.insert(hash, *keys.hash(), caller.clone());
        Ok(caller)
    }

    fn validation(&self, algorithm: Algorithm) -> Validation {
        let mut validation = Validation::new(algorithm);
        validation.leeway = LEEWAY_S;
        validation.validate_nbf = true;
        validation.set_required_spec_claims(&["exp", "iss", "aud"]);
        validation.set_issuer(&[&self.issuer]);
        validation.set_audience(&[&self.audience]);
        validation
    }
}
