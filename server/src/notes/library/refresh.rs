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
    cache::{Cache, Kept, Manifest},
    collection::{LibrarySettings, Listed, Tree, tree},
};
use crate::{
    content::clean,
    error::{Error, Result},
    notes::{row::now, scan::Scan},
    outbound::{Ask, Gate, Reach, exchange},
};

/// Longest that one fetch takes.
const PATIENCE: Duration = Duration::from_secs(20);

/// Longest that one waits for another daemon that fetches.
const TURN: Duration = Duration::from_secs(60);

/// How often one looks whether it is done.
const LOOK: Duration = Duration::from_millis(50);

/// Fetches at a time.
const ABREAST: usize = 8;

/// Bytes of the list.
const MOST_LIST: usize = 16 << 20;

/// Bytes of a note.
const MOST_NOTE: usize = 256 << 10;

/// Letters of a title.
const MOST_TITLE: usize = 80;

/// What came of a refresh.
#[derive(Clone, Debug)]
pub struct Fetched {
    /// What is in force now.
    pub manifest: Arc<Manifest>,
    /// Notes that were fetched.
    pub fetched: usize,
    /// Notes that could not be, and stay as they were, or away.
    pub failed: usize,
}

/// Where the collection lies, and where it is kept.
pub struct Fetcher {
    pub settings: LibrarySettings,
    pub reach: Reach,
    pub cache: Arc<Cache>,
    pub scan: Scan,
}

/// Only the hosts of the collection are asked, whatever they redirect to.
struct Hosts<'a>(&'a Url);

impl Gate for Hosts<'_> {
    fn pass(&self, url: &Url) -> Result<()> {
        if url.origin() == self.0.origin() {
            return Ok(());
        }
        let host = url.host_str().unwrap_or_default();
        Err(Error::new(Reason::FetchFailed, format!("it redirects to `{host}`")))
    }
}

impl Fetcher {
    /// Fetches what changed, and puts it in force.
    ///
    /// # Errors
    /// `LIBRARY_OFF`, `LIBRARY_UNAVAILABLE`, `FILE_UNWRITABLE`.
    pub async fn refresh(&self) -> Result<Fetched> {
        let off = || Error::new(Reason::LibraryOff, "the library is switched off");
        let collection = self.settings.collection.as_deref().ok_or_else(off)?;
        let list = self.settings.list(collection).ok_or_else(|| unavailable("a bad address"))?;
        let bytes = self.get(&list, MOST_LIST).await.map_err(|problem| unavailable(&problem))?;
        let tree = tree(&bytes, &self.settings.prefix).map_err(|problem| unavailable(&problem))?;
        let Tree { hash, notes: listed } = tree;
        // Another daemon may fetch the same: what it has done is not done again.
        let _turn = self.turn().await.map_err(|error| self.unwritable(&error))?;
        let known = self.cache.load().unwrap_or_default();
        let (mut notes, mut fetched, mut failed) = (Vec::new(), 0, 0);
        let mut work = futures::stream::iter(listed)
            .map(|listed| self.note(collection, listed, &known))
            .buffer_unordered(ABREAST);
        while let Some(outcome) = work.next().await {
            match outcome {
                Outcome::Same(note) => notes.push(note),
                Outcome::Fetched(note) => {
                    fetched += 1;
                    notes.push(note);
                }
                Outcome::Failed(id, old, problem) => {
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
        let manifest = Manifest { tree: hash, fetched: now(), notes };
        self.cache.put(&manifest).map_err(|error| self.unwritable(&error))?;
        let manifest = self.cache.load().unwrap_or_else(|| Arc::new(manifest));
        Ok(Fetched { manifest, fetched, failed })
    }

    async fn note(&self, collection: &str, listed: Listed, known: &Manifest) -> Outcome {
        let old = known.notes.iter().find(|note| note.id == listed.id);
        if let Some(same) = old.filter(|old| old.blob == listed.blob)
            && self.cache.text(same).is_some()
        {
            return Outcome::Same(same.clone());
        }
        match self.fetch(collection, &listed).await {
            Ok(note) => Outcome::Fetched(note),
            Err(problem) => Outcome::Failed(listed.id, old.cloned(), problem),
        }
    }

    async fn fetch(&self, collection: &str, listed: &Listed) -> Result<Kept, String> {
        let Listed { id, path, blob } = listed.clone();
        let url = self.settings.file(collection, &path).ok_or("a bad address")?;
        let bytes = self.get(&url, MOST_NOTE).await?;
        if git_hash(&bytes) != blob {
            return Err("it is not the file that the list names".to_owned());
        }
        let text = String::from_utf8(bytes.into()).map_err(|_| "it is no text")?;
        let sha256 = self.cache.keep(&text).map_err(|error| error.to_string())?;
        let finding = self.scan.at_fetch(&text).await;
        if finding.unsure {
            return Err("it could not be scanned".to_owned());
        }
        let title = title(&text).unwrap_or_else(|| id.clone());
        Ok(Kept { title, id, blob, sha256, score: finding.score, flagged: finding.flagged })
    }

    async fn get(&self, url: &Url, most: usize) -> Result<Bytes, String> {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT, HeaderValue::from_static("*/*"));
        let agent = concat!("browse/", env!("CARGO_PKG_VERSION"));
        headers.insert(header::USER_AGENT, HeaderValue::from_static(agent));
        let (url, gate) = (url.clone(), Hosts(url));
        let ask = Ask { url, method: Method::GET, headers, body: Bytes::new(), most };
        let answer = timeout(PATIENCE, exchange(&self.reach, &gate, ask)).await;
        let answer = answer
            .map_err(|_| format!("no answer within {} s", PATIENCE.as_secs()))?
            .map_err(|error| error.to_string())?;
        match answer.status.as_u16() {
            200 if answer.truncated => Err(format!("it has more than {most} bytes")),
            200 => Ok(answer.body),
            403 | 429 => Err("the server asks for patience".to_owned()),
            status => Err(format!("the server answers {status}")),
        }
    }

    /// The lock of the cache. Who waits too long goes ahead: then both fetch,
    /// and the last one is in force.
    async fn turn(&self) -> io::Result<File> {
        std::fs::create_dir_all(self.cache.folder())?;
        let folder = File::open(self.cache.folder())?;
        let last = Instant::now() + TURN;
        while folder.try_lock().is_err() && Instant::now() < last {
            sleep(LOOK).await;
        }
        Ok(folder)
    }

    fn unwritable(&self, error: &io::Error) -> Error {
        let folder = self.cache.folder().display();
        let message = format!("`{folder}` cannot be written: {error}");
        Error::new(Reason::FileUnwritable, message).with("path", folder)
    }
}

enum Outcome {
    Same(Kept),
    Fetched(Kept),
    /// Id, what was there before, and why.
    Failed(String, Option<Kept>, String),
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
fn title(text: &str) -> Option<String> {
    let heading = text.lines().find_map(|line| line.trim_start().strip_prefix('#'))?;
    let heading = clean(heading.trim_start_matches('#').trim()).into_owned();
    let title: String = heading.chars().take(MOST_TITLE).collect();
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
        assert_eq!(title("x\n\n## Cart  \n# Other").as_deref(), Some("Cart"));
        assert_eq!(title("no heading"), None);
        assert_eq!(title(&format!("# {}", "a".repeat(200))).map(|title| title.len()), Some(80));
    }
}
