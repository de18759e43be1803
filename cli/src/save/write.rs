//! Files that nobody named, and the failures of writing.

use std::{
    io,
    path::{Path, PathBuf},
};

use browse_proto::{Reason, output::create_private_folder};

use crate::failure::{Failure, Result};

/// A file of `command` in a folder of its own in the temp folder.
///
/// # Errors
/// The temp folder cannot be written.
pub fn temporary_file(command: &str, extension: &str) -> Result<PathBuf> {
    let stem = stem(command);
    Ok(temporary_folder(command)?.join(format!("{stem}.{extension}")))
}

/// A folder for the files of `command` in the temp folder, which nobody else can
/// enter.
///
/// # Errors
/// The temp folder cannot be written.
pub fn temporary_folder(command: &str) -> Result<PathBuf> {
    create_private_folder(&stem(command)).map_err(|error| unwritable(&std::env::temp_dir(), &error))
}

fn stem(command: &str) -> String {
    let name: String = command.chars().filter(|c| c.is_alphanumeric() || *c == ' ').collect();
    name.replace(' ', "-")
}

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
