//! What is known of one download.

use std::{
    path::PathBuf,
    time::{Duration, SystemTime},
};

use serde::{Deserialize, Serialize};
use tokio::time::Instant;
use url::Url;

use crate::TabId;
use browse_net::HostPolicy;
use browse_policy::ClientId;

/// How long a file is kept.
pub const RETENTION: Duration = Duration::from_secs(24 * 3600);

/// The session that a page sends files in, as far as they are concerned.
pub trait DownloadSession: Send + Sync {
    /// Its name.
    fn name(&self) -> &str;
    /// Tells it from others that have had its name.
    fn instance(&self) -> Option<u64>;
    /// The hosts that it may reach.
    fn hosts(&self) -> &HostPolicy;
    /// Whether a person sees it, who clicks without us.
    fn is_visible(&self) -> bool;
}

/// How far a download is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DownloadStatus {
    /// Bytes are coming.
    Running,
    /// The file is whole, and kept.
    Complete,
    /// It ended before it was whole, and why.
    Failed(String),
    /// It was not let begin or go on, and why.
    Refused(String),
}

/// One download.
#[derive(Clone, Debug)]
pub struct DownloadRecord {
    /// Its number, of which `@d1` is made.
    pub id: u64,
    /// Chromium's id; empty for a file of a daemon before this one.
    pub guid: String,
    /// The session of its tab.
    pub session: String,
    /// Who has that session: a root session has none, and outlives the daemon.
    pub instance: Option<u64>,
    /// Who has its tab.
    pub client: String,
    /// Its tab.
    pub tab: TabId,
    /// Where it comes from, without what may be secret.
    pub url: String,
    /// The name that the page wants it to have, made harmless.
    pub name: String,
    /// Its MIME type as the server reported it, else by its name; empty when unknown.
    pub mime: String,
    /// Bytes so far.
    pub received: u64,
    /// Bytes that it will have, where that is known.
    pub total: Option<u64>,
    /// How far it is.
    pub status: DownloadStatus,
    /// When it is removed, or forgotten.
    pub expires_at: SystemTime,
    /// Where it is kept, once it is whole.
    pub path: Option<PathBuf>,
    /// Whether a caller has saved a copy somewhere else: then it makes room for others.
    pub saved: bool,
    /// Whether a caller was notified of it.
    pub is_reported: bool,
    /// When it began, of one that this daemon saw begin.
    pub started_at: Option<Instant>,
}

impl DownloadRecord {
    /// What callers name it by.
    pub fn reference(&self) -> String {
        format!("@d{}", self.id)
    }

    /// Whether it takes room in the quota of its session.
    pub fn counts_toward_quota(&self) -> bool {
        matches!(self.status, DownloadStatus::Running | DownloadStatus::Complete)
    }

    /// Whether it is one of `session`.
    pub fn belongs_to(&self, session: &str, instance: Option<u64>) -> bool {
        self.session == session && self.instance == instance
    }
}

/// A file that is kept, as the index on disk has it.
#[derive(Debug, Serialize, Deserialize)]
pub struct IndexEntry {
    pub id: u64,
    pub session: String,
    pub instance: Option<u64>,
    pub client: String,
    pub tab: TabId,
    pub url: String,
    pub name: String,
    pub file: String,
    pub mime: String,
    pub bytes: u64,
    pub until: u64,
    pub saved: bool,
}

/// Whose downloads are asked for.
pub struct DownloadFilter<'a> {
    /// The session; none for those of all.
    pub session: Option<&'a dyn DownloadSession>,
    /// The client whose tabs they must come from, when it may touch no others.
    pub client: Option<&'a ClientId>,
    /// The hosts that the caller may reach.
    pub hosts: &'a HostPolicy,
}

impl DownloadFilter<'_> {
    /// Whether the caller may know of `record`.
    pub fn matches(&self, record: &DownloadRecord) -> bool {
        self.session.is_none_or(|session| record.belongs_to(session.name(), session.instance()))
            && self.client.is_none_or(|client| record.client == client.as_str())
            && allows_source(self.hosts, &record.url)
    }
}

/// Whether files may come from `url`. What a page made itself comes from the
/// page, which was allowed.
pub fn allows_source(hosts: &HostPolicy, url: &str) -> bool {
    if hosts.is_any() {
        return true;
    }
    let Ok(url) = Url::parse(url) else { return false };
    match url.scheme() {
        "data" => true,
        "blob" => Url::parse(url.path()).is_ok_and(|inner| hosts.allows(&inner)),
        _ => hosts.allows(&url),
    }
}
