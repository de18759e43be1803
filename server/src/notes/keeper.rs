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
    note::Scope,
    scan::Scan,
    store::{Found, Store},
};
use crate::{
    error::{Error, Result},
    records::{Happening, Telemetry},
};

/// Arrivals that may wait; a flood of them loses some.
const MOST_WAITING: usize = 1024;

/// Quiet after which files are tidied up.
const IDLE: Duration = Duration::from_secs(30);

/// Longest that a reader waits for arrivals of before it.
const SETTLING: Duration = Duration::from_secs(2);

/// The task that counts, once there was something to count.
pub struct Keeper {
    judge: Judge,
    sender: OnceLock<mpsc::Sender<Message>>,
}

enum Message {
    Arrived(NoteHost),
    /// Answered when everything before it is done.
    Settle(oneshot::Sender<()>),
}

impl Keeper {
    /// A keeper of these notes.
    pub fn new(store: Arc<Store>, scan: Scan, telemetry: Arc<Telemetry>) -> Self {
        Self { judge: Judge { store, scan, telemetry }, sender: OnceLock::new() }
    }

    /// Who says whether a note stays in force.
    pub fn judge(&self) -> &Judge {
        &self.judge
    }

    /// Somebody arrived on `host`. Returns at once.
    pub fn arrived(&self, host: NoteHost) {
        if let Err(error) = self.sender().try_send(Message::Arrived(host)) {
            tracing::debug!(%error, "an arrival is not counted");
        }
    }

    /// Waits until the arrivals of before are counted, for a moment at most.
    pub async fn settle(&self) {
        let Some(sender) = self.sender.get() else { return };
        let (done, settled) = oneshot::channel();
        let wait = async {
            if sender.send(Message::Settle(done)).await.is_ok() {
                let _ = settled.await;
            }
        };
        let _ = timeout(SETTLING, wait).await;
    }

    fn sender(&self) -> &mpsc::Sender<Message> {
        self.sender.get_or_init(|| {
            let (sender, receiver) = mpsc::channel(MOST_WAITING);
            tokio::spawn(keep(self.judge.clone(), receiver));
            sender
        })
    }
}

async fn keep(judge: Judge, mut messages: mpsc::Receiver<Message>) {
    loop {
        let Some(first) = messages.recv().await else { return };
        handle(&judge, first).await;
        // Until it has been quiet for a while.
        loop {
            match timeout(IDLE, messages.recv()).await {
                Ok(Some(message)) => handle(&judge, message).await,
                Ok(None) => return,
                Err(_) => break,
            }
        }
        let tidied = blocking(&judge.store, |store| {
            for scope in [Scope::Project, Scope::Global] {
                let file = store.file(scope);
                if file.is_bloated() {
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

async fn handle(judge: &Judge, message: Message) {
    match message {
        Message::Settle(done) => drop(done.send(())),
        Message::Arrived(host) => {
            if let Err(error) = judge.arrived(host).await {
                tracing::warn!(%error, "an arrival was not counted");
            }
        }
    }
}

/// Whether a scan is a use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counts {
    /// Somebody arrived on the host.
    Use,
    /// Somebody reads on.
    Nothing,
}

/// Scans notes, and writes down what came of it.
#[derive(Clone)]
pub struct Judge {
    store: Arc<Store>,
    scan: Scan,
    telemetry: Arc<Telemetry>,
}

impl Judge {
    async fn arrived(&self, host: NoteHost) -> Result<()> {
        for found in blocking(&self.store, move |store| store.at(&host)).await? {
            self.judge(found, Counts::Use).await?;
        }
        Ok(())
    }

    /// Scans a note; what is found sends it to quarantine. Answers the note as
    /// it is then, and none when it could not be scanned.
    ///
    /// # Errors
    /// The file cannot be read or written.
    pub async fn judge(&self, found: Found, counts: Counts) -> Result<Option<Found>> {
        let finding = self.scan.at_use(&found.version.body).await;
        if finding.unsure && !finding.flagged {
            return Ok(None);
        }
        if !finding.flagged && counts == Counts::Nothing {
            return Ok(Some(found));
        }
        let score = finding.flagged.then_some(finding.score);
        if finding.flagged {
            tracing::warn!(host = found.host, score, "a scan found something in a note");
        }
        let (before, host) = (found.version.state, found.host.clone());
        let now = blocking(&self.store, move |store| store.scanned(&found, score)).await?;
        if let Some(version) = now.as_ref().map(|now| &now.version) {
            let uses = ("uses", u64::from(version.uses));
            if !finding.flagged {
                self.telemetry.note(Happening::Fired, &host, &[uses]);
            }
            if version.state != before {
                let counters = [uses, (version.state.name(), 1)];
                self.telemetry.note(Happening::StateChanged, &host, &counters);
            }
        }
        Ok(now)
    }
}

/// Runs what touches the disk.
pub async fn blocking<T: Send + 'static>(
    store: &Arc<Store>,
    work: impl FnOnce(&Store) -> Result<T> + Send + 'static,
) -> Result<T> {
    let store = Arc::clone(store);
    let done = tokio::task::spawn_blocking(move || work(&store)).await;
    done.unwrap_or_else(|error| {
        Err(Error::new(browse_proto::Reason::Bug, format!("notes: {error}")))
    })
}
