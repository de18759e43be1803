//! The file that an editor opens, in a folder that nobody else can look into:
//! editors put copies beside it.

use std::{
    env, fs,
    fs::{DirBuilder, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
    process,
};

use browse_proto::Reason;

use crate::{
    failure::{Failure, Result},
    io_failure,
};

/// Names that are tried before others have taken too many.
const MAX_TRIES: u32 = 1000;

/// A text while it is edited. Dropping it removes it.
pub struct EditedFile {
    folder: PathBuf,
    path: PathBuf,
    is_kept: bool,
}

impl EditedFile {
    /// A file with `text`, of which only this user knows.
    pub fn new(text: &str) -> Result<Self> {
        let place = env::temp_dir();
        let unwritable = |path: &Path, error: &io::Error| {
            let message = format!(
                "`{}` cannot be written: {}",
                path.display(),
                io_failure::error_text(error)
            );
            Failure::with_values(
                Reason::FileUnwritable,
                message,
                [("path", path.display().to_string())],
            )
        };
        let folder = create_folder(&place).map_err(|error| unwritable(&place, &error))?;
        let draft = Self { path: folder.join("note.md"), folder, is_kept: false };
        let mut options = OpenOptions::new();
        let file = options.write(true).create_new(true).mode(0o600).open(&draft.path);
        let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
        written.map_err(|error| unwritable(&draft.path, &error))?;
        Ok(draft)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What it holds by now.
    pub fn text(&self) -> io::Result<String> {
        // An editor may have put anything in its place.
        match fs::metadata(&self.path)?.is_file() {
            true => fs::read_to_string(&self.path),
            false => Err(io::Error::other("it is not a plain file")),
        }
    }

    /// Whether there is anything to lose.
    pub fn is_not_empty(&self) -> bool {
        fs::metadata(&self.path).is_ok_and(|found| found.is_file() && found.len() > 0)
    }

    /// Leaves it where it is.
    pub fn keep(mut self) -> PathBuf {
        self.is_kept = true;
        self.path.clone()
    }
}

impl Drop for EditedFile {
    fn drop(&mut self) {
        if !self.is_kept {
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

/// Makes a folder of our own in `place`.
fn create_folder(place: &Path) -> io::Result<PathBuf> {
    let mut number = 0;
    loop {
        let folder = place.join(format!("browse-note-{}-{number}", process::id()));
        match DirBuilder::new().mode(0o700).create(&folder) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < MAX_TRIES => {
                number += 1;
            }
            made => return made.map(|()| folder),
        }
    }
}
