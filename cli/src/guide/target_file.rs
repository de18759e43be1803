//! A file of an agent: read once, compared before it is written, and written whole or not
//! at all. Links are followed to a file of their own; for a project, only within it.

use std::{
    fs::{self, File, OpenOptions, Permissions},
    io::{self, Read as _, Write as _},
    os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
};

use browse_proto::Reason;
use rustix::fs::{Access, access};

use crate::{
    failure::{Failure, Result},
    io_failure,
};

/// Bytes of a file of settings.
const MAX_BYTES: u64 = 32 << 20;

/// A file of an agent, as it is before it is changed.
#[derive(Debug)]
pub struct TargetFile {
    /// Its path, as it is shown.
    pub path: PathBuf,
    /// Where it really is.
    place: PathBuf,
    /// What it holds; none when there is none.
    pub before: Option<String>,
}

impl TargetFile {
    /// Reads the file at `path`, which lies within `boundary` where there is one.
    pub fn read(path: &Path, boundary: Option<&Path>) -> Result<Self> {
        let place = resolve(path)?;
        if let Some(boundary) = boundary {
            let boundary = fs::canonicalize(boundary).unwrap_or_else(|_| boundary.to_owned());
            if !place.starts_with(&boundary) {
                let message = format!("`{}` is a link out of the project", path.display());
                return Err(refused(message, "Replace the link by a file, then run it again"));
            }
        }
        let before = match fs::symlink_metadata(&place) {
            Ok(found) if !found.is_file() => {
                let message = format!("`{}` is not a file", path.display());
                return Err(refused(message, "Move it away, then run it again"));
            }
            Ok(found) if found.len() > MAX_BYTES => {
                let message = format!("`{}` has {} bytes", path.display(), found.len());
                return Err(refused(message, "It is not a file of settings: check it"));
            }
            Ok(_) => Some(read_text(path, &place)?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(unreadable(path, &error)),
        };
        Ok(Self { path: path.to_owned(), place, before })
    }

    /// Fails when the file could not be written, before anything is.
    pub fn check_writable(&self) -> Result<()> {
        let found = match fs::metadata(&self.place) {
            Ok(found) => found,
            Err(_) => return check_folder(&self.path, &self.place),
        };
        if found.permissions().mode() & 0o222 == 0 || access(&self.place, Access::WRITE_OK).is_err()
        {
            let message = format!("`{}` is read-only", self.path.display());
            let hint = format!("Run `chmod u+w {}` if it should change", self.path.display());
            return Err(refused(message, &hint));
        }
        check_folder(&self.path, &self.place)
    }

    /// Gives the file another text, or removes it; answers the folders that were made.
    pub fn write(&self, text: Option<&str>) -> Result<Vec<PathBuf>> {
        let now = fs::read(&self.place).ok();
        if now.as_deref() != self.before.as_deref().map(str::as_bytes) {
            let message =
                format!("`{}` was changed by another program meanwhile", self.path.display());
            return Err(refused(message, "Run it again"));
        }
        let outcome = match text {
            Some(text) => write_whole(&self.place, text),
            None => fs::remove_file(&self.place).map(|()| Vec::new()),
        };
        outcome.map_err(|error| io_failure::unwritable(&self.path, &error))
    }

    /// Puts back what was there, after another file could not be written.
    pub fn restore(&self) {
        // Nothing is left to do where that fails.
        let _ = match &self.before {
            Some(text) => write_whole(&self.place, text).map(drop),
            None => fs::remove_file(&self.place),
        };
    }
}

/// Where `path` leads, its folders and itself: an existing one, or one that can be made.
fn resolve(path: &Path) -> Result<PathBuf> {
    match fs::canonicalize(path) {
        Ok(place) => return Ok(place),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(unreadable(path, &error)),
    }
    if fs::symlink_metadata(path).is_ok() {
        let message = format!("`{}` is a link to a file that is not there", path.display());
        return Err(refused(message, "Remove the link, then run it again"));
    }
    match (path.parent(), path.file_name()) {
        (Some(folder), Some(name)) => Ok(resolve(folder)?.join(name)),
        _ => Ok(path.to_owned()),
    }
}

fn read_text(path: &Path, place: &Path) -> Result<String> {
    let mut bytes = Vec::new();
    let read = File::open(place).and_then(|file| file.take(MAX_BYTES).read_to_end(&mut bytes));
    read.map_err(|error| unreadable(path, &error))?;
    String::from_utf8(bytes).map_err(|_| {
        let message = format!("`{}` is not UTF-8 text", path.display());
        refused(message, "Correct the file or move it away, then run it again")
    })
}

/// Checks the nearest folder that there is.
fn check_folder(path: &Path, place: &Path) -> Result<()> {
    let Some(folder) = place.ancestors().skip(1).find(|folder| folder.exists()) else {
        return Ok(());
    };
    if folder.is_dir() && access(folder, Access::WRITE_OK | Access::EXEC_OK).is_ok() {
        return Ok(());
    }
    let message =
        format!("`{}` cannot be written: `{}` does not allow it", path.display(), folder.display());
    Err(refused(message, "Check the rights of the folder"))
}

/// Writes beside, then renames: a reader sees the old text or the new one. Mode and owner
/// stay. Answers the folders that were made.
fn write_whole(place: &Path, text: &str) -> io::Result<Vec<PathBuf>> {
    let folder = place.parent().unwrap_or(place);
    let missing = folder.ancestors().take_while(|folder| !folder.exists());
    let mut made: Vec<_> = missing.map(Path::to_owned).collect();
    made.reverse();
    fs::create_dir_all(folder)?;
    let name = place.file_name().unwrap_or_default().to_string_lossy();
    let beside = folder.join(format!(".{name}.{}", std::process::id()));
    let written = write_beside(place, &beside, text);
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written.map(|()| made)
}

fn write_beside(place: &Path, beside: &Path, text: &str) -> io::Result<()> {
    let old = fs::metadata(place).ok();
    // Not readable for others before its mode is known.
    let mode = if old.is_some() { 0o600 } else { 0o666 };
    let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(beside)?;
    file.write_all(text.as_bytes())?;
    if let Some(old) = old {
        let new = file.metadata()?;
        if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
            std::os::unix::fs::fchown(&file, Some(old.uid()), Some(old.gid()))?;
        }
        file.set_permissions(Permissions::from_mode(old.permissions().mode() & 0o7777))?;
    }
    file.sync_all()?;
    fs::rename(beside, place)
}

fn unreadable(path: &Path, error: &io::Error) -> Failure {
    let message = format!("`{}` cannot be read: {}", path.display(), io_failure::error_text(error));
    refused(message, "Check the rights of the file and its folders")
}

fn refused(message: String, hint: &str) -> Failure {
    Failure::new(Reason::FileUnwritable, message).with_hint(hint)
}
