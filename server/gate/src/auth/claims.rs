//! What the claims of a verified JWT say about the caller.

use std::{
    collections::BTreeSet,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use browse_base::hex;
use browse_fleet::{SessionScope, Tenant};
use browse_proto::Scope;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use super::{AuthenticatedCaller, quotas::QuotaRules};

/// The claim with a lower quota.
const QUOTA_CLAIM: &str = "browse_quota";

/// What a scope may begin with.
const SCOPE_PREFIX: &str = "browse:";

/// Longest subject that is taken as it is, and longest name of a session, in bytes.
const MAX_NAME_BYTES: usize = 64;

/// Bytes of the hash of any other subject.
const SUBJECT_HASH_BYTES: usize = 8;

/// Which claims mean what.
#[derive(Clone, Debug)]
pub struct ClaimRules {
    /// The claim with the tenant.
    pub tenant_claim: String,
    /// The claim with the scopes.
    pub scope_claim: String,
    /// The claim with the session.
    pub session_claim: String,
    /// The scopes where the claim is absent.
    pub default_scopes: Vec<String>,
    /// What tenants may have.
    pub quotas: QuotaRules,
}

impl ClaimRules {
    /// The caller that these claims describe. A claim that is there and cannot be used is an
    /// error: it never counts as absent, which would allow more.
    ///
    /// # Errors
    /// Names the claim.
    pub fn caller(&self, claims: &Map<String, Value>) -> Result<AuthenticatedCaller, String> {
        let tenant = text(claims, &self.tenant_claim)?;
        let tenant = Tenant::new(tenant)
            .map_err(|_| unusable(&self.tenant_claim, "does not name a tenant"))?;
        let subject = subject(text(claims, "sub")?);
        let scopes = self.scopes(claims)?;
        let session = match claims.get(&self.session_claim) {
            None => SessionScope::Any,
            Some(Value::String(name)) if is_session_name(name) => SessionScope::Only(name.clone()),
            Some(_) => return Err(unusable(&self.session_claim, "does not name a session")),
        };
        let quota = match claims.get(QUOTA_CLAIM) {
            None => self.quotas.of(&tenant),
            Some(claim) => self.quotas.lowered_by(claim, &tenant).map_err(|_| {
                unusable(QUOTA_CLAIM, "has other fields than sessions, sessions_per_minute, queue")
            })?,
        };
        let expires_at = expiry(claims).ok_or_else(|| unusable("exp", "is not a time"))?;
        Ok(AuthenticatedCaller {
            tenant,
            subject,
            scopes,
            session,
            quota,
            expires_at: Some(expires_at),
        })
    }

    fn scopes(&self, claims: &Map<String, Value>) -> Result<Vec<String>, String> {
        let words: Option<Vec<&str>> = match claims.get(&self.scope_claim) {
            None => return Ok(self.default_scopes.clone()),
            Some(Value::String(text)) => Some(text.split_whitespace().collect()),
            Some(Value::Array(items)) => items.iter().map(Value::as_str).collect(),
            Some(_) => None,
        };
        let words = words
            .ok_or_else(|| unusable(&self.scope_claim, "is not a string or an array of strings"))?;
        Ok(known_scopes(
            words.into_iter().map(|word| word.strip_prefix(SCOPE_PREFIX).unwrap_or(word)),
        ))
    }
}

/// The words that are scopes: sorted, each once.
pub fn known_scopes<'a>(words: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let known: BTreeSet<&str> = words.into_iter().filter(|word| is_scope(word)).collect();
    known.into_iter().map(str::to_owned).collect()
}

/// Whether a word is a scope.
pub fn is_scope(word: &str) -> bool {
    Scope::GRANTABLE.into_iter().any(|scope| scope.name() == word)
}

/// Whether a session of a fleet may have this name. Names of daemons may have other letters, too:
/// those that look like others would be others, and no header carries them.
pub fn is_session_name(name: &str) -> bool {
    let is_good = |letter: char| letter.is_ascii_alphanumeric() || "-._".contains(letter);
    !name.is_empty() && name.len() <= MAX_NAME_BYTES && name.chars().all(is_good)
}

/// Whether a subject is taken as it is.
pub fn is_plain_subject(text: &str) -> bool {
    let is_good = |byte: u8| byte.is_ascii_alphanumeric() || b"._@-".contains(&byte);
    !text.is_empty() && text.len() <= MAX_NAME_BYTES && text.bytes().all(is_good)
}

fn subject(text: &str) -> String {
    match is_plain_subject(text) {
        true => text.to_owned(),
        false => hex(&Sha256::digest(text)[..SUBJECT_HASH_BYTES]),
    }
}

fn text<'a>(claims: &'a Map<String, Value>, name: &str) -> Result<&'a str, String> {
    match claims.get(name) {
        Some(Value::String(text)) if !text.is_empty() => Ok(text),
        Some(_) => Err(unusable(name, "is not a string, or is empty")),
        None => Err(format!("it has no claim `{name}`")),
    }
}

fn expiry(claims: &Map<String, Value>) -> Option<SystemTime> {
    let exp = claims.get("exp")?;
    // RFC 7519 allows fractions of a second; `as` keeps to the range of the type.
    let seconds = exp.as_u64().or_else(|| exp.as_f64().map(|seconds| seconds as u64))?;
    UNIX_EPOCH.checked_add(Duration::from_secs(seconds))
}

fn unusable(claim: &str, why: &str) -> String {
    format!("its claim `{claim}` {why}")
}

#[cfg(test)]
#[path = "claims/tests.rs"]
mod tests;
