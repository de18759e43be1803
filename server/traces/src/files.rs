//! Files of traces: nobody else's to read, and never through a link.

use std::{
    fs::{self, DirBuilder, OpenOptions},
    io::{self, Write},
    os::unix::fs::DirBuilderExt,
    path::Path,
};

use browse_base::{Error, Result, open_private, open_private_log, read_private};
use browse_proto::Reason;

/// Bytes of a file that are read at most.
const MAX_FILE_BYTES: u64 = 64 << 20;

pub(crate) fn make_folder(path: &Path) -> Result<()> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(path);
    made.map_err(|error| unwritable(path, &error))?;
    match is_folder(path) {
        true => Ok(()),
        false => Err(unwritable(path, &io::Error::other("it is a link"))),
    }
}

/// Makes a folder that is not there yet.
pub(crate) fn make_new_folder(path: &Path) -> Result<()> {
    let made = DirBuilder::new().mode(0o700).create(path);
    made.map_err(|error| unwritable(path, &error))
}

/// Whether a folder stands there, and no link to one.
pub(crate) fn is_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|about| about.is_dir())
}

pub(crate) fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = open_private(OpenOptions::new().write(true).create(true).truncate(true), path)?;
    file.write_all(bytes)
}

pub(crate) fn append(path: &Path, bytes: &[u8]) -> io::Result<()> {
    open_private_log(path)?.write_all(bytes)
}

pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    read_private(path, MAX_FILE_BYTES)
}

pub(crate) fn unwritable(path: &Path, error: &io::Error) -> Error {
    let message = format!("`{}` cannot be written: {error}", path.display());
    Error::new(Reason::FileUnwritable, message).with("path", path.display())
}

/// Bytes of the files in a folder, one level deep.
pub(crate) fn folder_bytes(path: &Path) -> u64 {
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    let sizes = entries.filter_map(|entry| match entry.metadata() {
        Ok(about) if about.is_file() => Some(about.len()),
        Ok(about) if about.is_dir() => {
            let inner = fs::read_dir(entry.path()).into_iter().flatten().flatten();
            Some(inner.filter_map(|entry| entry.metadata().ok()).map(|about| about.len()).sum())
        }
        _ => None,
    });
    sizes.sum()
}
