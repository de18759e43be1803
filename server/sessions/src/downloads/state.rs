//! What is known of all downloads, behind the lock of their store.

use std::{collections::HashMap, fs, path::PathBuf, sync::Arc};

use tokio::time::Instant;

use super::{
    admission::DownloadUsage,
    record::{DownloadRecord, DownloadStatus},
};
use browse_chromium::Page;

/// Records of a session that have no file: a page may begin any number.
const MAX_RECORDS_WITHOUT_FILE: usize = 100;

/// The records, and those of them that are under way.
#[derive(Default)]
pub struct DownloadsState {
    pub records: Vec<DownloadRecord>,
    /// Those whose bytes are coming, by Chromium's id.
    pub active: HashMap<String, ActiveDownload>,
    pub last_id: u64,
    /// Sessions in which a caller waits for a download to begin.
    pub awaiting_sessions: Vec<String>,
}

/// A download whose bytes are coming.
pub struct ActiveDownload {
    pub id: u64,
    pub page: Arc<Page>,
    pub path: PathBuf,
    pub started_at: Instant,
    pub last_progress: Instant,
}

impl DownloadsState {
    pub fn set_status(&mut self, id: u64, status: DownloadStatus) {
        if let Some(record) = self.records.iter_mut().find(|record| record.id == id) {
            record.status = status;
        }
    }

    /// Ends the download `guid`.
    pub fn refuse(&mut self, guid: &str, why: String) {
        let Some(live) = self.active.remove(guid) else { return };
        live.page.cancel_download(guid, &live.path);
        self.set_status(live.id, DownloadStatus::Refused(why));
    }

    /// Makes room for the download `id`: files that callers have saved go first.
    /// Answers why there is none.
    pub fn enforce_quota(&mut self, id: u64) -> Option<String> {
        let record = self.records.iter().find(|record| record.id == id)?;
        let (session, instance) = (record.session.clone(), record.instance);
        loop {
            let own = self.records.iter().filter(|record| record.belongs_to(&session, instance));
            let excess = DownloadUsage::of(own).excess()?;
            let goes = |record: &DownloadRecord| {
                record.belongs_to(&session, instance) && record.saved && record.path.is_some()
            };
            let Some(at) = self.records.iter().position(goes) else { return Some(excess) };
            remove_file(&self.records.remove(at));
        }
    }

    /// Forgets the oldest records without a file, of a session that has many.
    pub fn prune_records(&mut self, session: &str) {
        let is_empty =
            |record: &DownloadRecord| record.session == session && !record.counts_toward_quota();
        let count = self.records.iter().filter(|record| is_empty(record)).count();
        let mut excess = count.saturating_sub(MAX_RECORDS_WITHOUT_FILE);
        self.records.retain(|record| {
            let goes = excess > 0 && is_empty(record);
            excess -= usize::from(goes);
            !goes
        });
    }
}

/// Removes the file of a record.
pub fn remove_file(record: &DownloadRecord) {
    if let Some(path) = &record.path
        && let Err(error) = fs::remove_file(path)
    {
        tracing::debug!(%error, "a kept file was not removed");
    }
}
