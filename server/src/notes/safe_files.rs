//! Where notes lie: files and folders of their own. A link would lead what is
//! written somewhere else, and a pipe or a device holds up whoever opens it.

use std::{
    fs::{self, File, FileType, Metadata, OpenOptions},
    io::{self, Read as _},
    os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _},
    path::Path,
};

use browse_proto::Reason;

use browse_base::{Error, Result};

/// Nobody waits for the other end of a pipe, and no last link is followed.
const NOFOLLOW_NONBLOCK: i32 = nix::libc::O_NOFOLLOW | nix::libc::O_NONBLOCK;

/// What the file at `path` is; none when there is nothing.
///
/// # Errors
/// `NOTES_PLACE_TAKEN` for what is not a plain file, `FILE_UNREADABLE`.
pub fn file_metadata(path: &Path) -> Result<Option<Metadata>> {
    checked_metadata(path, FileType::is_file, "file")
}

/// That there is a folder at `path`, or nothing yet.
///
/// # Errors
/// `NOTES_PLACE_TAKEN` for what is not a folder of its own, `FILE_UNREADABLE`.
pub fn ensure_folder(path: &Path) -> Result<()> {
    checked_metadata(path, FileType::is_dir, "folder").map(|_| ())
}

fn checked_metadata(
    path: &Path,
    wanted: fn(&FileType) -> bool,
    name: &str,
) -> Result<Option<Metadata>> {
    match fs::symlink_metadata(path) {
        Ok(found) if wanted(&found.file_type()) => Ok(Some(found)),
        Ok(found) => Err(wrong_type(path, &found.file_type(), name)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => {
            let message = format!("`{}` cannot be read: {error}", path.display());
            Err(Error::new(Reason::FileUnreadable, message).with("path", path.display()))
        }
    }
}

/// Opens the file at `path`, which was looked at before: whatever came into its
/// place since then is an error at once.
///
/// # Errors
/// It cannot be opened, or is not a plain file.
pub fn open_file(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    ensure_plain_file(options.custom_flags(NOFOLLOW_NONBLOCK).open(path)?)
}

/// What the file at `path` holds. Links are followed, as those of people who
/// keep their settings somewhere else; a pipe or a device is an error.
///
/// # Errors
/// It cannot be read, or is not a plain file.
pub fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let mut options = OpenOptions::new();
    let file = options.read(true).custom_flags(nix::libc::O_NONBLOCK).open(path)?;
    let mut bytes = Vec::new();
    ensure_plain_file(file)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn ensure_plain_file(file: File) -> io::Result<File> {
    let kind = file.metadata()?.file_type();
    match kind.is_file() {
        true => Ok(file),
        false => Err(io::Error::other(format!("it is {}, and no file", type_name(&kind)))),
    }
}

fn wrong_type(path: &Path, found: &FileType, wanted: &str) -> Error {
    let message = format!("`{}` is {}, and no {wanted}", path.display(), type_name(found));
    Error::new(Reason::NotesPlaceTaken, message).with("path", path.display())
}

fn type_name(kind: &FileType) -> &'static str {
    if kind.is_symlink() {
        "a symbolic link"
    } else if kind.is_dir() {
        "a folder"
    } else if kind.is_file() {
        "a file"
    } else if kind.is_fifo() {
        "a named pipe"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}
