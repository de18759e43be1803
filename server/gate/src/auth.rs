//! Who calls: API keys from a file, and JWTs of an OpenID Connect issuer.
//!
//! A token with exactly two dots is a JWT, every other one is an API key. A JWT is verified with
//! the keys of the issuer (its JWKS), and the verified claims are kept for a few minutes, so that
//! the calls after the first one cost a hash and a lookup. A JWT is refused with one message
//! whatever is wrong with its signature, issuer or audience; the log has the details at the level
//! `debug`. No token is ever logged.

mod api_keys;
mod claims;
mod fetch;
mod issuer_keys;
mod jwt;
mod key_set;
mod quotas;
mod remote_keys;
mod settings;
mod token_cache;
mod watched_file;

use std::{
    fmt,
    sync::Arc,
    time::{Duration, SystemTime},
};

use browse_base::{Error, HINT_KEY, Result, quote_up_to};
use browse_fleet::{SessionScope, Tenant, TenantQuota};
use browse_proto::Reason;

pub use settings::AuthSettings;

use api_keys::ApiKeys;
use jwt::JwtAuthenticator;
use quotas::QuotaRules;

/// Characters of a detail in the log, which may hold text of the caller.
const MAX_DETAIL_CHARS: usize = 300;

/// An authenticated caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuthenticatedCaller {
    /// Whose sessions it uses.
    pub tenant: Tenant,
    /// Who it is within the tenant: 1 to 64 characters of `[A-Za-z0-9._@-]`. Any other subject of
    /// a JWT is replaced by the first 16 hexadecimal digits of its SHA-256.
    pub subject: String,
    /// What it may do, out of read, write, meta, admin and control: sorted, each once.
    pub scopes: Vec<String>,
    /// Which sessions it may use.
    pub session: SessionScope,
    /// What its tenant may have.
    pub quota: TenantQuota,
    /// The `exp` of its JWT; none for an API key. A JWT is accepted until 30 s after that, so it
    /// can be in the past.
    pub expires_at: Option<SystemTime>,
}

/// Authenticates callers.
pub struct Authenticator {
    api_keys: Option<ApiKeys>,
    jwts: Option<JwtAuthenticator>,
    quotas: QuotaRules,
}

/// How often files and the issuer are asked for changes.
#[derive(Clone, Copy, Debug)]
struct RefreshTimes {
    /// Shortest time between two looks at a file.
    file: Duration,
    /// Shortest time between two fetches of the JWKS.
    fetch: Duration,
    /// Age at which a JWKS in use is fetched again.
    refetch: Duration,
    /// Time without a fetch after which the next caller waits for one, instead of going on with
    /// the keys that are known: nobody called meanwhile, so they may be old.
    stale: Duration,
}

impl Authenticator {
    /// Checks the settings and reads the files that they name. The issuer is asked for its keys
    /// when the first JWT comes.
    ///
    /// # Errors
    /// `SETTING_INVALID`, with the name of the setting.
    pub fn new(settings: AuthSettings) -> Result<Arc<Self>> {
        Self::with_times(&settings, RefreshTimes::default())
    }

    fn with_times(settings: &AuthSettings, times: RefreshTimes) -> Result<Arc<Self>> {
        let issuer = settings.issuer_settings()?;
        let rules = settings.claim_rules()?;
        let quotas = rules.quotas.clone();
        let api_keys =
            settings.api_keys.as_deref().map(|path| ApiKeys::open(path, times.file)).transpose()?;
        let jwts = issuer.map(|issuer| JwtAuthenticator::new(issuer, rules, times)).transpose()?;
        Ok(Arc::new(Self { api_keys, jwts, quotas }))
    }

    /// Finds out whose token this is.
    ///
    /// # Errors
    /// `TOKEN_MISSING`, `TOKEN_INVALID`, `TOKEN_EXPIRED` (also for a token that is not valid
    /// yet), and `GATE_UNAVAILABLE` while the keys of the issuer are not known and cannot be
    /// fetched.
    pub async fn authenticate(&self, token: Option<&str>) -> Result<AuthenticatedCaller> {
        let token = token.map(str::trim).filter(|token| !token.is_empty());
        let token = token.ok_or_else(missing_token)?;
        if is_jwt(token) {
            return match &self.jwts {
                Some(jwts) => jwts.authenticate(token).await,
                None => Err(invalid_token("a JWT, and the settings have no `issuer`")),
            };
        }
        let api_keys = self.api_keys.as_ref();
        let api_keys = api_keys
            .ok_or_else(|| invalid_token("an API key, and the settings have no `api_keys`"))?;
        let found = api_keys.caller(token, &self.quotas);
        found.ok_or_else(|| invalid_token("an unknown API key"))
    }
}

impl fmt::Debug for Authenticator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Authenticator").finish_non_exhaustive()
    }
}

impl Default for RefreshTimes {
    fn default() -> Self {
        Self {
            file: Duration::from_secs(1),
            fetch: Duration::from_secs(10),
            refetch: Duration::from_secs(10 * 60),
            stale: Duration::from_secs(15 * 60),
        }
    }
}

fn is_jwt(token: &str) -> bool {
    token.bytes().filter(|byte| *byte == b'.').count() == 2
}

fn missing_token() -> Error {
    Error::new(Reason::TokenMissing, "the call carries no token")
        .with(HINT_KEY, "Set `BROWSE_TOKEN`, or send the header `authorization: Bearer <token>`")
}

/// The error for a token that is not accepted. It is the same for every cause, so that a caller
/// who tries learns nothing; `why` is for the log.
fn invalid_token(why: impl fmt::Display) -> Error {
    refused_token("the token is not valid", why)
}

/// The error for a JWT of our issuer, for us, whose claims cannot be used: `why` names the claim
/// and goes to the caller, who owns the token.
fn unusable_claim(why: &str) -> Error {
    refused_token(&format!("the token is not valid: {why}"), why)
}

fn refused_token(message: &str, why: impl fmt::Display) -> Error {
    tracing::debug!(why = quote_up_to(&why.to_string(), MAX_DETAIL_CHARS), "a token was refused");
    Error::new(Reason::TokenInvalid, message).with(
        HINT_KEY,
        "Use an API key of this gateway, or a JWT that its issuer made for its audience",
    )
}

fn expired_token(message: &str) -> Error {
    Error::new(Reason::TokenExpired, message).with(HINT_KEY, "Get a new token from your issuer")
}

/// The error while no key of the issuer is known.
fn keys_unavailable() -> Error {
    let message = "the token cannot be checked: the keys of the issuer cannot be fetched now";
    Error::new(Reason::GateUnavailable, message)
}

#[cfg(test)]
mod tests;
