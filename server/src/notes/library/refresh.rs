//! Fetches the collection: its list, and the notes that changed.

use std::{fs::File, io, sync::Arc, time::Duration};

use browse_proto::Reason;
use bytes::Bytes;
use futures::StreamExt as _;
use http::{HeaderMap, HeaderValue, Method, header};
use sha1::{Digest as _, Sha1};
use tokio::time::{Instant, sleep, timeout};
use url::Url;

use super::{
    cache::{CachedNote, LibraryCache, LibraryManifest},
    collection::{LibrarySettings, LibraryTree, ListedNote, parse_tree},
};
use crate::notes::scan::NoteScanner;
use browse_base::{Error, Result, now_ms};
use browse_content::clean;
use browse_outbound::{FetchPolicy, OutboundRequest, UrlGate, send_following_redirects};

/// Longest that one fetch takes.
const FETCH_TIMEOUT: Duration = Duration::from_secs(20);

/// Longest that one waits for another daemon that fetches.
const LOCK_TIMEOUT: Duration = Duration::from_secs(60);

/// How often one looks whether it is done.
const LOCK_POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Fetches at a time.
const MAX_CONCURRENT_FETCHES: usize = 8;

/// Bytes of the list.
const MAX_TREE_BYTES: usize = 16 << 20;

/// Bytes of a note.
const MAX_NOTE_BYTES: usize = 256 << 10;

/// Letters of a title.
const MAX_TITLE_CHARS: usize = 80;

/// What came of a refresh.
#[derive(Clone, Debug)]
pub struct RefreshResult {
    /// What is in force now.
    pub manifest: Arc<LibraryManifest>,
    /// Notes that were fetched.
    pub fetched: usize,
    /// Notes that could not be, and stay as they were, or away.
    pub failed: usize,
}

/// Where the collection lies, and where it is kept.
pub struct LibraryFetcher {
    pub settings: LibrarySettings,
    pub reach: FetchPolicy,
    pub cache: Arc<LibraryCache>,
    pub scan: NoteScanner,
}

/// Only the hosts of the collection are asked, whatever they redirect to.
struct SameOriginGate<'a>(&'a Url);

impl UrlGate for SameOriginGate<'_> {
    fn check_url(&self, url: &Url) -> Result<()> {
        if url.origin() == self.0.origin() {
            return Ok(());
        }
        let host = url.host_str().unwrap_or_default();
        Err(Error::new(Reason::FetchFailed, format!("it redirects to `{host}`")))
    }
}

impl LibraryFetcher {
    /// Fetches what changed, and puts it in force.
    ///
    /// # Errors
    /// `LIBRARY_OFF`, `LIBRARY_UNAVAILABLE`, `FILE_UNWRITABLE`.
    pub async fn refresh(&self) -> Result<RefreshResult> {
        let off = || Error::new(Reason::LibraryOff, "the library is switched off");
        let collection = self.settings.collection.as_deref().ok_or_else(off)?;
        let list =
            self.settings.tree_url(collection).ok_or_else(|| unavailable("a bad address"))?;
        let bytes =
            self.get(&list, MAX_TREE_BYTES).await.map_err(|problem| unavailable(&problem))?;
        let tree =
            parse_tree(&bytes, &self.settings.prefix).map_err(|problem| unavailable(&problem))?;
        let LibraryTree { hash, notes: listed } = tree;
        // Another daemon may fetch the same: what it has done is not done again.
        let _turn = self.acquire_lock().await.map_err(|error| self.unwritable(&error))?;
        let known = self.cache.load().unwrap_or_default();
        let (mut notes, mut fetched, mut failed) = (Vec::new(), 0, 0);
        let mut work = futures::stream::iter(listed)
            .map(|listed| self.refresh_note(collection, listed, &known))
            .buffer_unordered(MAX_CONCURRENT_FETCHES);
        while let Some(outcome) = work.next().await {
            match outcome {
                NoteRefresh::Unchanged(note) => notes.push(note),
                NoteRefresh::Fetched(note) => {
                    fetched += 1;
                    notes.push(note);
                }
                NoteRefresh::Failed(id, old, problem) => {
                    tracing::warn!(id, problem, "a note of the library is skipped");
                    failed += 1;
                    notes.extend(old);
                }
            }
        }
        if notes.is_empty() && failed > 0 {
            return Err(unavailable("none of its notes could be fetched"));
        }
        notes.sort_by(|a, b| a.id.cmp(&b.id));
        let manifest = LibraryManifest { tree: hash, fetched: now_ms(), notes };
        self.cache.commit(&manifest).map_err(|error| self.unwritable(&error))?;
        let manifest = self.cache.load().unwrap_or_else(|| Arc::new(manifest));
        Ok(RefreshResult { manifest, fetched, failed })
    }

