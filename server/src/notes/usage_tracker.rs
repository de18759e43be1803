//! Counts the uses of notes, beside the calls: an arrival costs them nothing.

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use tokio::{
    sync::{mpsc, oneshot},
    time::timeout,
};

use super::{
    host::NoteHost,
    note::NoteScope,
    scan::NoteScanner,
    store::{NoteStore, StoredNote},
};
use browse_base::{Error, Result};
use browse_records::{Telemetry, TelemetryEvent};

/// Arrivals that may wait; a flood of them loses some.
const MAX_PENDING_VISITS: usize = 1024;

/// Quiet after which files are tidied up.
const COMPACTION_IDLE_TIME: Duration = Duration::from_secs(30);

/// Longest that a reader waits for arrivals of before it.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(2);

/// The task that counts, once there was something to count.
pub struct UsageTracker {
    reviewer: NoteReviewer,
    sender: OnceLock<mpsc::Sender<UsageMessage>>,
}

enum UsageMessage {
    Visited(NoteHost),
    /// Answered when everything before it is done.
    Flush(oneshot::Sender<()>),
}

impl UsageTracker {
    /// A keeper of these notes.
    pub fn new(store: Arc<NoteStore>, scan: NoteScanner, telemetry: Arc<Telemetry>) -> Self {
        Self { reviewer: NoteReviewer { store, scan, telemetry }, sender: OnceLock::new() }
    }

    /// Who says whether a note stays in force.
    pub fn reviewer(&self) -> &NoteReviewer {
        &self.reviewer
    }

    /// Somebody arrived on `host`. Returns at once.
    pub fn record_visit(&self, host: NoteHost) {
        if let Err(error) = self.sender().try_send(UsageMessage::Visited(host)) {
            tracing::debug!(%error, "an arrival is not counted");
        }
    }

    /// Waits until the arrivals of before are counted, for a moment at most.
    pub async fn flush(&self) {
        let Some(sender) = self.sender.get() else { return };
        let (done, settled) = oneshot::channel();
        let wait = async {
            if sender.send(UsageMessage::Flush(done)).await.is_ok() {
                let _ = settled.await;
            }
        };
        let _ = timeout(FLUSH_TIMEOUT, wait).await;
    }

    fn sender(&self) -> &mpsc::Sender<UsageMessage> {
        self.sender.get_or_init(|| {
            let (sender, receiver) = mpsc::channel(MAX_PENDING_VISITS);
            tokio::spawn(run_tracker(self.reviewer.clone(), receiver));
            sender
        })
    }
}

async fn run_tracker(judge: NoteReviewer, mut messages: mpsc::Receiver<UsageMessage>) {
    loop {
        let Some(first) = messages.recv().await else { return };
        handle(&judge, first).await;
        // Until it has been quiet for a while.
        loop {
            match timeout(COMPACTION_IDLE_TIME, messages.recv()).await {
                Ok(Some(message)) => handle(&judge, message).await,
                Ok(None) => return,
                Err(_) => break,
            }
        }
        let tidied = run_blocking(&judge.store, |store| {
            for scope in [NoteScope::Project, NoteScope::Global] {
                let file = store.file(scope);
                if file.needs_compaction() {
                    file.compact()?;
                }
            }
            Ok(())
        });
        if let Err(error) = tidied.await {
            tracing::warn!(%error, "a file of notes was not tidied up");
        }
    }
}

async fn handle(judge: &NoteReviewer, message: UsageMessage) {
    match message {
        UsageMessage::Flush(done) => drop(done.send(())),
        UsageMessage::Visited(host) => {
            if let Err(error) = judge.review_visited(host).await {
                tracing::warn!(%error, "an arrival was not counted");
            }
        }
    }
}

/// Whether a scan is a use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScanPurpose {
    /// Somebody arrived on the host.
    Visit,
    /// Somebody reads on.
    Read,
}

/// Scans notes, and writes down what came of it.
#[derive(Clone)]
pub struct NoteReviewer {
    store: Arc<NoteStore>,
    scan: NoteScanner,
    telemetry: Arc<Telemetry>,
}

impl NoteReviewer {
    async fn review_visited(&self, host: NoteHost) -> Result<()> {
        for found in run_blocking(&self.store, move |store| store.notes_to_scan(&host)).await? {
            self.review(found, ScanPurpose::Visit).await?;
        }
        Ok(())
    }

    /// Scans a note; what is found sends it to quarantine. Answers the note as
    /// it is then, and none when it could not be scanned.
    ///
    /// # Errors
    /// The file cannot be read or written.
    pub async fn review(
        &self,
        found: StoredNote,
        counts: ScanPurpose,
    ) -> Result<Option<StoredNote>> {
        let finding = self.scan.scan_on_use(&found.version.body).await;
        if finding.is_inconclusive && !finding.flagged {
            return Ok(None);
        }
        if !finding.flagged && counts == ScanPurpose::Read {
            return Ok(Some(found));
        }
        let score = finding.flagged.then_some(finding.score);
        if finding.flagged {
            tracing::warn!(host = found.host, score, "a scan found something in a note");
        }
        let (before, host) = (found.version.state, found.host.clone());
        let now = run_blocking(&self.store, move |store| store.record_scan(&found, score)).await?;
        if let Some(version) = now.as_ref().map(|now| &now.version) {
            let uses = ("uses", u64::from(version.uses));
            if !finding.flagged {
                self.telemetry.record(TelemetryEvent::Fired, &host, &[uses]);
            }
            if version.state != before {
                let counters = [uses, (version.state.name(), 1)];
                self.telemetry.record(TelemetryEvent::StateChanged, &host, &counters);
            }
        }
        Ok(now)
    }
}

/// Runs what touches the disk.
pub async fn run_blocking<T: Send + 'static>(
    store: &Arc<NoteStore>,
    work: impl FnOnce(&NoteStore) -> Result<T> + Send + 'static,
) -> Result<T> {
    let store = Arc::clone(store);
    let done = tokio::task::spawn_blocking(move || work(&store)).await;
    done.unwrap_or_else(|error| {
        Err(Error::new(browse_proto::Reason::Bug, format!("notes: {error}")))
    })
}
