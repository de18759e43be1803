//! Results by the hash of the text, and the scans that run.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError},
};

use browse_guard::Scores;
use sha2::{Digest as _, Sha256};
use tokio::sync::watch;

/// Results that are kept; about 100 bytes each.
const MAX_CACHED_RESULTS: usize = 512;

/// Names a text: the first half of its SHA-256.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TextDigest([u8; 16]);

impl TextDigest {
    /// The digest of `text`.
    pub fn of(text: &str) -> Self {
        let whole = Sha256::digest(text.as_bytes());
        let mut half = [0; 16];
        half.copy_from_slice(&whole[..16]);
        Self(half)
    }
}

/// What is known about a text, whatever surface it stands on.
#[derive(Clone, Debug, Default)]
pub(super) struct ScanResult {
    /// What each layer reported.
    pub scores: Scores,
    /// Where it is worst, in bytes of the normalised text.
    pub worst_range: Option<(usize, usize)>,
    /// Bytes that the second classifier did not look at.
    pub unread_bytes: usize,
    /// Whether a layer that should have had a say has none.
    pub is_degraded: bool,
    /// Whether a layer is still at work.
    pub is_partial: bool,
}

/// Where a text stands in the cache.
pub(super) enum CacheLookup {
    /// It was scanned.
    Cached(ScanResult),
    /// Somebody scans it.
    Running(watch::Receiver<Option<ScanResult>>),
    /// Nobody does: the caller is to scan it and to send the result.
    Claimed(watch::Sender<Option<ScanResult>>),
}

/// Results and running scans.
#[derive(Debug, Default)]
pub(super) struct ScanCache {
    state: Mutex<ScanCacheState>,
}

#[derive(Debug, Default)]
struct ScanCacheState {
    results: HashMap<TextDigest, ScanResult>,
    /// Oldest first.
    order: VecDeque<TextDigest>,
    running: HashMap<TextDigest, watch::Receiver<Option<ScanResult>>>,
}

impl ScanCache {
    fn lock(&self) -> MutexGuard<'_, ScanCacheState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks a text up, and takes on the scan of one that nobody knows.
    pub fn lookup_or_claim(&self, digest: TextDigest) -> CacheLookup {
        let mut state = self.lock();
        if let Some(entry) = state.results.get(&digest) {
            return CacheLookup::Cached(entry.clone());
        }
        if let Some(result) = state.running.get(&digest) {
            return CacheLookup::Running(result.clone());
        }
        let sender = watch::Sender::new(None);
        state.running.insert(digest, sender.subscribe());
        CacheLookup::Claimed(sender)
    }

    /// Keeps a result, and forgets the oldest.
    pub fn insert(&self, digest: TextDigest, entry: ScanResult) {
        let mut state = self.lock();
        state.running.remove(&digest);
        if state.results.insert(digest, entry).is_none() {
            state.order.push_back(digest);
        }
        while state.order.len() > MAX_CACHED_RESULTS {
            if let Some(oldest) = state.order.pop_front() {
                state.results.remove(&oldest);
            }
        }
    }

    /// Ends a scan that has no result.
    pub fn abandon(&self, digest: TextDigest) {
        self.lock().running.remove(&digest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_scans_and_the_others_wait() {
        let cache = ScanCache::default();
        let digest = TextDigest::of("a");
        assert!(matches!(cache.lookup_or_claim(digest), CacheLookup::Claimed(_)));
        assert!(matches!(cache.lookup_or_claim(digest), CacheLookup::Running(_)));
        cache.insert(digest, ScanResult::default());
        assert!(matches!(cache.lookup_or_claim(digest), CacheLookup::Cached(_)));
        let other = TextDigest::of("b");
        assert!(matches!(cache.lookup_or_claim(other), CacheLookup::Claimed(_)));
        cache.abandon(other);
        assert!(matches!(cache.lookup_or_claim(other), CacheLookup::Claimed(_)));
    }

    #[test]
    fn the_oldest_is_forgotten() {
        let cache = ScanCache::default();
        let digest = |number: usize| TextDigest::of(&number.to_string());
        for number in 0..=MAX_CACHED_RESULTS {
            cache.insert(digest(number), ScanResult::default());
        }
        let is_known =
            |number| matches!(cache.lookup_or_claim(digest(number)), CacheLookup::Cached(_));
        assert!(!is_known(0) && is_known(1) && is_known(MAX_CACHED_RESULTS));
    }
}
