//! All downloads of a daemon, and those that the daemons before it have kept.

use std::{
    fs, io,
    path::Path,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, SystemTime},
};

use browse_proto::file_name;
use tokio::{sync::watch, time::Instant};

use super::{
    admission::{lacks_space, refusal_reason},
    folder::DownloadFolder,
    mime,
    record::{DownloadFilter, DownloadRecord, DownloadSession, DownloadStatus, RETENTION},
    state::{ActiveDownload, DownloadsState, remove_file},
};
use crate::Tab;
use browse_chromium::{Download, DownloadState};
use browse_net::without_query;
use browse_policy::ClientId;

/// Time without a byte after which a download does not keep the daemon alive.
const STALL_TIMEOUT: Duration = Duration::from_secs(60);

/// How often expired files are looked for.
const SWEEP_INTERVAL: Duration = Duration::from_secs(600);

/// Bytes whose lack says that the disk was full when a download ended.
const MIN_FREE_BYTES: u64 = 1 << 20;

/// The downloads.
#[derive(Default)]
pub struct Downloads {
    folder: OnceLock<Result<DownloadFolder, String>>,
    state: Mutex<DownloadsState>,
    /// Records that no caller was notified of, or more.
    unreported_count: AtomicUsize,
    /// Held while files are moved and the index is written.
    disk_lock: Mutex<()>,
    pub(super) changed: watch::Sender<()>,
}

impl Downloads {
    /// Keeps files in the folder at `path` from now on, and knows those that are
    /// there. Without it everything is refused.
    pub fn open(&self, path: &Path) {
        let opened = DownloadFolder::open(path).map_err(|error| error.to_string());
        match &opened {
            Ok(folder) => {
                let mut state = self.lock();
                state.records = folder.read_index(SystemTime::now());
                state.last_id = state.records.iter().map(|record| record.id).max().unwrap_or(0);
            }
            Err(problem) => tracing::warn!(%problem, "files that pages send are not kept"),
        }
        // It is opened once.
        let _ = self.folder.set(opened);
        self.sweep(SystemTime::now());
    }

    /// Sweeps now and then, until the sessions are gone.
    pub fn spawn_sweeper(self: &Arc<Self>) {
        let downloads = Arc::downgrade(self);
        tokio::spawn(async move {
            let mut tick = tokio::time::interval(SWEEP_INTERVAL);
            loop {
                tick.tick().await;
                let Some(downloads) = downloads.upgrade() else { return };
                let swept = tokio::task::spawn_blocking(move || downloads.sweep(SystemTime::now()));
                let _ = swept.await;
            }
        });
    }

