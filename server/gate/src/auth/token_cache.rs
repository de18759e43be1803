//! JWTs that were verified a short while ago.

use std::{
    collections::HashMap,
    mem,
    time::{Duration, Instant, SystemTime},
};

use browse_base::Lock;

use super::AuthenticatedCaller;

/// SHA-256 of a token.
pub type TokenHash = [u8; 32];

/// SHA-256 of the JWKS that verified a token.
pub type KeySetHash = [u8; 32];

/// Entries in all.
const MAX_ENTRIES: usize = 10_000;

/// How long a token is not verified again.
const LIFETIME: Duration = Duration::from_secs(5 * 60);

/// The cache. It has two halves: when one is full, the other one, with what was added before, is
/// emptied and filled next. So it never has to search for what to remove.
#[derive(Default)]
pub struct TokenCache(Lock<CacheHalves>);

#[derive(Default)]
struct CacheHalves {
    newer: HashMap<TokenHash, VerifiedToken>,
    older: HashMap<TokenHash, VerifiedToken>,
}

struct VerifiedToken {
    caller: AuthenticatedCaller,
    keys: KeySetHash,
    until: Instant,
}

impl TokenCache {
    /// The caller of a token that was verified with these keys and has not expired.
    pub fn find(&self, token: &TokenHash, keys: &KeySetHash) -> Option<AuthenticatedCaller> {
        let halves = self.0.lock();
        let found = halves.newer.get(token).or_else(|| halves.older.get(token))?;
        let is_good =
            found.keys == *keys && found.until > Instant::now() && is_before_expiry(&found.caller);
        is_good.then(|| found.caller.clone())
    }

    /// Keeps a verified token, except in the leeway after its end.
    pub fn insert(&self, token: TokenHash, keys: KeySetHash, caller: AuthenticatedCaller) {
        if !is_before_expiry(&caller) {
            return;
        }
        let verified = VerifiedToken { caller, keys, until: Instant::now() + LIFETIME };
        let mut halves = self.0.lock();
        if halves.newer.len() >= MAX_ENTRIES / 2 {
            halves.older = mem::take(&mut halves.newer);
        }
        halves.newer.insert(token, verified);
    }
}

fn is_before_expiry(caller: &AuthenticatedCaller) -> bool {
    caller.expires_at.is_some_and(|at| at > SystemTime::now())
}

#[cfg(test)]
mod tests {
    use browse_fleet::{SessionScope, Tenant, TenantQuota};

    use super::*;

    fn caller(expires_at: SystemTime) -> AuthenticatedCaller {
        AuthenticatedCaller {
            tenant: Tenant::new("acme").expect("a name"),
            subject: "alice".to_owned(),
            scopes: Vec::new(),
            session: SessionScope::Any,
            quota: TenantQuota::default(),
            expires_at: Some(expires_at),
        }
    }

    fn hash(number: usize) -> TokenHash {
        let mut hash = [0; 32];
        hash[..8].copy_from_slice(&number.to_be_bytes());
        hash
    }

    #[test]
    fn a_token_is_found_with_the_same_keys_until_it_expires() {
        let cache = TokenCache::default();
        let soon = caller(SystemTime::now() + Duration::from_secs(60));
        cache.insert(hash(1), hash(7), soon.clone());
        assert_eq!(cache.find(&hash(1), &hash(7)), Some(soon));
        assert_eq!(cache.find(&hash(1), &hash(8)), None, "the keys have changed");
        assert_eq!(cache.find(&hash(2), &hash(7)), None, "another token");
        cache.insert(hash(3), hash(7), caller(SystemTime::now() - Duration::from_secs(1)));
        assert_eq!(cache.find(&hash(3), &hash(7)), None, "it has expired");
    }

    #[test]
    fn it_does_not_grow() {
        let cache = TokenCache::default();
        let soon = caller(SystemTime::now() + Duration::from_secs(600));
        for number in 0..3 * MAX_ENTRIES {
            cache.insert(hash(number), hash(0), soon.clone());
        }
        let halves = cache.0.lock();
        let count = halves.newer.len() + halves.older.len();
        assert!((MAX_ENTRIES / 2..=MAX_ENTRIES).contains(&count), "{count}");
        drop(halves);
        assert!(cache.find(&hash(3 * MAX_ENTRIES - 1), &hash(0)).is_some(), "the last one");
        assert!(cache.find(&hash(0), &hash(0)).is_none(), "the first one");
    }
}
