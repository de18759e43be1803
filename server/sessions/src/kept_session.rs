//! A session that is kept on disk: what is written of it, and how it comes back.
//!
//! What is written is made of credentials, so its types have no `Debug`.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, SystemTime},
};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::time::{Instant, timeout, timeout_at};
use url::Url;

use super::{OriginDatabases, PendingReload, Session, SessionNumbers, SessionSnapshot, Tab, TabId};
use browse_base::Result;
use browse_chromium::{
    BlankTab, BrowserContext, BrowserContextId, DatabaseSnapshot, DocumentSnapshot,
    Error as BrowserError,
};

/// Time that the browser gets to answer what a session holds.
const SNAPSHOT_TIMEOUT: Duration = Duration::from_millis(2500);

/// Time of that in which databases are read, and the storage of origins that no tab shows.
const STORAGE_TIMEOUT: Duration = Duration::from_millis(1500);

/// Bytes of a storage without entries, packed.
const EMPTY_STORAGE_BYTES: usize = 2;

/// What a session held when it was saved.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct KeptSession {
    /// Cookies of all hosts, as Chromium describes them.
    pub cookies: Vec<Value>,
    /// Origins with local storage or databases.
    pub origins: Vec<KeptOrigin>,
    /// Tabs with pages of the web, oldest first.
    pub tabs: Vec<KeptTab>,
    /// Numbers that callers know, of a session that moves between daemons.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub numbers: Option<SessionNumbers>,
}

/// What an origin keeps.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct KeptOrigin {
    /// `https://example.com`
    pub origin: String,
    /// The entries of its local storage, packed as in a [`DocumentSnapshot`]; empty without any.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub local: String,
    /// Its databases.
    #[serde(skip_serializing_if = "DatabaseSnapshot::is_empty")]
    pub databases: DatabaseSnapshot,
}

/// A tab.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct KeptTab {
    /// Its address.
    pub url: String,
    /// Whether commands went to it.
    pub active: bool,
    /// What its documents keep beside the local storage of their origins.
    pub documents: Vec<KeptDocument>,
    /// Whether a command acted on it when it was saved: it is not loaded again by itself, because
    /// that could repeat what the command did.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub interrupted: bool,
}

/// What a document keeps for its tab alone.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct KeptDocument {
    /// Its origin.
    pub origin: String,
    /// Whether it is the main document of the tab.
    pub main: bool,
    /// Its local storage, where it is a frame: that of one of another site is apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub local: Option<String>,
    /// Its session storage.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

/// What is known of how a session is kept.
#[derive(Default)]
pub(super) struct KeepingState {
    is_kept: AtomicBool,
    /// How often its snapshot was replaced.
    version: AtomicU64,
    /// Which storage was read; none before the first time.
    progress: Mutex<Option<ReadProgress>>,
}

/// How far the storage of origins was read that no tab shows.
#[derive(Clone)]
struct ReadProgress {
    /// The context that they are in.
    context: BrowserContextId,
    /// Its last visit by then.
    up_to: u64,
    /// Origins that tabs showed meanwhile, and could still change: to be read once they do not.
    shown: BTreeSet<String>,
}

impl Session {
    /// Whether it is kept on disk.
    pub fn is_kept(&self) -> bool {
        self.keeping.is_kept.load(Ordering::Relaxed)
    }

    /// From now on its snapshots have the storage of origins that no tab shows, too, and those
    /// who keep it are notified of them.
    pub fn begin_keeping(&self) {
        self.keeping.is_kept.store(true, Ordering::Relaxed);
    }

    /// It is not kept any more.
    pub fn end_keeping(&self) {
        self.keeping.is_kept.store(false, Ordering::Relaxed);
    }

    /// How often its snapshot was replaced.
    pub fn snapshot_version(&self) -> u64 {
        self.keeping.version.load(Ordering::Acquire)
    }

    /// Whether it was never used: it has no tab and no browsing context.
    pub fn is_unused(&self) -> bool {
        let is_empty = self.tabs().is_empty() && self.context().is_none();
        is_empty && self.is_headless() && !self.is_attached()
    }

    /// Whether what it holds may be written now: no person has it, and no window shows it.
    pub fn may_be_saved(&self) -> bool {
        self.is_headless() && !self.control().is_held()
    }

    /// As [`Session::take_snapshot`], with the databases of origins that are shown, or were since
    /// they were read the last time, and the local storage of those that no tab shows now. Where the browser does not answer
    /// within 2.5 s, the snapshot before stays, and the next one is due.
    pub async fn take_complete_snapshot(&self) {
        if timeout(SNAPSHOT_TIMEOUT, self.read_contents()).await.is_err() {
            tracing::warn!(session = self.name(), "the browser does not answer");
            self.schedule_snapshot();
        }
    }

