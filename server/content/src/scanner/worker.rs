//! The work of a scan, off the async threads.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use tokio::sync::{Semaphore, watch};

use super::{
    MAX_CONCURRENT_SCANS,
    builtin_classifier::BuiltinClassifier,
    cache::{ScanCache, ScanResult, TextDigest},
};
use browse_models::OnnxClassifier;

/// What scans share.
#[derive(Debug)]
pub struct ScannerInner {
    /// The classifier that is built in.
    pub builtin: BuiltinClassifier,
    /// The one from a folder.
    pub onnx: OnnxClassifier,
    /// What is known.
    pub cache: ScanCache,
    permits: Semaphore,
    /// Scans at work or in line.
    pub queued: AtomicU64,
    /// Texts that were scanned.
    pub scanned: AtomicU64,
    /// Scans that went on in the background.
    pub late: AtomicU64,
    /// Texts that were not scanned.
    pub refused: AtomicU64,
}

impl ScannerInner {
    /// Nothing is known yet.
    pub fn new(layers: BuiltinClassifier, second: OnnxClassifier) -> Self {
        Self {
            builtin: layers,
            onnx: second,
            cache: ScanCache::default(),
            permits: Semaphore::new(MAX_CONCURRENT_SCANS),
            queued: AtomicU64::new(0),
            scanned: AtomicU64::new(0),
            late: AtomicU64::new(0),
            refused: AtomicU64::new(0),
        }
    }

    /// Has the layers look at `text`, and tells everyone who waits.
    pub async fn run(
        self: Arc<Self>,
        digest: TextDigest,
        text: String,
        sender: watch::Sender<Option<ScanResult>>,
    ) {
        let slot = self.permits.acquire().await;
        let this = Arc::clone(&self);
        let look = move || (this.builtin.scan(&text), text);
        let found = tokio::task::spawn_blocking(look).await;
        drop(slot);
        let found = match found {
            Ok((entry, text)) if self.onnx.is_configured() => {
                let entry = ScanResult { is_partial: true, ..entry };
                // Whoever waits for a short while has this much.
                sender.send_replace(Some(entry.clone()));
                Ok(self.add_onnx_score(entry, &text).await)
            }
            found => found.map(|(entry, _)| entry),
        };
        self.queued.fetch_sub(1, Ordering::Relaxed);
        match found {
            Ok(entry) => {
                self.scanned.fetch_add(1, Ordering::Relaxed);
                self.cache.insert(digest, entry.clone());
                sender.send_replace(Some(entry));
            }
            Err(error) => {
                tracing::error!(%error, "a classifier broke off");
                self.cache.abandon(digest);
            }
        }
    }

    /// Adds what the second classifier says.
    async fn add_onnx_score(&self, mut entry: ScanResult, text: &str) -> ScanResult {
        match self.onnx.score(text, entry.worst_range).await {
            Some(output) => {
                entry.scores.onnx = output.score;
                entry.unread_bytes = output.unread;
            }
            None => entry.is_degraded = true,
        }
        ScanResult { is_partial: false, ..entry }
    }
}
