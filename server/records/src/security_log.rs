//! What was refused for security: `$BROWSE_HOME/security/attempts.jsonl`.
//!
//! A row holds a time, a surface, a reason, the salted hash of the source and
//! a domain: no addresses, no bodies, no tokens. Writing happens on a thread of
//! its own, so that no call waits for a disk; a flood is counted, not written.

mod device_salt;
mod file;
mod row_limiter;

pub use file::SecurityLogRow;

use std::{
    net::IpAddr,
    path::{Path, PathBuf},
    sync::{
        Mutex, OnceLock, PoisonError,
        mpsc::{self, Receiver, SyncSender},
    },
    thread,
    time::{Duration, SystemTime},
};

use tokio::sync::oneshot;

use self::{device_salt::DeviceSalt, file::SecurityLogFile, row_limiter::RowLimiter};
use browse_base::Result;

/// Rows that wait for the disk; more are counted as dropped.
const MAX_QUEUED_ROWS: usize = 256;

/// Longest that a reader waits for rows on their way.
const FLUSH_TIMEOUT: Duration = Duration::from_millis(500);

/// The reason of a connection that was ended for its resets.
pub const RAPID_RESETS: &str = "RAPID_RESETS";

/// Where something was attempted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecuritySurface {
    /// A call to the local listener.
    Local,
    /// A call through the tunnel.
    Tunnel,
    /// What an act would have sent to a site.
    Egress,
    /// What a page or an answer of one reported.
    Page,
    /// A note on a site.
    Note,
    /// The library of public notes.
    Library,
    /// A skill.
    Skill,
}

impl SecuritySurface {
    /// The word for it in the log.
    pub fn name(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Tunnel => "tunnel",
            Self::Egress => "egress",
            Self::Page => "page",
            Self::Note => "note",
            Self::Library => "library",
            Self::Skill => "skill",
        }
    }
}

/// The record of attempts of one home of browse.
pub struct SecurityLog {
    folder: PathBuf,
    limiter: Mutex<RowLimiter>,
    writer: OnceLock<SyncSender<WriterMessage>>,
    write_error: std::sync::Arc<Mutex<Option<String>>>,
}

enum WriterMessage {
    Write(PendingRow),
    /// All that came before is on the disk.
    Flush(oneshot::Sender<()>),
}

struct PendingRow {
    surface: SecuritySurface,
    reason: String,
    source: Vec<u8>,
    domain: String,
    time: SystemTime,
    /// Rows that were left out before this one.
    dropped: u64,
}

impl SecurityLog {
    /// The record below `home`. Nothing is touched before the first attempt.
    pub fn new(home: &Path) -> Self {
        Self {
            folder: home.join("security"),
            limiter: Mutex::default(),
            writer: OnceLock::new(),
            write_error: Default::default(),
        }
    }

    /// Writes down that a connection from `peer` was ended because its calls were reset
    /// faster than they were looked at. There is no call that an error could answer.
    pub fn record_rapid_resets(&self, peer: IpAddr) {
        self.record(SecuritySurface::Tunnel, RAPID_RESETS, peer.to_string().as_bytes(), "");
    }

    /// Writes an attempt down; never waits and never fails.
    ///
    /// `reason` is a word of ours, such as the name of an error. `source` is who or
    /// what it came from (a peer, a client, a text): only its salted hash is kept.
    /// `domain` is the host that it is about, or empty.
    pub fn record(&self, surface: SecuritySurface, reason: &str, source: &[u8], domain: &str) {
        let mut limit = self.limiter.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(dropped) = limit.acquire() else { return };
        let note = PendingRow {
            surface,
            reason: sanitize_reason(reason),
            source: source.to_vec(),
            domain: sanitize_host(domain),
            time: SystemTime::now(),
            dropped,
        };
        let writer = self.writer.get_or_init(|| self.start_writer());
        if writer.try_send(WriterMessage::Write(note)).is_err() {
            limit.give_back(dropped);
        }
    }

    /// Waits a moment until everything that was noted is on the disk.
    pub async fn flush(&self) {
        let Some(writer) = self.writer.get() else { return };
        let (done, wait) = oneshot::channel();
        if writer.try_send(WriterMessage::Flush(done)).is_ok() {
            let _ = tokio::time::timeout(FLUSH_TIMEOUT, wait).await;
        }
    }

    /// The last `most` rows, oldest first, and the places of lines that cannot
    /// be read.
    ///
    /// # Errors
    /// `SECURITY_FILE_UNREADABLE`.
    pub fn last_rows(&self, most: usize) -> Result<(Vec<SecurityLogRow>, Vec<String>)> {
        file::read_last(&self.folder, most)
    }

    /// Why attempts are not written down, when they are not.
    pub fn write_error(&self) -> Option<String> {
        let known = self.write_error.lock().unwrap_or_else(PoisonError::into_inner).clone();
        known.or_else(|| device_salt::check(&self.folder).err().map(|error| error.to_string()))
    }

    fn start_writer(&self) -> SyncSender<WriterMessage> {
        let (sender, messages) = mpsc::sync_channel(MAX_QUEUED_ROWS);
        let (folder, problem) = (self.folder.clone(), std::sync::Arc::clone(&self.write_error));
        let spawned = thread::Builder::new()
            .name("attempts".to_owned())
            .spawn(move || run_writer(&folder, &messages, &problem));
        if let Err(error) = spawned {
            tracing::error!(%error, "attempts are not written down");
        }
        sender
    }
}

/// Writes until nobody can send any more.
fn run_writer(folder: &Path, messages: &Receiver<WriterMessage>, problem: &Mutex<Option<String>>) {
    let mut salt: Option<DeviceSalt> = None;
    while let Ok(message) = messages.recv() {
        let note = match message {
            WriterMessage::Write(note) => note,
            WriterMessage::Flush(done) => {
                let _ = done.send(());
                continue;
            }
        };
        let outcome = write_row(folder, &mut salt, note);
        let mut known = problem.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = &outcome
            && known.is_none()
        {
            tracing::error!(%error, "attempts are not written down");
        }
        *known = outcome.err().map(|error| error.to_string());
    }
}

fn write_row(folder: &Path, salt: &mut Option<DeviceSalt>, note: PendingRow) -> Result<()> {
    let log = SecurityLogFile::open(folder)?;
    let salt = match salt {
        Some(salt) => salt,
        None => salt.insert(DeviceSalt::read_or_create(folder)?),
    };
    log.append(&SecurityLogRow {
        time: humantime::format_rfc3339_millis(note.time).to_string(),
        surface: note.surface.name().to_owned(),
        reason: note.reason,
        source: salt.hash(&note.source),
        domain: note.domain,
        dropped: note.dropped,
    })
}

/// A reason as a word: whatever else comes is no reason of ours.
fn sanitize_reason(text: &str) -> String {
    let plain = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | ' ');
    text.chars().filter(plain).take(60).collect()
}

/// A host, or nothing: no address, and nothing that reads as prose.
pub(super) fn sanitize_host(text: &str) -> String {
    let text = text.trim_end_matches('.').to_ascii_lowercase();
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b':' | b'[' | b']');
    let is_host = text.len() <= 253 && text.bytes().all(plain);
    if is_host { text } else { String::new() }
}

#[cfg(test)]
mod tests;
