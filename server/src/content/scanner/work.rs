//! The work of a scan, off the async threads.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use tokio::sync::{Semaphore, watch};

use super::{
    AT_ONCE,
    cache::{Cache, Digest, Entry},
    layers::Layers,
};
use crate::models::Second;

/// What scans share.
#[derive(Debug)]
pub struct Inner {
    /// The classifier that is built in.
    pub layers: Layers,
    /// The one from a folder.
    pub second: Second,
    /// What is known.
    pub cache: Cache,
    slots: Semaphore,
    /// Scans at work or in line.
    pub waiting: AtomicU64,
    /// Texts that were scanned.
    pub scanned: AtomicU64,
    /// Scans that went on in the background.
    pub late: AtomicU64,
    /// Texts that were not scanned.
    pub refused: AtomicU64,
}

impl Inner {
    /// Nothing is known yet.
    pub fn new(layers: Layers, second: Second) -> Self {
        Self {
            layers,
            second,
            cache: Cache::default(),
            slots: Semaphore::new(AT_ONCE),
            waiting: AtomicU64::new(0),
            scanned: AtomicU64::new(0),
            late: AtomicU64::new(0),
            refused: AtomicU64::new(0),
        }
    }

    /// Has the layers look at `text`, and tells everyone who waits.
    pub async fn run(
        self: Arc<Self>,
        digest: Digest,
        text: String,
        sender: watch::Sender<Option<Entry>>,
    ) {
        let slot = self.slots.acquire().await;
        let this = Arc::clone(&self);
        let look = move || (this.layers.look(&text), text);
        let found = tokio::task::spawn_blocking(look).await;
        drop(slot);
        let found = match found {
            Ok((entry, text)) if self.second.is_wanted() => {
                let entry = Entry { is_partial: true, ..entry };
                // Whoever waits for a short while has this much.
                sender.send_replace(Some(entry.clone()));
                Ok(self.ask_second(entry, &text).await)
            }
            found => found.map(|(entry, _)| entry),
        };
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        match found {
            Ok(entry) => {
                self.scanned.fetch_add(1, Ordering::Relaxed);
                self.cache.keep(digest, entry.clone());
                sender.send_replace(Some(entry));
            }
            Err(error) => {
                tracing::error!(%error, "a classifier broke off");
                self.cache.give_up(digest);
            }
        }
    }

    /// Adds what the second classifier says.
    async fn ask_second(&self, mut entry: Entry, text: &str) -> Entry {
        match self.second.score(text, entry.worst).await {
            Some(said) => {
                entry.scores.second = said.score;
                entry.unread = said.unread;
            }
            None => entry.lacking = true,
        }
        Entry { is_partial: false, ..entry }
    }
}