    async fn read_contents(&self) {
        let begun = SystemTime::now();
        self.take_snapshot().await;
        let Some(context) = self.context().filter(|_| self.may_be_saved()) else { return };
        if context.browser().is_gone() {
            return;
        }
        let mut databases = self.snapshot().databases().clone();
        let until = Instant::now() + STORAGE_TIMEOUT;
        let read = self.read_origins(&context, &mut databases, until).await;
        if !self.is_headless() || self.control().was_held_since(begun) {
            return;
        }
        {
            let mut snapshot = self.lock_snapshot();
            snapshot.set_databases(databases);
            if read.is_empty() {
                return;
            }
            snapshot.update_closed_origins(read);
        }
        self.note_snapshot();
    }

    /// What is written of it, by its last snapshot.
    pub fn kept_contents(&self) -> KeptSession {
        self.contents_with_tab_ids().0
    }

    /// The same with the ids of the tabs in it.
    pub(super) fn contents_with_tab_ids(&self) -> (KeptSession, Vec<TabId>) {
        let snapshot = self.snapshot();
        let active = self.active().map(|tab| tab.id());
        let tab = |tab: &Tab| {
            let documents = snapshot.tab_storage(tab.id());
            let kept = KeptTab {
                url: web_address(tab)?,
                active: active == Some(tab.id()),
                documents: documents.into_iter().filter_map(KeptDocument::of).collect(),
                interrupted: tab.is_interrupted(),
            };
            Some((kept, tab.id()))
        };
        let (tabs, ids) = self.tabs().iter().filter_map(|one| tab(one)).unzip();
        let local = snapshot.local_storage_by_origin();
        let databases = snapshot.databases();
        let origins: BTreeSet<_> =
            local.keys().copied().chain(databases.iter().map(|(origin, _)| origin)).collect();
        let origin = |origin: &str| KeptOrigin {
            origin: origin.to_owned(),
            local: local.get(origin).copied().unwrap_or_default().to_owned(),
            databases: databases.get(origin).cloned().unwrap_or_default(),
        };
        let contents = KeptSession {
            cookies: snapshot.raw_cookies(),
            origins: origins.into_iter().map(origin).collect(),
            tabs,
            numbers: None,
        };
        (contents, ids)
    }

    /// Gives a session that was never used what it held when it was saved. Cookies, local
    /// storage and databases are in place before its first tab; a tab loads its page when it is used.
    ///
    /// # Errors
    /// The browser is not there.
    pub async fn restore_kept(&self, kept: KeptSession) -> Result<()> {
        let (mut local, mut databases) = (BTreeMap::new(), Vec::new());
        for one in kept.origins {
            databases.push((one.origin.clone(), one.databases));
            if !one.local.is_empty() {
                local.insert(one.origin, one.local);
            }
        }
        let databases = OriginDatabases::new(databases);
        *self.lock_snapshot() = SessionSnapshot::restored(kept.cookies, local, databases);
        let ids = match &kept.numbers {
            Some(numbers) => self.registry()?.continue_numbers(numbers),
            None => Vec::new(),
        };
        let mut active = None;
        for (at, kept) in kept.tabs.into_iter().enumerate() {
            if let Some(id) = ids.get(at) {
                self.registry()?.skip_tab_ids_to(*id);
            }
            let tab = self.open_background_tab(self.owner()).await?;
            if kept.active {
                active = Some(tab.id());
            }
            tab.set_pending_reload(Some(PendingReload::from(kept)));
        }
        if let Some(id) = active {
            self.activate(id)?;
        }
        Ok(())
    }

    /// Notes that its snapshot was replaced.
    pub(super) fn note_snapshot(&self) {
        self.keeping.version.fetch_add(1, Ordering::Release);
        if self.is_kept()
            && let Ok(sessions) = self.registry()
        {
            sessions.kept_snapshot_count.send_modify(|count| *count += 1);
        }
    }

    /// The local storage of the origins that `context` has shown since it was read the last
    /// time, and that no tab shows; their databases, and those of origins that tabs show, go to
    /// `databases`. Those shown the longest ago come first, so that each is reached in time at
    /// some point.
    async fn read_origins(
        &self,
        context: &BrowserContext,
        databases: &mut OriginDatabases,
        until: Instant,
    ) -> BTreeMap<String, String> {
        let before = self.keeping.progress(context);
        let visited = context.origins_shown_after(before.up_to);
        let left = before.shown.iter().filter(|origin| !visited.contains(origin));
        let mut origins: Vec<_> = left.cloned().collect();
        origins.extend(visited);
        let showing = self.snapshot().shown_origins();
        origins.retain(|origin| !showing.contains(origin));
        let mut read = BTreeMap::new();
        if origins.is_empty() && showing.is_empty() {
            return read;
        }
        let reading = async {
            let tab = context.browser().blank_tab(context.id()).await?;
            read_closed_origins(&tab, &origins, &mut read, databases).await?;
            for origin in &showing {
                databases.read(&tab, origin).await?;
            }
            Ok::<_, BrowserError>(())
        };
        match timeout_at(until, reading).await {
            Ok(Ok(())) => {
                // Reading an origin shows it, in a hidden tab. Others are in tabs, perhaps since
                // a moment ago.
                let mut shown = before.shown;
                shown.extend(context.origins_shown_after(before.up_to));
                shown.extend(showing);
                shown.retain(|origin| !origins.contains(origin));
                let (context, up_to) = (context.id().clone(), context.last_visit());
                *self.keeping.lock_progress() = Some(ReadProgress { context, up_to, shown });
            }
            Ok(Err(fault)) => tracing::debug!(%fault, "the storage of closed pages is not read"),
            Err(_) => tracing::debug!("the storage of closed pages is not read in time"),
        }
        read
    }
}

