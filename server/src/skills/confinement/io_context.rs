//! Errors that say what did not work.

use std::io;

/// Says what it was that did not work.
pub fn with_context<T>(what: &str, result: io::Result<T>) -> io::Result<T> {
    result.map_err(|error| io::Error::new(error.kind(), format!("{what}: {error}")))
}
