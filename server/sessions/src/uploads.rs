//! Files that pages of a tab were given. They lie in a private folder until
//! the tab is gone: a page may read a file long after it was chosen.

use std::{
    collections::VecDeque,
    fs, io,
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use browse_proto::{Reason, v1};

use browse_base::{Error, Result};

/// Bytes that are kept for a tab; the oldest go first.
const MAX_UPLOAD_BYTES: usize = 512 << 20;

/// The folders of a tab, one for each time that files were given.
#[derive(Default)]
pub struct Uploads(Mutex<VecDeque<UploadedFiles>>);

/// Files of one call. Dropping them removes them.
pub struct UploadedFiles {
    folder: PathBuf,
    bytes: usize,
    paths: Vec<PathBuf>,
}

impl Drop for UploadedFiles {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.folder) {
            tracing::debug!(%error, "files of a tab were not removed");
        }
    }
}

impl UploadedFiles {
    /// Writes `files` into a new folder under `place`.
    ///
    /// # Errors
    /// `FILE_UNWRITABLE`.
    pub async fn write_to(place: &Path, files: Vec<v1::UploadFile>) -> Result<Self> {
        let mut written = Self {
            folder: place.join(format!("{:016x}", rand::random::<u64>())),
            bytes: files.iter().map(|file| file.content.len()).sum(),
            paths: Vec::new(),
        };
        // On a thread of its own: these may be many megabytes.
        let work = tokio::task::spawn_blocking(move || {
            written.paths = write_files(&written.folder, &files)?;
            Ok::<_, io::Error>(written)
        });
        let ended = |error| Error::new(Reason::Bug, format!("the files were not kept: {error}"));
        work.await.map_err(ended)?.map_err(|error| {
            Error::new(Reason::FileUnwritable, format!("the files cannot be kept: {error}"))
        })
    }

    /// Where they lie, in the order in which they were given.
    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }
}

impl Uploads {
    /// Keeps files that a page has, until the tab is gone.
    pub fn keep(&self, files: UploadedFiles) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.push_back(files);
        while all.len() > 1 && all.iter().map(|files| files.bytes).sum::<usize>() > MAX_UPLOAD_BYTES
        {
            all.pop_front();
        }
    }
}

/// Each file has a folder of its own, since names may be the same.
fn write_files(folder: &Path, files: &[v1::UploadFile]) -> io::Result<Vec<PathBuf>> {
    let private = |path: &Path| fs::DirBuilder::new().mode(0o700).create(path);
    private(folder)?;
    let one = |(index, file): (usize, &v1::UploadFile)| {
        let own = folder.join(index.to_string());
        private(&own)?;
        let path = own.join(&file.name);
        fs::write(&path, &file.content)?;
        Ok(path)
    };
    files.iter().enumerate().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, bytes: usize) -> v1::UploadFile {
        v1::UploadFile { name: name.to_owned(), content: vec![7; bytes] }
    }

    #[tokio::test]
    async fn files_are_kept_apart_and_go_with_the_tab() {
        let folder = tempfile::tempdir().unwrap();
        let uploads = Uploads::default();
        let files = vec![file("a", 1), file("a", 2)];
        let files = UploadedFiles::write_to(folder.path(), files).await.unwrap();
        let size = |path: &PathBuf| fs::read(path).unwrap().len();
        assert_eq!(files.paths().iter().map(size).collect::<Vec<_>>(), [1, 2]);
        assert!(files.paths().iter().all(|path| path.ends_with("a")));
        uploads.keep(files);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        drop(uploads);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
