//! What is kept of the collection: a manifest, and a file for each text, named
//! by its hash.

use std::{
    fs::{self, DirBuilder},
    io::{self, Write as _},
    os::unix::fs::{DirBuilderExt as _, MetadataExt as _},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use serde::{Deserialize, Serialize};

use super::collection::LibrarySettings;
use crate::notes::{note::sha256_hex, safe_files};
use browse_base::now_ms;

/// A fetched collection.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct LibraryManifest {
    /// Git's hash of its tree.
    pub tree: String,
    /// When it was last known to be so, in milliseconds since 1970.
    pub fetched: u64,
    /// Its notes, by id.
    pub notes: Vec<CachedNote>,
}

/// A note of the collection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CachedNote {
    /// Site and file without its ending.
    pub id: String,
    /// Git's hash of the file.
    pub blob: String,
    /// SHA-256 of the text, which names its file here.
    pub sha256: String,
    /// First heading.
    pub title: String,
    /// Score of the scan.
    pub score: f64,
    /// Whether the scan found something.
    pub flagged: bool,
}

impl CachedNote {
    /// The folder that it lies in.
    pub fn site(&self) -> &str {
        self.id.split_once('/').map_or(&self.id, |(site, _)| site)
    }
}

impl LibraryManifest {
    /// Time since it was fetched, in seconds.
    pub fn age_seconds(&self) -> u64 {
        now_ms().saturating_sub(self.fetched) / 1000
    }
}

/// The folder of a collection, and its manifest as it was last read.
pub struct LibraryCache {
    folder: PathBuf,
    cached: Mutex<(Option<ManifestStamp>, Option<Arc<LibraryManifest>>)>,
}

/// Inode, size and change time.
type ManifestStamp = (u64, u64, i64, i64);

impl LibraryCache {
    /// The cache of a collection in the home of browse.
    pub fn new(home: &Path, settings: &LibrarySettings) -> Self {
        let name = &sha256_hex(&settings.cache_key())[..16];
        let folder = home.join("cache").join("library").join(name);
        Self { folder, cached: Mutex::default() }
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The manifest as it is now; none before the first fetch, and for one that
    /// is damaged, which the next fetch replaces.
    pub fn load(&self) -> Option<Arc<LibraryManifest>> {
        let path = self.manifest_path();
        let stamp = fs::metadata(&path)
            .map(|meta| (meta.ino(), meta.size(), meta.ctime(), meta.ctime_nsec()));
        let mut memory = self.lock_cached();
        let Ok(stamp) = stamp else {
            *memory = Default::default();
            return None;
        };
        if memory.0 == Some(stamp) {
            return memory.1.clone();
        }
        let read =
            safe_files::read_file(&path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        if read.is_none() {
            tracing::warn!(path = %path.display(), "the manifest of the library is damaged");
        }
        *memory = (Some(stamp), read.map(Arc::new));
        memory.1.clone()
    }

    /// The text of a note; none when its file is gone, or is not that text.
    pub fn text(&self, note: &CachedNote) -> Option<String> {
        let text =
            String::from_utf8(safe_files::read_file(&self.text_path(&note.sha256)).ok()?).ok()?;
        (sha256_hex(&text) == note.sha256).then_some(text)
    }

    /// Keeps a text, and answers its hash.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn store_text(&self, text: &str) -> io::Result<String> {
        let name = sha256_hex(text);
        let path = self.text_path(&name);
        if !path.exists() {
            self.write(&path, text.as_bytes())?;
        }
        Ok(name)
    }

    /// Puts a manifest in force, and drops the texts that it does not name.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn commit(&self, manifest: &LibraryManifest) -> io::Result<()> {
        self.write(&self.manifest_path(), &serde_json::to_vec(manifest)?)?;
        let named = |name: &str| manifest.notes.iter().any(|note| note.sha256 == name);
        for entry in fs::read_dir(&self.folder)?.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.strip_suffix(".md").is_some_and(|name| !named(name)) {
                let _ = fs::remove_file(entry.path());
            }
        }
        Ok(())
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
        let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
        file.write_all(bytes)?;
        file.persist(path)?;
        Ok(())
    }

    fn manifest_path(&self) -> PathBuf {
        self.folder.join("manifest.json")
    }

    fn text_path(&self, hash: &str) -> PathBuf {
        self.folder.join(format!("{hash}.md"))
    }

    fn lock_cached(
        &self,
    ) -> std::sync::MutexGuard<'_, (Option<ManifestStamp>, Option<Arc<LibraryManifest>>)> {
        self.cached.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
