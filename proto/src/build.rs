//! Names the build of a daemon, so that a command line can tell whether the
//! daemon that runs is the one that it would start.

use std::{io, path::Path, time::UNIX_EPOCH};

/// The build id of the program at `path`: our version, and the size and
/// modification time of the file. One `stat`: the contents are not read, since
/// every command asks.
///
/// # Errors
/// The file cannot be examined.
pub fn build_id(path: &Path) -> io::Result<String> {
    let file = std::fs::metadata(path)?;
    let modified = file.modified()?.duration_since(UNIX_EPOCH).map_err(io::Error::other)?;
    let version = env!("CARGO_PKG_VERSION");
    Ok(format!("{version}+{:x}.{:x}", file.len(), modified.as_nanos()))
}
