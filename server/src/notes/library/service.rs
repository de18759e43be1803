//! The library of a daemon: one refresh at a time, and what is answered
//! meanwhile.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use browse_proto::Reason;
use tokio::sync::watch;

use super::{
    cache::LibraryCache,
    collection::LibrarySettings,
    hosts::SiteTable,
    index::LibraryIndex,
    refresh::{LibraryFetcher, RefreshResult},
};
use crate::notes::{host::NoteHost, scan::NoteScanner};
use browse_base::{Error, Result};
use browse_net::HostRules;
use browse_outbound::FetchPolicy;

/// Age after which what is cached is fetched again, in seconds.
const MAX_CACHE_AGE_SECONDS: u64 = 24 * 3600;

/// Time after a failure in which nobody tries by itself.
const RETRY_DELAY: Duration = Duration::from_secs(600);

/// The library.
pub struct Library {
    fetcher: Arc<LibraryFetcher>,
    home: PathBuf,
    running: Arc<Mutex<RefreshState>>,
    index: Mutex<Option<Arc<LibraryIndex>>>,
}

/// A refresh that is under way.
#[derive(Default)]
struct RefreshState {
    outcome: Option<watch::Receiver<Option<Result<RefreshResult>>>>,
    failed: Option<(Instant, String)>,
}

/// A note of the library that may be shown.
pub struct LibraryNoteText {
    /// Name.
    pub id: String,
    /// Git's hash of the tree that it came with.
    pub tree: String,
    /// SHA-256 of its text.
    pub sha256: String,
    /// Markdown.
    pub body: String,
}

impl Library {
    /// The library that the settings name.
    pub fn new(
        settings: &LibrarySettings,
        home: &Path,
        reach: &FetchPolicy,
        scan: NoteScanner,
    ) -> Self {
        let cache = Arc::new(LibraryCache::new(home, settings));
        // Whoever names an address in the settings may mean this machine.
        let named = settings.url.as_ref().and_then(|url| {
            let port = url.port_or_known_default()?;
            HostRules::parse(&[format!("{}:{port}", url.host_str()?)]).ok()
        });
        let allow = named.unwrap_or_default();
        let reach =
            FetchPolicy { allowed_hosts: allow, resolver_rules: reach.resolver_rules.clone() };
        let fetcher = Arc::new(LibraryFetcher { settings: settings.clone(), reach, cache, scan });
        let (running, index) = (Arc::default(), Mutex::default());
        Self { fetcher, home: home.to_owned(), running, index }
    }

    /// What is cached.
    pub fn cache(&self) -> Arc<LibraryCache> {
        Arc::clone(&self.fetcher.cache)
    }

    /// Collection and branch.
    pub fn name(&self) -> String {
        let LibrarySettings { collection, branch, .. } = &self.fetcher.settings;
        collection.as_ref().map_or("off".to_owned(), |name| format!("{name}@{branch}"))
    }

    /// Whether there is one.
    pub fn is_on(&self) -> bool {
        self.fetcher.settings.collection.is_some()
    }

    /// What is cached, sorted by host, as it is now; and what is wrong with the
    /// user's table of hosts.
    pub fn load(&self) -> (Option<Arc<LibraryIndex>>, Option<String>) {
        let manifest = self.fetcher.cache.load().filter(|_| self.is_on());
        let (hosts, problem) = SiteTable::load(&self.home);
        let mut index = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |known: &Arc<LibraryIndex>| {
            manifest.as_ref().is_some_and(|now| Arc::ptr_eq(now, &known.manifest))
                && known.hosts == hosts
        };
        if !index.as_ref().is_some_and(same) {
            *index = manifest.map(|manifest| Arc::new(LibraryIndex::new(manifest, hosts)));
        }
        (index.clone(), problem)
    }

    /// Whether a refresh runs.
    pub fn is_refreshing(&self) -> bool {
        self.lock().outcome.is_some()
    }

    /// Why the last refresh ended early.
    pub fn last_failure(&self) -> Option<String> {
        self.lock().failed.as_ref().map(|(_, problem)| problem.clone())
    }

