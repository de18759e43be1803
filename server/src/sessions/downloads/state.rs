//! What is known of all downloads, behind the lock of their store.

use std::{collections::HashMap, fs, path::PathBuf, sync::Arc};

use tokio::time::Instant;

use super::{
    admission::Usage,
    record::{DownloadRecord, DownloadStatus},
};
use crate::chromium::Page;

/// Records of a session that have no file: a page may begin any number.
const MOST_WITHOUT_FILE: usize = 100;

/// The records, and those of them that are under way.
#[derive(Default)]
pub struct State {
    pub records: Vec<DownloadRecord>,
    /// Those whose bytes are coming, by Chromium's id.
    pub live: HashMap<String, Live>,
    pub last: u64,
    /// Sessions in which a caller waits for a download to begin.
    pub awaited: Vec<String>,
}

/// A download whose bytes are coming.
pub struct Live {
    pub id: u64,
    pub page: Arc<Page>,
    pub path: PathBuf,
    pub begun: Instant,
    pub moved: Instant,
}

impl State {
    pub fn set(&mut self, id: u64, status: DownloadStatus) {
        if let Some(record) = self.records.iter_mut().find(|record| record.id == id) {
            record.status = status;
        }
    }

    /// Ends the download `guid`.
    pub fn refuse(&mut self, guid: &str, why: String) {
        let Some(live) = self.live.remove(guid) else { return };
        live.page.cancel_download(guid, &live.path);
        self.set(live.id, DownloadStatus::Refused(why));
    }

    /// Makes room for the download `id`: files that callers have saved go first.
    /// Answers why there is none.
    pub fn make_room(&mut self, id: u64) -> Option<String> {
        let record = self.records.iter().find(|record| record.id == id)?;
        let (session, instance) = (record.session.clone(), record.instance);
        loop {
            let own = self.records.iter().filter(|record| record.is_of(&session, instance));
            let excess = Usage::of(own).excess()?;
            let goes = |record: &DownloadRecord| {
                record.is_of(&session, instance) && record.saved && record.path.is_some()
            };
            let Some(at) = self.records.iter().position(goes) else { return Some(excess) };
            remove_file(&self.records.remove(at));
        }
    }

    /// Forgets the oldest records without a file, of a session that has many.
    pub fn forget_oldest(&mut self, session: &str) {
        let is_empty = |record: &DownloadRecord| record.session == session && !record.takes_room();
        let count = self.records.iter().filter(|record| is_empty(record)).count();
        let mut excess = count.saturating_sub(MOST_WITHOUT_FILE);
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
