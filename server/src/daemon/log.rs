//! The log file of the daemon.

use std::{
    fs::{self, OpenOptions},
    os::unix::fs::OpenOptionsExt,
    path::Path,
    sync::Mutex,
};

use tracing_subscriber::{EnvFilter, fmt, prelude::*};

use super::project::unwritable;
use crate::error::Result;

/// Size at which the log begins anew; the old one stays as `daemon.log.1`.
const MOST_BYTES: u64 = 5 << 20;

/// Sends what is traced to `path`. `BROWSE_LOG` filters it, as in
/// `browse_server=debug`.
///
/// # Errors
/// `FILE_UNWRITABLE`.
pub fn start(path: &Path) -> Result<()> {
    if fs::metadata(path).is_ok_and(|file| file.len() > MOST_BYTES) {
        let old = path.with_extension("log.1");
        fs::rename(path, &old).map_err(|error| unwritable(&old, &error))?;
    }
    let file = OpenOptions::new().create(true).append(true).mode(0o600).open(path);
    let file = file.map_err(|error| unwritable(path, &error))?;
    let filter = EnvFilter::try_from_env("BROWSE_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    let lines = fmt::layer().with_ansi(false).with_writer(Mutex::new(file));
    // A second daemon in one process happens only in tests; the first keeps
    // the log.
    let _ = tracing_subscriber::registry().with(filter).with(lines).try_init();
    Ok(())
}
