//! The JWTs that grants travel as.
//!
//! The library's defaults are not ours: it allows a minute of leeway, does not
//! look at `nbf`, and lets a token without `aud` pass. The header's `typ` and
//! `kid` and the claim `jti` it leaves to us altogether.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use browse_proto::Reason;
use jsonwebtoken::{
    Algorithm, DecodingKey, EncodingKey, Header, Validation, decode, encode, errors::ErrorKind,
};
use serde::{Deserialize, Serialize};

use super::{Audience, Capability, Listener, SessionRule, TabPolicy, grant};
use crate::{Delivery, Rate};
use browse_base::{Error, Result, hex, random};

const JWT_TYPE: &str = "JWT";

/// Signs and verifies the tokens of one daemon. The key never leaves memory.
pub struct TokenSigner {
    id: String,
    encoding: EncodingKey,
    decoding: DecodingKey,
}

/// What a token says. Besides `jti` and `sub` it is there for the holder to
/// read: the daemon goes by the grant.
#[derive(Debug, Serialize, Deserialize)]
pub struct TokenClaims {
    iss: String,
    aud: String,
    /// Client.
    pub sub: String,
    /// Key of the grant.
    pub jti: String,
    iat: u64,
    nbf: u64,
    exp: u64,
    scopes: Vec<String>,
    hosts: Vec<String>,
    tabs: String,
    session: String,
    rate: u32,
    kind: String,
    content: String,
}

impl TokenSigner {
    /// A signer with a new random key.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub fn new(id: &str) -> Result<Self> {
        let key = random::<32>()?;
        let encoding = EncodingKey::from_secret(&key);
        Ok(Self { id: id.to_owned(), encoding, decoding: DecodingKey::from_secret(&key) })
    }

    /// Writes a token; answers it with its `jti`.
    pub fn sign(
        &self,
        of: &Capability,
        audience: Audience,
        lifetime: Duration,
    ) -> Result<(String, String)> {
        let now = unix_seconds(SystemTime::now());
        let jti = hex(&random::<16>()?);
        let claims = TokenClaims {
            iss: self.id.clone(),
            aud: audience.claim(&self.id),
            sub: of.client.to_string(),
            jti: jti.clone(),
            iat: now,
            nbf: now,
            // Rounded up: the grant ends to the millisecond.
            exp: now + lifetime.as_secs() + 1,
            scopes: of.scopes.names().into_iter().map(str::to_owned).collect(),
            hosts: of.hosts.patterns(),
            tabs: match of.tabs {
                TabPolicy::Own => "own".to_owned(),
                TabPolicy::Session => "session".to_owned(),
            },
            session: match &of.session {
                SessionRule::Only(name) => name.clone(),
                SessionRule::Any => "*".to_owned(),
            },
            rate: match of.rate {
                Rate::None => 0,
                Rate::PerSecond(rate) => rate,
                Rate::Unlimited => u32::MAX,
            },
            kind: of.kind.name().to_owned(),
            content: match of.delivery {
                Delivery::Guarded => "guarded".to_owned(),
                Delivery::Raw => "raw".to_owned(),
            },
        };
        let header = Header {
            typ: Some(JWT_TYPE.to_owned()),
            kid: Some(self.id.clone()),
            ..Header::new(Algorithm::HS256)
        };
        let token = encode(&header, &claims, &self.encoding);
        let token = token
            .map_err(|error| Error::new(Reason::Bug, format!("no token can be signed: {error}")))?;
        Ok((token, jti))
    }

    /// Reads a token that came in at `listener`.
    ///
    /// # Errors
    /// `TOKEN_INVALID`, `TOKEN_EXPIRED` or `TOKEN_FOREIGN`.
    pub fn verify(&self, token: &str, listener: Listener) -> Result<TokenClaims> {
        let mut validation = Validation::new(Algorithm::HS256);
        validation.leeway = 0;
        validation.validate_nbf = true;
        validation.set_required_spec_claims(&["exp", "nbf", "aud", "iss", "sub"]);
        validation.set_issuer(&[&self.id]);
        let audiences: Vec<_> = listener.audiences().iter().map(|a| a.claim(&self.id)).collect();
        validation.set_audience(&audiences);
        let read =
            decode::<TokenClaims>(token, &self.decoding, &validation).map_err(
                |error| match error.kind() {
                    ErrorKind::ExpiredSignature | ErrorKind::ImmatureSignature => {
                        grant::expired_error()
                    }
                    ErrorKind::InvalidAudience | ErrorKind::InvalidIssuer => foreign_token(),
                    ErrorKind::InvalidSignature if self.is_from_other_daemon(token) => {
                        foreign_token()
                    }
                    _ => invalid_token(),
                },
            )?;
        let ours = read.header.typ.as_deref() == Some(JWT_TYPE)
            && read.header.kid.as_deref() == Some(&self.id);
        if !ours || read.claims.jti.is_empty() {
            return Err(invalid_token());
        }
        Ok(read.claims)
    }

    /// Whether a token whose signature is not ours says that another daemon
    /// made it. Nobody relies on this but the wording of the error.
    fn is_from_other_daemon(&self, token: &str) -> bool {
        #[derive(Deserialize)]
        struct Issuer {
            iss: String,
        }
        let body = token.split('.').nth(1).unwrap_or_default();
        let body =
            base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(body).unwrap_or_default();
        serde_json::from_slice::<Issuer>(&body).is_ok_and(|body| body.iss != self.id)
    }
}

/// The error for a token that is not one of ours.
pub fn invalid_token() -> Error {
    Error::new(Reason::TokenInvalid, "the token is not valid")
}

/// The error for the token of another daemon or listener.
pub fn foreign_token() -> Error {
    Error::new(Reason::TokenForeign, "the token is for another daemon or listener")
}

fn unix_seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

#[cfg(test)]
#[path = "claims/tests.rs"]
mod tests;