    async fn refresh_note(
        &self,
        collection: &str,
        listed: ListedNote,
        known: &LibraryManifest,
    ) -> NoteRefresh {
        let old = known.notes.iter().find(|note| note.id == listed.id);
        if let Some(same) = old.filter(|old| old.blob == listed.blob)
            && self.cache.text(same).is_some()
        {
            return NoteRefresh::Unchanged(same.clone());
        }
        match self.fetch_note(collection, &listed).await {
            Ok(note) => NoteRefresh::Fetched(note),
            Err(problem) => NoteRefresh::Failed(listed.id, old.cloned(), problem),
        }
    }

    async fn fetch_note(
        &self,
        collection: &str,
        listed: &ListedNote,
    ) -> Result<CachedNote, String> {
        let ListedNote { id, path, blob } = listed.clone();
        let url = self.settings.file_url(collection, &path).ok_or("a bad address")?;
        let bytes = self.get(&url, MAX_NOTE_BYTES).await?;
        if git_hash(&bytes) != blob {
            return Err("it is not the file that the list names".to_owned());
        }
        let text = String::from_utf8(bytes.into()).map_err(|_| "it is not text")?;
        let sha256 = self.cache.store_text(&text).map_err(|error| error.to_string())?;
        let finding = self.scan.scan_on_fetch(&text).await;
        if finding.is_inconclusive {
            return Err("it could not be scanned".to_owned());
        }
        let title = first_heading(&text).unwrap_or_else(|| id.clone());
        Ok(CachedNote { title, id, blob, sha256, score: finding.score, flagged: finding.flagged })
    }

    async fn get(&self, url: &Url, most: usize) -> Result<Bytes, String> {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT, HeaderValue::from_static("*/*"));
        let agent = concat!("browse/", env!("CARGO_PKG_VERSION"));
        headers.insert(header::USER_AGENT, HeaderValue::from_static(agent));
        let (url, gate) = (url.clone(), SameOriginGate(url));
        let ask = OutboundRequest {
            url,
            method: Method::GET,
            headers,
            body: Bytes::new(),
            max_bytes: most,
        };
        let answer =
            timeout(FETCH_TIMEOUT, send_following_redirects(&self.reach, &gate, ask)).await;
        let answer = answer
            .map_err(|_| format!("no answer within {} s", FETCH_TIMEOUT.as_secs()))?
            .map_err(|error| error.to_string())?;
        match answer.status.as_u16() {
            200 if answer.truncated => Err(format!("it has more than {most} bytes")),
            200 => Ok(answer.body),
            403 | 429 => Err("the server limits the rate".to_owned()),
            status => Err(format!("the server answers {status}")),
        }
    }

    /// The lock of the cache. Who waits too long goes ahead: then both fetch,
    /// and the last one is in force.
    async fn acquire_lock(&self) -> io::Result<File> {
        std::fs::create_dir_all(self.cache.folder())?;
        let folder = File::open(self.cache.folder())?;
        let last = Instant::now() + LOCK_TIMEOUT;
        while folder.try_lock().is_err() && Instant::now() < last {
            sleep(LOCK_POLL_INTERVAL).await;
        }
        Ok(folder)
    }

    fn unwritable(&self, error: &io::Error) -> Error {
        let folder = self.cache.folder().display();
        let message = format!("`{folder}` cannot be written: {error}");
        Error::new(Reason::FileUnwritable, message).with("path", folder)
    }
}

enum NoteRefresh {
    Unchanged(CachedNote),
    Fetched(CachedNote),
    /// Id, what was there before, and why.
    Failed(String, Option<CachedNote>, String),
}

fn unavailable(problem: &str) -> Error {
    Error::new(Reason::LibraryUnavailable, "the library cannot be fetched").with("problem", problem)
}

/// The hash that git gives a file.
fn git_hash(bytes: &[u8]) -> String {
    let mut digest = Sha1::new();
    digest.update(format!("blob {}\0", bytes.len()));
    digest.update(bytes);
    digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The first heading.
fn first_heading(text: &str) -> Option<String> {
    let heading = text.lines().find_map(|line| line.trim_start().strip_prefix('#'))?;
    let heading = clean(heading.trim_start_matches('#').trim()).into_owned();
    let title: String = heading.chars().take(MAX_TITLE_CHARS).collect();
    (!title.is_empty()).then_some(title)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_the_hashes_that_git_gives_them() {
        assert_eq!(git_hash(b"hello\n"), "ce013625030ba8dba906f756967f9e9ca394464a");
    }

    #[test]
    fn the_first_heading_is_the_title() {
        assert_eq!(first_heading("x\n\n## Cart  \n# Other").as_deref(), Some("Cart"));
        assert_eq!(first_heading("no heading"), None);
        assert_eq!(
            first_heading(&format!("# {}", "a".repeat(200))).map(|title| title.len()),
            Some(80)
        );
    }
}
