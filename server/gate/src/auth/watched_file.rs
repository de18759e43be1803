//! A file that is read again when it changes.

use std::{
    fs::{self, File, Metadata},
    io::{self, Read as _},
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use browse_base::Lock;

/// Largest file.
const MAX_BYTES: u64 = 4 << 20;

/// The content of a file. A change that cannot be read or parsed is logged, and the content
/// before it stays.
pub struct WatchedFile<T> {
    path: PathBuf,
    /// Shortest time between two looks.
    interval: Duration,
    parse: fn(&[u8]) -> Result<T, String>,
    state: Lock<WatchedState<T>>,
}

struct WatchedState<T> {
    looked_at: Instant,
    /// None when the file was missing.
    version: Option<FileVersion>,
    content: Arc<T>,
}

/// What differs after a change. A mounted Secret changes by a new file at the same path.
#[derive(Clone, Copy, PartialEq, Eq)]
struct FileVersion {
    inode: u64,
    length: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl<T> WatchedFile<T> {
    /// Reads the file for the first time.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn open(
        path: &Path,
        interval: Duration,
        parse: fn(&[u8]) -> Result<T, String>,
    ) -> Result<Self, String> {
        let version = version(path).map_err(|error| error.to_string())?;
        let content =
            read(path).map_err(|error| error.to_string()).and_then(|text| parse(&text))?;
        let state = WatchedState {
            looked_at: Instant::now(),
            version: Some(version),
            content: Arc::new(content),
        };
        Ok(Self { path: path.to_owned(), interval, parse, state: Lock::new(state) })
    }

    /// The content, which is at most the interval old.
    pub fn current(&self) -> Arc<T> {
        let mut state = self.state.lock();
        if state.looked_at.elapsed() >= self.interval {
            self.look(&mut state);
        }
        Arc::clone(&state.content)
    }

    /// The content as it is now.
    pub fn newest(&self) -> Arc<T> {
        let mut state = self.state.lock();
        self.look(&mut state);
        Arc::clone(&state.content)
    }

    fn look(&self, state: &mut WatchedState<T>) {
        state.looked_at = Instant::now();
        // Before the content: a change between the two is seen at the next look.
        let version = version(&self.path).ok();
        if version == state.version {
            return;
        }
        state.version = version;
        let text = read(&self.path).map_err(|error| error.to_string());
        match text.and_then(|text| (self.parse)(&text)) {
            Ok(content) => {
                state.content = Arc::new(content);
                tracing::info!(path = %self.path.display(), "read a file that changed");
            }
            Err(why) => tracing::warn!(
                path = %self.path.display(),
                why,
                "a file that changed cannot be used: its former content stays in use"
            ),
        }
    }
}

fn version(path: &Path) -> io::Result<FileVersion> {
    let metadata: Metadata = fs::metadata(path)?;
    if !metadata.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    Ok(FileVersion {
        inode: metadata.ino(),
        length: metadata.size(),
        modified: (metadata.mtime(), metadata.mtime_nsec()),
        changed: (metadata.ctime(), metadata.ctime_nsec()),
    })
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    match u64::try_from(bytes.len()).is_ok_and(|length| length <= MAX_BYTES) {
        true => Ok(bytes),
        false => Err(io::Error::other("it is larger than 4 MiB")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(bytes: &[u8]) -> Result<String, String> {
        match std::str::from_utf8(bytes) {
            Ok(text) if !text.is_empty() => Ok(text.to_owned()),
            _ => Err("no text".to_owned()),
        }
    }

    /// Writes as a mount does: a new file at the same path.
    fn replace(path: &Path, text: &str) {
        let new = path.with_extension("new");
        fs::write(&new, text).expect("written");
        fs::rename(&new, path).expect("renamed");
    }

    #[test]
    fn a_change_is_seen_and_a_broken_one_is_not_used() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        assert!(WatchedFile::open(&path, Duration::ZERO, parse).is_err(), "it is missing");
        assert!(WatchedFile::open(folder.path(), Duration::ZERO, parse).is_err(), "a folder");
        replace(&path, "one");
        let file = WatchedFile::open(&path, Duration::ZERO, parse).expect("it is whole");
        assert_eq!(*file.current(), "one");
        replace(&path, "two");
        assert_eq!(*file.current(), "two");
        replace(&path, "");
        assert_eq!(*file.current(), "two");
        fs::remove_file(&path).expect("removed");
        assert_eq!(*file.current(), "two");
        replace(&path, "three");
        assert_eq!(*file.current(), "three");
    }

    #[test]
    fn it_is_looked_at_no_more_often_than_the_interval() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        replace(&path, "one");
        let hour = Duration::from_secs(3600);
        let file = WatchedFile::open(&path, hour, parse).expect("it is whole");
        replace(&path, "two");
        assert_eq!(*file.current(), "one");
        assert_eq!(*file.newest(), "two");
        assert_eq!(*file.current(), "two");
    }
}
