//! Waiting for downloads to begin, and to end.

use std::sync::Arc;

use tokio::time::Instant;

use super::{
    record::{DownloadRecord, DownloadStatus},
    store::Downloads,
};

/// A caller that waits for a download: what begins meanwhile is kept.
pub struct AwaitedDownload {
    downloads: Arc<Downloads>,
    session: String,
}

impl Downloads {
    /// Waits until none of `ids` is under way, at most until `limit`. Answers
    /// whether it is so.
    pub async fn wait_until_finished(&self, ids: &[u64], limit: Instant) -> bool {
        self.wait_for(limit, |records| {
            let of = |record: &&DownloadRecord| ids.contains(&record.id);
            let over = |record: &DownloadRecord| record.status != DownloadStatus::Running;
            records.iter().filter(of).all(over).then_some(())
        })
        .await
        .is_some()
    }

    /// Waits until `find` finds something in the records, at most until `limit`.
    pub async fn wait_for<T>(
        &self,
        limit: Instant,
        find: impl Fn(&[DownloadRecord]) -> Option<T>,
    ) -> Option<T> {
        let mut changed = self.changed.subscribe();
        loop {
            if let Some(found) = find(&self.lock().records) {
                return Some(found);
            }
            // The sender is ours.
            match tokio::time::timeout_at(limit, changed.changed()).await {
                Ok(Ok(())) => {}
                _ => return None,
            }
        }
    }

    /// Has the downloads that begin in `session` be kept until the answer is
    /// dropped.
    pub fn expect_download(self: &Arc<Self>, session: &str) -> AwaitedDownload {
        self.lock().awaiting_sessions.push(session.to_owned());
        AwaitedDownload { downloads: Arc::clone(self), session: session.to_owned() }
    }
}

impl Drop for AwaitedDownload {
    fn drop(&mut self) {
        let mut state = self.downloads.lock();
        if let Some(at) = state.awaiting_sessions.iter().position(|name| *name == self.session) {
            state.awaiting_sessions.remove(at);
        }
    }
}