    /// Where files are kept.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.get()?.as_ref().ok().map(DownloadFolder::path)
    }

    /// Removes what was kept for long enough.
    pub fn sweep(&self, now: SystemTime) {
        let Some(Ok(folder)) = self.folder.get() else { return };
        let _disk = self.disk_lock.lock().unwrap_or_else(PoisonError::into_inner);
        let records = {
            let mut state = self.lock();
            let (kept, expired): (Vec<_>, Vec<_>) =
                std::mem::take(&mut state.records).into_iter().partition(|record| {
                    record.status == DownloadStatus::Running || record.expires_at > now
                });
            state.records = kept;
            expired.iter().for_each(remove_file);
            state.records.clone()
        };
        folder.sweep(&records, now);
        write_index(folder, &records);
    }

    /// Ends the keeping of files: leaves nothing on disk when there are none.
    pub fn close(&self) {
        self.fail_running(None);
        self.sweep(SystemTime::now());
        if let Some(Ok(folder)) = self.folder.get() {
            folder.remove_if_empty();
        }
    }

    /// A download began in `tab`: it is let go on, or refused.
    pub fn on_started(&self, session: &dyn DownloadSession, tab: &Tab, download: &Download) {
        let mut state = self.lock();
        let is_awaited = state.awaiting_sessions.iter().any(|name| name == session.name());
        let refused = match self.folder.get() {
            Some(Ok(_)) => refusal_reason(session, tab, &download.url, is_awaited),
            Some(Err(problem)) => Some(format!("files cannot be kept: {problem}")),
            None => Some("files are not kept here".to_owned()),
        };
        state.last_id += 1;
        let name = file_name::sanitize(&download.suggested_name);
        let served = tab.served_mime(&download.url);
        let record = DownloadRecord {
            id: state.last_id,
            guid: download.id.clone(),
            session: session.name().to_owned(),
            instance: session.instance(),
            client: tab.owner().to_string(),
            tab: tab.id(),
            url: redact_url(&download.url),
            mime: served.unwrap_or_else(|| mime::guess_mime(&download.url, &name)),
            name,
            received: 0,
            total: None,
            status: DownloadStatus::Running,
            expires_at: SystemTime::now() + RETENTION,
            path: None,
            saved: false,
            is_reported: false,
            started_at: Some(Instant::now()),
        };
        let id = record.id;
        self.unreported_count.fetch_add(1, Ordering::Relaxed);
        state.records.push(record);
        let now = Instant::now();
        let (page, path) = (Arc::clone(tab.page()), download.path.clone());
        state.active.insert(
            download.id.clone(),
            ActiveDownload { id, page, path, started_at: now, last_progress: now },
        );
        let refused = refused.or_else(|| state.enforce_quota(id));
        if let Some(why) = refused {
            state.refuse(&download.id, why);
        }
        state.prune_records(session.name());
        drop(state);
        self.changed.send_replace(());
    }

    /// More of a download came, or it ended.
    pub fn on_progress(self: &Arc<Self>, download: &Download) {
        let mut state = self.lock();
        let Some(live) = state.active.get_mut(&download.id) else { return };
        live.last_progress = Instant::now();
        let id = live.id;
        let Some(record) = state.records.iter_mut().find(|record| record.id == id) else { return };
        let is_first_total = record.total.is_none() && download.total.is_some();
        // Chromium begins anew what broke off, and gives up after some times.
        record.received = match download.state {
            DownloadState::Canceled => record.received,
            _ => download.received,
        };
        record.total = download.total;
        let received = record.received;
        let missing = download.total.unwrap_or_default().saturating_sub(record.received);
        match download.state {
            DownloadState::Started | DownloadState::Progress => {
                let folder = self.folder().filter(|_| is_first_total);
                let full = folder.and_then(|folder| lacks_space(folder, missing));
                if let Some(why) = full.or_else(|| state.enforce_quota(id)) {
                    state.refuse(&download.id, why);
                }
            }
            DownloadState::Canceled => {
                state.active.remove(&download.id);
                let full = self.folder().and_then(|f| lacks_space(f, missing.max(MIN_FREE_BYTES)));
                let why = full.unwrap_or_else(|| interruption_reason(received).to_owned());
                state.set_status(id, DownloadStatus::Failed(why));
            }
            DownloadState::Completed => {
                let downloads = Arc::clone(self);
                let from = download.path.clone();
                state.active.remove(&download.id);
                tokio::task::spawn_blocking(move || downloads.store_file(id, &from));
            }
        }
        drop(state);
        self.changed.send_replace(());
    }

    /// Gives a whole file its place.
    fn store_file(&self, id: u64, from: &Path) {
        let Some(Ok(folder)) = self.folder.get() else { return };
        let _disk = self.disk_lock.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(record) = self.find(id) else { return };
        let taken = folder.move_in(from, &record.session, &record.name);
        let records = {
            let mut state = self.lock();
            match taken {
                Ok((path, size)) => {
                    if let Some(record) = state.records.iter_mut().find(|record| record.id == id) {
                        (record.path, record.received, record.total) = (Some(path), size, None);
                        record.expires_at = SystemTime::now() + RETENTION;
                    }
                    state.set_status(id, DownloadStatus::Complete);
                }
                Err(error) => {
                    let _ = fs::remove_file(from);
                    state.set_status(id, DownloadStatus::Failed(describe_io_error(&error)));
                }
            }
            state.records.clone()
        };
        write_index(folder, &records);
        self.changed.send_replace(());
    }

    /// The browser ended, and with it what was not whole. A session whose tabs
    /// are gone is `only` it.
    pub fn fail_running(&self, only: Option<&dyn DownloadSession>) {
        let mut state = self.lock();
        let ended = |record: &&mut DownloadRecord| {
            record.status == DownloadStatus::Running
                && only.is_none_or(|session| record.belongs_to(session.name(), session.instance()))
        };
        let mut gone = Vec::new();
        for record in state.records.iter_mut().filter(ended) {
            record.status = DownloadStatus::Failed("its browser or session ended".to_owned());
            gone.push(record.id);
        }
        state.active.retain(|_, live| !gone.contains(&live.id));
        drop(state);
        self.changed.send_replace(());
    }

    /// The session ended. Nobody but the owner of the daemon will see its files again,
    /// unless it is a session of the owner: copies of what was saved somewhere else go.
    pub fn on_session_closed(&self, session: &dyn DownloadSession) {
        self.fail_running(Some(session));
        let (name, instance) = (session.name(), session.instance());
        let goes = |one: &DownloadRecord| {
            instance.is_some() && one.belongs_to(name, instance) && one.saved && one.path.is_some()
        };
        if self.lock().records.iter().any(goes) {
            self.update_records(|state| {
                state.records.iter().filter(|one| goes(one)).for_each(remove_file);
                state.records.retain(|one| !goes(one));
            });
        }
    }

    /// Gives the whole files of a session that ends to another one, where they are kept
    /// as long as its own. Returns how many.
    pub fn transfer(
        &self,
        from: &dyn DownloadSession,
        to: &dyn DownloadSession,
        client: &ClientId,
    ) -> usize {
        let (name, instance) = (from.name(), from.instance());
        let is_whole = |one: &DownloadRecord| {
            one.belongs_to(name, instance)
                && one.status == DownloadStatus::Complete
                && one.path.is_some()
        };
        let count = self.lock().records.iter().filter(|one| is_whole(one)).count();
        if count > 0 {
            self.update_records(|state| {
                for record in state.records.iter_mut().filter(|one| is_whole(one)) {
                    record.session = to.name().to_owned();
                    record.instance = to.instance();
                    record.client = client.as_str().to_owned();
                    (record.saved, record.is_reported) = (false, true);
                }
            });
        }
        count
    }

    /// The record `id`.
    pub fn find(&self, id: u64) -> Option<DownloadRecord> {
        self.lock().records.iter().find(|record| record.id == id).cloned()
    }

    /// The records that `viewer` may know of, oldest first.
    pub fn list_for(&self, viewer: &DownloadFilter<'_>) -> Vec<DownloadRecord> {
        self.lock().records.iter().filter(|record| viewer.matches(record)).cloned().collect()
    }

    /// Whether there may be some that nobody was notified of: almost never.
    pub fn has_unreported(&self) -> bool {
        self.unreported_count.load(Ordering::Relaxed) > 0
    }

    /// Those of which nobody was notified, by what is `wanted` of them; from now on
    /// somebody was.
    pub fn take_unreported(&self, wanted: impl Fn(&DownloadRecord) -> bool) -> Vec<DownloadRecord> {
        let mut state = self.lock();
        let mut due = Vec::new();
        for record in state.records.iter_mut().filter(|one| !one.is_reported && wanted(one)) {
            record.is_reported = true;
            due.push(record.clone());
        }
        let left = state.records.iter().filter(|record| !record.is_reported).count();
        self.unreported_count.store(left, Ordering::Relaxed);
        due
    }

    /// Numbers of downloads by Chromium's ids.
    pub fn ids_of(&self, guids: &[String]) -> Vec<u64> {
        let state = self.lock();
        let named = state.records.iter().filter(|record| guids.contains(&record.guid));
        named.map(|record| record.id).collect()
    }

    /// Notes that a caller has a copy of the file `id` somewhere else.
    pub fn mark_saved(&self, id: u64) {
        self.update_records(|state| {
            if let Some(record) = state.records.iter_mut().find(|record| record.id == id) {
                record.saved = true;
            }
        });
    }

    /// Removes what `viewer` sees and is not under way; answers how many files.
    pub fn clear(&self, viewer: &DownloadFilter<'_>) -> u64 {
        let mut files = 0;
        self.update_records(|state| {
            state.records.retain(|record| {
                let goes = record.status != DownloadStatus::Running && viewer.matches(record);
                if goes {
                    files += u64::from(record.path.is_some());
                    remove_file(record);
                }
                !goes
            });
        });
        files
    }

    /// Whether bytes are coming in.
    pub fn is_busy(&self) -> bool {
        let coming = |live: &ActiveDownload| {
            live.last_progress.elapsed() < STALL_TIMEOUT && live.started_at.elapsed() < RETENTION
        };
        self.lock().active.values().any(coming)
    }

    fn update_records(&self, change: impl FnOnce(&mut DownloadsState)) {
        let _disk = self.disk_lock.lock().unwrap_or_else(PoisonError::into_inner);
        let records = {
            let mut state = self.lock();
            change(&mut state);
            state.records.clone()
        };
        if let Some(Ok(folder)) = self.folder.get() {
            write_index(folder, &records);
        }
        self.changed.send_replace(());
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, DownloadsState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn write_index(folder: &DownloadFolder, records: &[DownloadRecord]) {
    if let Err(error) = folder.write_index(records) {
        tracing::warn!(%error, "the index of the downloads was not written");
    }
}

/// Where a file comes from, as it may be reported and written down.
fn redact_url(url: &str) -> String {
    match url.split_once(':') {
        // It holds the content.
        Some(("data", _)) => "data:".to_owned(),
        Some(("blob", inner)) => format!("blob:{}", without_query(inner)),
        _ => without_query(url),
    }
}

/// Why a download ended early of which `received` bytes came.
fn interruption_reason(received: u64) -> &'static str {
    match received {
        // Chromium says nothing of the answer.
        0 => "the server sent no file; its answer may be an error",
        _ => "it broke off",
    }
}

fn describe_io_error(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "the disk is full".to_owned(),
        io::ErrorKind::NotFound => "its file is gone".to_owned(),
        _ => format!("it cannot be kept: {error}"),
    }
}
