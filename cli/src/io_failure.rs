//! Failures of the file system, in the words of the system.

use std::{io, path::Path};

use browse_proto::Reason;

use crate::failure::Failure;

/// The failure for a path that cannot be written.
pub fn unwritable(path: &Path, error: &io::Error) -> Failure {
    let shown = path.display().to_string();
    let message = format!("`{shown}` cannot be written: {}", error_text(error));
    Failure::with_values(Reason::FileUnwritable, message, [("path", shown)])
}

/// What the system says, without the number of the error.
pub fn error_text(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_ascii_lowercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}
