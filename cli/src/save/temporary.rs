//! Files that nobody named: they lie in the temp folder.

use std::path::PathBuf;

use browse_proto::output::create_private_folder;

use crate::{failure::Result, io_failure::unwritable};

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
