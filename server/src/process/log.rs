//! The log of the daemon: a file, or standard error in a pod.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::Path,
    sync::Mutex,
};

use tracing_subscriber::{EnvFilter, fmt, prelude::*};

use crate::project::unwritable;
use browse_base::Result;

/// Size at which the log begins anew; the old one stays as `daemon.log.1`.
const MAX_LOG_BYTES: u64 = 5 << 20;

/// Sends what is traced to `path`. `BROWSE_LOG` filters it, as in
/// `browse_server=debug`.
///
/// # Errors
/// `FILE_UNWRITABLE`.
pub fn init(path: &Path) -> Result<()> {
    if fs::metadata(path).is_ok_and(|file| file.len() > MAX_LOG_BYTES) {
        let old = path.with_extension("log.1");
        fs::rename(path, &old).map_err(|error| unwritable(&old, &error))?;
    }
    let file = OpenOptions::new().create(true).append(true).mode(0o600).open(path);
    let file = file.map_err(|error| unwritable(path, &error))?;
    trace_to(file);
    Ok(())
}

/// The same to standard error, where the log of a container is read from.
pub fn init_for_pod() {
    trace_to(io::stderr());
}

fn trace_to(writer: impl Write + Send + 'static) {
    let filter = EnvFilter::try_from_env("BROWSE_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    let lines = fmt::layer().with_ansi(false).with_writer(Mutex::new(RedactingWriter(writer)));
    // A second daemon in one process happens only in tests; the first keeps
    // the log.
    let _ = tracing_subscriber::registry().with(filter).with(lines).try_init();
}

/// Takes secrets out of what it passes on. The layer writes a line at a time,
/// so none is cut in two.
struct RedactingWriter<W>(W);

impl<W: Write> Write for RedactingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let line = String::from_utf8_lossy(bytes);
        self.0.write_all(browse_secrets::redact(&line).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_of_the_log_holds_a_secret() {
        let mut log = RedactingWriter(Vec::new());
        writeln!(log, "INFO to https://a.b/?token=hunter2").expect("a vector takes all");
        assert_eq!(log.0, b"INFO to https://a.b/?token=[redacted]\n");
    }
}
