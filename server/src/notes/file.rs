//! A file of rows that several processes append to: one lock, whole lines, on
//! the disk before anybody is notified.

use std::{
    fs::{self, DirBuilder, File, OpenOptions, TryLockError},
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use browse_proto::Reason;

use super::{
    event_row::NoteEventRow,
    failpoints,
    note::{NoteIndex, NoteScope},
    safe_files,
};
use browse_base::{Error, Result};

/// Longest that one waits for the others.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// How often one looks whether the others are done.
const LOCK_POLL_INTERVAL: Duration = Duration::from_millis(2);

/// A file of rows, and what it held when it was last read.
pub struct NoteEventFile {
    path: PathBuf,
    scope: NoteScope,
    cache: Mutex<(Option<NoteFileStamp>, Arc<NoteIndex>)>,
}

/// Inode, size and change time: what tells that a file is as it was.
type NoteFileStamp = (u64, u64, i64, i64);

impl NoteEventFile {
    /// The file at `path`, which need not exist.
    pub fn new(path: PathBuf, scope: NoteScope) -> Self {
        Self { path, scope, cache: Mutex::default() }
    }

    /// Whose notes it holds.
    pub fn scope(&self) -> NoteScope {
        self.scope
    }

    /// The notes as they were last read: no file is touched.
    pub fn cached(&self) -> Arc<NoteIndex> {
        Arc::clone(&self.lock_cache().1)
    }

    /// The notes as they are now.
    ///
    /// # Errors
    /// `FILE_UNREADABLE`, `NOTES_PLACE_TAKEN`. No file holds no notes.
    pub fn load(&self) -> Result<Arc<NoteIndex>> {
        let Some(found) = self.metadata()? else {
            *self.lock_cache() = Default::default();
            return Ok(Arc::default());
        };
        let found = file_stamp(&found);
        if let (Some(known), book) = &*self.lock_cache()
            && *known == found
        {
            return Ok(Arc::clone(book));
        }
        let open = || safe_files::open_file(&self.path, OpenOptions::new().read(true));
        open().and_then(|file| self.read(&file)).map_err(|error| self.unreadable(&error))
    }

    /// Decides on rows by the notes as they are, and appends them: alone, and
    /// on the disk when it answers.
    ///
    /// # Errors
    /// Those of `decide`; `NOTES_BUSY`, `NOTES_PLACE_TAKEN`, `FILE_UNREADABLE`,
    /// `FILE_UNWRITABLE`.
    pub fn edit<T>(
        &self,
        decide: impl FnOnce(&NoteIndex) -> Result<(Vec<NoteEventRow>, T)>,
    ) -> Result<T> {
        let mut file = self.lock()?;
        let book = self.read(&file).map_err(|error| self.unreadable(&error))?;
        let (rows, outcome) = decide(&book)?;
        if rows.is_empty() {
            return Ok(outcome);
        }
        failpoints::here("decided");
        self.append(&mut file, &rows).map_err(|error| self.unwritable(&error))?;
        failpoints::here("appended");
        let mut book = NoteIndex::clone(&book);
        rows.into_iter().for_each(|row| book.apply(row, self.scope));
        let stamp = file.metadata().ok().as_ref().map(file_stamp);
        *self.lock_cache() = (stamp, Arc::new(book));
        Ok(outcome)
    }

    /// What the file is, and that no link leads to it: the folders between the
    /// home of browse and the file are our own.
    fn metadata(&self) -> Result<Option<fs::Metadata>> {
        let own = if self.scope == NoteScope::Project { 2 } else { 0 };
        let folders: Vec<_> = self.path.ancestors().skip(1).take(own).collect();
        folders.into_iter().rev().try_for_each(safe_files::ensure_folder)?;
        safe_files::file_metadata(&self.path)
    }

    /// The file, open and locked. It is the one at the path: a compaction puts
    /// another in its place.
    pub(crate) fn lock(&self) -> Result<File> {
        let open = || {
            DirBuilder::new().recursive(true).mode(0o700).create(self.folder())?;
            let mut options = OpenOptions::new();
            options.read(true).append(true).create(true).mode(0o600);
            safe_files::open_file(&self.path, &mut options)
        };
        let last = Instant::now() + LOCK_TIMEOUT;
        loop {
            self.metadata()?;
            let file = open().map_err(|error| self.unwritable(&error))?;
            match file.try_lock() {
                Ok(()) => {
                    let same = |path: &Path| {
                        let (ours, theirs) =
                            (file.metadata().ok()?, fs::symlink_metadata(path).ok()?);
                        Some(ours.ino() == theirs.ino() && ours.dev() == theirs.dev())
                    };
                    if same(&self.path) == Some(true) {
                        return Ok(file);
                    }
                }
                Err(TryLockError::WouldBlock) => thread::sleep(LOCK_POLL_INTERVAL),
                Err(TryLockError::Error(error)) => return Err(self.unwritable(&error)),
            }
            if Instant::now() >= last {
                let message = format!("`{}` is locked by another process", self.path.display());
                return Err(
                    Error::new(Reason::NotesBusy, message).with("path", self.path.display())
                );
            }
        }
    }

    /// Appends whole lines; a line that a killed writer left torn is ended
    /// first, so that it takes no other along.
    fn append(&self, file: &mut File, rows: &[NoteEventRow]) -> io::Result<()> {
        let before = file.seek(SeekFrom::End(0))?;
        let mut lines = Vec::new();
        if before > 0 {
            file.seek(SeekFrom::End(-1))?;
            let mut last = [0];
            file.read_exact(&mut last)?;
            if last[0] != b'\n' {
                lines.push(b'\n');
            }
        }
        rows.iter().for_each(|row| lines.extend(row.to_line()));
        let written = write_lines(file, &lines).and_then(|()| {
            failpoints::here("written");
            file.sync_data()
        });
        if written.is_err() {
            // A full disk keeps no half of a line.
            file.set_len(before)?;
        }
        written?;
        if before == 0 {
            sync_folder(self.folder())?;
        }
        Ok(())
    }

    /// Reads what `file` holds into memory.
    fn read(&self, file: &File) -> io::Result<Arc<NoteIndex>> {
        let stamp = file_stamp(&file.metadata()?);
        if let (Some(known), book) = &*self.lock_cache()
            && *known == stamp
        {
            return Ok(Arc::clone(book));
        }
        let bytes = read_all(file)?;
        let mut book = NoteIndex::default();
        let lines = bytes.split(|byte| *byte == b'\n');
        lines.filter_map(NoteEventRow::parse).for_each(|row| book.apply(row, self.scope));
        let book = Arc::new(book);
        *self.lock_cache() = (Some(stamp), Arc::clone(&book));
        Ok(book)
    }

    /// Forgets what was read.
    pub(crate) fn clear_cache(&self) {
        *self.lock_cache() = Default::default();
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("."))
    }

    pub(crate) fn unreadable(&self, error: &io::Error) -> Error {
        let message = format!("`{}` cannot be read: {error}", self.path.display());
        Error::new(Reason::FileUnreadable, message).with("path", self.path.display())
    }

    pub(crate) fn unwritable(&self, error: &io::Error) -> Error {
        let message = format!("`{}` cannot be written: {error}", self.path.display());
        Error::new(Reason::FileUnwritable, message).with("path", self.path.display())
    }

    fn lock_cache(&self) -> std::sync::MutexGuard<'_, (Option<NoteFileStamp>, Arc<NoteIndex>)> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One write in the common case; in two where a test kills us between them.
fn write_lines(file: &mut File, lines: &[u8]) -> io::Result<()> {
    let middle = if failpoints::wanted("torn") { lines.len() / 2 } else { lines.len() };
    file.write_all(&lines[..middle])?;
    failpoints::here("torn");
    file.write_all(&lines[middle..])
}

/// Everything that `file` holds.
pub(crate) fn read_all(mut file: &File) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(0))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Puts the names of a folder on the disk.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

fn file_stamp(meta: &fs::Metadata) -> NoteFileStamp {
    (meta.ino(), meta.size(), meta.ctime(), meta.ctime_nsec())
}
