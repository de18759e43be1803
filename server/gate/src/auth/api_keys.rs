//! API keys: a TOML file with the hash of each key and what it is good for.

use std::{collections::HashSet, hint::black_box, path::Path, time::Duration};

use browse_base::{Result, quote};
use browse_fleet::{SessionScope, Tenant};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use super::{
    AuthenticatedCaller,
    claims::{is_plain_subject, is_scope, is_session_name, known_scopes},
    quotas::QuotaRules,
    settings::invalid_setting,
    watched_file::WatchedFile,
};

type KeyHash = [u8; 32];

/// The API keys of a file.
pub struct ApiKeys {
    file: WatchedFile<Vec<ApiKey>>,
}

struct ApiKey {
    hash: KeyHash,
    tenant: Tenant,
    subject: String,
    scopes: Vec<String>,
    session: SessionScope,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ApiKeyFile {
    #[serde(default)]
    key: Vec<ApiKeyEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ApiKeyEntry {
    sha256: String,
    tenant: Tenant,
    subject: String,
    scopes: Vec<String>,
    session: Option<String>,
}

impl ApiKeys {
    /// Reads the file, and again when it changes, at most once in `interval`.
    ///
    /// # Errors
    /// `SETTING_INVALID`.
    pub fn open(path: &Path, interval: Duration) -> Result<Self> {
        let file = WatchedFile::open(path, interval, parse).map_err(|why| {
            invalid_setting("api_keys", &format!("the file `{}`: {why}", path.display()))
        })?;
        Ok(Self { file })
    }

    /// Whose key this is. The time that it takes does not depend on which key it is.
    pub fn caller(&self, key: &str, quotas: &QuotaRules) -> Option<AuthenticatedCaller> {
        let hash: KeyHash = Sha256::digest(key).into();
        let keys = self.file.current();
        let found = keys.iter().fold(None, |found, known| match is_equal(&known.hash, &hash) {
            true => Some(known),
            false => found,
        })?;
        Some(AuthenticatedCaller {
            tenant: found.tenant.clone(),
            subject: found.subject.clone(),
            scopes: found.scopes.clone(),
            session: found.session.clone(),
            quota: quotas.of(&found.tenant),
            expires_at: None,
        })
    }
}

impl TryFrom<ApiKeyEntry> for ApiKey {
    type Error = String;

    fn try_from(entry: ApiKeyEntry) -> Result<Self, String> {
        let ApiKeyEntry { sha256, tenant, subject, scopes, session } = entry;
        let hash = hash_from_hex(&sha256)
            .ok_or_else(|| "`sha256` is not 64 hexadecimal digits".to_owned())?;
        if !is_plain_subject(&subject) {
            return Err(format!("`{}` is not a subject", quote(&subject)));
        }
        if let Some(unknown) = scopes.iter().find(|scope| !is_scope(scope)) {
            return Err(format!("`{}` is not a scope", quote(unknown)));
        }
        let session = match session {
            None => SessionScope::Any,
            Some(name) if is_session_name(&name) => SessionScope::Only(name),
            Some(name) => return Err(format!("`{}` is not a name for a session", quote(&name))),
        };
        let scopes = known_scopes(scopes.iter().map(String::as_str));
        Ok(Self { hash, tenant, subject, scopes, session })
    }
}

fn parse(bytes: &[u8]) -> Result<Vec<ApiKey>, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())?;
    let file: ApiKeyFile = toml::from_str(text).map_err(|error| {
        // Not the whole error, which quotes the file.
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        format!("line {line}: {}", error.message())
    })?;
    let keys = file.key.into_iter().enumerate().map(|(index, entry)| {
        ApiKey::try_from(entry).map_err(|why| format!("`[[key]]` number {}: {why}", index + 1))
    });
    let keys = keys.collect::<Result<Vec<_>, _>>()?;
    let mut hashes = HashSet::new();
    match keys.iter().enumerate().find(|(_, key)| !hashes.insert(key.hash)) {
        Some((index, _)) => {
            Err(format!("`[[key]]` number {}: an earlier one has the same `sha256`", index + 1))
        }
        None => Ok(keys),
    }
}

fn hash_from_hex(text: &str) -> Option<KeyHash> {
    let digits = text.as_bytes();
    if digits.len() != 64 || !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let mut hash = [0; 32];
    for (byte, pair) in hash.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(hash)
}

/// Compares in constant time.
fn is_equal(one: &KeyHash, other: &KeyHash) -> bool {
    let differing = one.iter().zip(other).fold(0_u8, |bits, (a, b)| bits | (a ^ b));
    black_box(differing) == 0
}

#[cfg(test)]
#[path = "api_keys/tests.rs"]
mod tests;