    /// Begins a refresh in the background when what is cached is old, or not
    /// there. Returns the notice for the caller.
    pub fn refresh_if_stale(&self) -> Option<String> {
        if !self.is_on() {
            return None;
        }
        let known = self.fetcher.cache.load();
        if known.as_ref().is_some_and(|manifest| manifest.age_seconds() < MAX_CACHE_AGE_SECONDS) {
            return None;
        }
        let resting =
            self.lock().failed.as_ref().is_some_and(|(when, _)| when.elapsed() < RETRY_DELAY);
        if !resting {
            self.start_refresh();
        }
        match (known, self.last_failure()) {
            (Some(_), _) => None,
            (None, Some(problem)) => Some(format!("there is no library yet: {problem}")),
            (None, None) => Some("the library is being fetched for the first time".to_owned()),
        }
    }

    /// Fetches now, or waits for the refresh that runs.
    ///
    /// # Errors
    /// As [`Fetcher::refresh`].
    pub async fn refresh(&self) -> Result<RefreshResult> {
        let mut outcome = self.start_refresh();
        let ended = outcome.wait_for(Option::is_some).await;
        match ended.ok().and_then(|outcome| outcome.clone()) {
            Some(outcome) => outcome,
            None => Err(Error::new(Reason::Bug, "the refresh of the library broke")),
        }
    }

    /// What is cached; fetched first when there is nothing.
    ///
    /// # Errors
    /// As [`Fetcher::refresh`].
    pub async fn index(&self) -> Result<(Arc<LibraryIndex>, Option<String>)> {
        let off = || Error::new(Reason::LibraryOff, "the library is switched off");
        self.is_on().then_some(()).ok_or_else(off)?;
        self.refresh_if_stale();
        if let (Some(index), problem) = self.load() {
            return Ok((index, problem));
        }
        let manifest = self.refresh().await?.manifest;
        let (index, problem) = self.load();
        // The cache may be gone again: what was fetched is answered all the same.
        Ok((
            index.unwrap_or_else(|| Arc::new(LibraryIndex::new(manifest, SiteTable::default()))),
            problem,
        ))
    }

    /// The notes on `host` whose scan finds nothing, with their texts.
    pub async fn notes_for_host(&self, host: &NoteHost) -> Vec<LibraryNoteText> {
        let Some(index) = self.load().0 else { return Vec::new() };
        let mut shown = Vec::new();
        for note in index
            .notes_for_host(host.as_str())
            .into_iter()
            .map(|place| &index.manifest.notes[place])
        {
            let Some(body) = self.fetcher.cache.text(note) else { continue };
            // What is known of bad texts may have grown since they were fetched.
            if self.fetcher.scan.scan_on_use(&body).await.is_withheld() {
                continue;
            }
            let (id, sha256) = (note.id.clone(), note.sha256.clone());
            shown.push(LibraryNoteText { id, tree: index.manifest.tree.clone(), sha256, body });
        }
        shown
    }

    /// The ids of the notes on `host`, at most so many, from memory alone.
    pub fn cached_ids_for_host(&self, host: &NoteHost, most: usize) -> Vec<String> {
        let index = self.index.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let Some(index) = index else { return Vec::new() };
        let notes = index
            .notes_for_host(host.as_str())
            .into_iter()
            .map(|place| &index.manifest.notes[place]);
        notes.filter(|note| !note.flagged).take(most).map(|note| note.id.clone()).collect()
    }

    /// The refresh that runs; begins one when none does.
    fn start_refresh(&self) -> watch::Receiver<Option<Result<RefreshResult>>> {
        let mut running = self.lock();
        if let Some(outcome) = &running.outcome {
            return outcome.clone();
        }
        let (done, outcome) = watch::channel(None);
        running.outcome = Some(outcome.clone());
        running.failed = None;
        drop(running);
        let (fetcher, running) = (Arc::clone(&self.fetcher), Arc::clone(&self.running));
        // On a task of its own: a caller that goes away takes nothing along.
        tokio::spawn(async move {
            let fetched = fetcher.refresh().await;
            let mut running = running.lock().unwrap_or_else(PoisonError::into_inner);
            running.outcome = None;
            if let Err(error) = &fetched {
                tracing::warn!(%error, "the library was not refreshed");
                running.failed = Some((Instant::now(), error.to_string()));
            }
            drop(running);
            done.send_replace(Some(fetched));
        });
        outcome
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, RefreshState> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
