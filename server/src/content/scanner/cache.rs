//! Results by the hash of the text, and the scans that run.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError},
};

use browse_guard::Scores;
use sha2::{Digest as _, Sha256};
use tokio::sync::watch;

/// Results that are kept; about 100 bytes each.
const MOST: usize = 512;

/// Names a text: the first half of its SHA-256.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Digest([u8; 16]);

impl Digest {
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
pub(super) struct Entry {
    /// What each layer said.
    pub scores: Scores,
    /// Where it is worst, in bytes of the normalised text.
    pub worst: Option<(usize, usize)>,
    /// Bytes that the second classifier did not look at.
    pub unread: usize,
    /// Whether a layer that should have had a say has none.
    pub lacking: bool,
    /// Whether a layer is still at work.
    pub is_partial: bool,
}

/// Where a text stands in the cache.
pub(super) enum Place {
    /// It was scanned.
    Known(Entry),
    /// Somebody scans it.
    Running(watch::Receiver<Option<Entry>>),
    /// Nobody does: the caller is to scan it and to send the result.
    New(watch::Sender<Option<Entry>>),
}

/// Results and running scans.
#[derive(Debug, Default)]
pub(super) struct Cache {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    known: HashMap<Digest, Entry>,
    /// Oldest first.
    order: VecDeque<Digest>,
    running: HashMap<Digest, watch::Receiver<Option<Entry>>>,
}

impl Cache {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks a text up, and takes on the scan of one that nobody knows.
    pub fn place(&self, digest: Digest) -> Place {
        let mut state = self.lock();
        if let Some(entry) = state.known.get(&digest) {
            return Place::Known(entry.clone());
        }
        if let Some(result) = state.running.get(&digest) {
            return Place::Running(result.clone());
        }
        let sender = watch::Sender::new(None);
        state.running.insert(digest, sender.subscribe());
        Place::New(sender)
    }

    /// Keeps a result, and forgets the oldest.
    pub fn keep(&self, digest: Digest, entry: Entry) {
        let mut state = self.lock();
        state.running.remove(&digest);
        if state.known.insert(digest, entry).is_none() {
            state.order.push_back(digest);
        }
        while state.order.len() > MOST {
            if let Some(oldest) = state.order.pop_front() {
                state.known.remove(&oldest);
            }
        }
    }

    /// Ends a scan that has no result.
    pub fn give_up(&self, digest: Digest) {
        self.lock().running.remove(&digest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_scans_and_the_others_wait() {
        let cache = Cache::default();
        let digest = Digest::of("a");
        assert!(matches!(cache.place(digest), Place::New(_)));
        assert!(matches!(cache.place(digest), Place::Running(_)));
        cache.keep(digest, Entry::default());
        assert!(matches!(cache.place(digest), Place::Known(_)));
        let other = Digest::of("b");
        assert!(matches!(cache.place(other), Place::New(_)));
        cache.give_up(other);
        assert!(matches!(cache.place(other), Place::New(_)));
    }

    #[test]
    fn the_oldest_is_forgotten() {
        let cache = Cache::default();
        let digest = |number: usize| Digest::of(&number.to_string());
        for number in 0..=MOST {
            cache.keep(digest(number), Entry::default());
        }
        let is_known = |number| matches!(cache.place(digest(number)), Place::Known(_));
        assert!(!is_known(0) && is_known(1) && is_known(MOST));
    }
}