impl KeepingState {
    fn progress(&self, context: &BrowserContext) -> ReadProgress {
        let known = self.lock_progress().clone().filter(|known| known.context == *context.id());
        let context = context.id().clone();
        known.unwrap_or(ReadProgress { context, up_to: 0, shown: BTreeSet::new() })
    }

    fn lock_progress(&self) -> MutexGuard<'_, Option<ReadProgress>> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl KeptDocument {
    /// What is to be kept of a document, if there is anything.
    fn of(document: DocumentSnapshot) -> Option<Self> {
        let DocumentSnapshot { origin, main, local, session, .. } = document;
        let full = |packed: &String| packed.len() > EMPTY_STORAGE_BYTES;
        let local = local.filter(|packed| !main && full(packed));
        let session = session.filter(full);
        (local.is_some() || session.is_some()).then_some(Self { origin, main, local, session })
    }
}

impl From<KeptTab> for PendingReload {
    fn from(tab: KeptTab) -> Self {
        let document = |one: KeptDocument| DocumentSnapshot {
            origin: one.origin,
            main: one.main,
            local: one.local,
            session: one.session,
            html: None,
            scroll: (0.0, 0.0),
        };
        let storage = tab.documents.into_iter().map(document).collect();
        Self { url: tab.url, storage, interrupted: tab.interrupted }
    }
}

/// Reads the local storage of `origins` into `read`, and their databases, without asking the
/// network.
async fn read_closed_origins(
    tab: &BlankTab,
    origins: &[String],
    read: &mut BTreeMap<String, String>,
    databases: &mut OriginDatabases,
) -> browse_chromium::Result<()> {
    for origin in origins {
        databases.read(tab, origin).await?;
        let storage = match tab.open_origin(origin).await {
            Ok(storage) => storage,
            // It cannot be shown, so it has nothing that pages could use.
            Err(BrowserError::HostDenied { .. } | BrowserError::NavigationFailed { .. }) => {
                continue;
            }
            Err(fault) => return Err(fault),
        };
        if let Some(packed) = storage.read_packed().await? {
            read.insert(origin.clone(), packed);
        }
    }
    Ok(())
}

/// The address of a tab that shows a page of the web. Files and blank pages have none that
/// could be opened again.
fn web_address(tab: &Tab) -> Option<String> {
    let url = match tab.pending_reload() {
        Some(pending) => pending.url,
        None => tab.page().intended_url(),
    };
    let parsed = Url::parse(&url).ok()?;
    matches!(parsed.scheme(), "http" | "https").then_some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(main: bool, local: &str, session: &str) -> DocumentSnapshot {
        DocumentSnapshot {
            origin: "https://a.example".to_owned(),
            main,
            local: Some(local.to_owned()),
            session: Some(session.to_owned()),
            html: None,
            scroll: (0.0, 0.0),
        }
    }

    #[test]
    fn the_local_storage_of_a_page_is_kept_with_its_origin() {
        let kept = KeptDocument::of(document(true, "[[1]]", "[[2]]")).expect("it has something");
        assert_eq!((kept.local, kept.session.as_deref()), (None, Some("[[2]]")));
        let kept = KeptDocument::of(document(false, "[[1]]", "[]")).expect("it has something");
        assert_eq!((kept.local.as_deref(), kept.session), (Some("[[1]]"), None));
        assert!(KeptDocument::of(document(true, "[[1]]", "[]")).is_none());
    }

    #[test]
    fn what_was_written_is_read_again() {
        let documents = vec![KeptDocument {
            origin: "https://a.example".to_owned(),
            main: true,
            local: None,
            session: Some("[[\"k\",\"\\ud800\"]]".to_owned()),
        }];
        let tab = KeptTab {
            url: "https://a.example/".to_owned(),
            active: true,
            documents,
            interrupted: false,
        };
        let text = serde_json::to_string(&KeptSession { tabs: vec![tab], ..Default::default() });
        let read: KeptSession = serde_json::from_str(&text.expect("JSON")).expect("the same");
        let pending = PendingReload::from(read.tabs.into_iter().next().expect("a tab"));
        assert_eq!((pending.url.as_str(), pending.interrupted), ("https://a.example/", false));
        assert_eq!(pending.storage[0].session.as_deref(), Some("[[\"k\",\"\\ud800\"]]"));
    }
}
