//! Files that pages of a tab were given. They lie in a private folder until
//! the tab is gone: a page may read a file long after it was chosen.

use std::{
    collections::VecDeque,
    fs, io,
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use browse_proto::{Reason, v1};

use crate::error::{Error, Result};

/// Bytes that are kept for a tab; the oldest go first.
const MOST_BYTES: usize = 512 << 20;

/// The folders of a tab, one for each time that files were given.
#[derive(Default)]
pub struct Uploads(Arc<Mutex<VecDeque<Given>>>);

struct Given {
    folder: PathBuf,
    bytes: usize,
}

impl Drop for Given {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.folder) {
            tracing::debug!(%error, "files of a tab were not removed");
        }
    }
}

impl Uploads {
    /// Writes `files` under `folder`, and answers where they lie.
    ///
    /// # Errors
    /// `FILE_UNWRITABLE`.
    pub async fn keep(&self, folder: &Path, files: Vec<v1::UploadFile>) -> Result<Vec<PathBuf>> {
        let given = Given {
            folder: folder.join(format!("{:016x}", rand::random::<u64>())),
            bytes: files.iter().map(|file| file.content.len()).sum(),
        };
        let all = Arc::clone(&self.0);
        // Written on a thread of its own: these may be many megabytes.
        let written = tokio::task::spawn_blocking(move || {
            let paths = write(&given.folder, &files)?;
            let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
            all.push_back(given);
            while all.len() > 1 && all.iter().map(|given| given.bytes).sum::<usize>() > MOST_BYTES {
                all.pop_front();
            }
            Ok::<_, io::Error>(paths)
        });
        let ended = |error| Error::new(Reason::Bug, format!("the files were not kept: {error}"));
        written.await.map_err(ended)?.map_err(|error| {
            Error::new(Reason::FileUnwritable, format!("the files cannot be kept: {error}"))
        })
    }
}

/// Each file has a folder of its own, since names may be the same.
fn write(folder: &Path, files: &[v1::UploadFile]) -> io::Result<Vec<PathBuf>> {
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
        let kept = uploads.keep(folder.path(), vec![file("a", 1), file("a", 2)]).await.unwrap();
        let sizes: Vec<_> = kept.iter().map(|path| fs::read(path).unwrap().len()).collect();
        assert_eq!(sizes, [1, 2]);
        assert!(kept.iter().all(|path| path.ends_with("a")));
        drop(uploads);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
