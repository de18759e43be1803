//! Writes a file whole or not at all.

use std::{
    io::{self, Write as _},
    path::{Path, PathBuf},
    process,
    sync::atomic::{AtomicU32, Ordering},
    time::{SystemTime, UNIX_EPOCH},
};

use browse_proto::Reason;

use super::draft::Draft;
use crate::failure::{Failure, Result};

/// Writes `content` to a new file beside `path`, then renames it, so that no
/// reader ever sees half of it.
pub fn atomically(path: &Path, content: &[u8]) -> Result<()> {
    let written = Draft::beside(path).and_then(|mut draft| {
        draft.write_all(content)?;
        draft.replace(path)
    });
    written.map_err(|error| unwritable(path, &error))
}

/// A path in the temp directory that no other call gets.
pub fn temporary(command: &str, extension: &str) -> PathBuf {
    std::env::temp_dir().join(format!("{}.{extension}", stem(command)))
}

/// The same, for the beginning of several names, or for a folder.
pub fn temporary_prefix(command: &str) -> PathBuf {
    std::env::temp_dir().join(stem(command))
}

fn stem(command: &str) -> String {
    let name: String = command.chars().filter(|c| c.is_alphanumeric() || *c == ' ').collect();
    format!("browse-{}-{}", name.replace(' ', "-"), unique())
}

/// What no other name ends in.
pub fn unique() -> String {
    static CALLS: AtomicU32 = AtomicU32::new(0);
    let call = CALLS.fetch_add(1, Ordering::Relaxed);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{}-{}-{call}", now.as_millis(), process::id())
}

/// The failure for a path that cannot be written.
pub fn unwritable(path: &Path, error: &io::Error) -> Failure {
    let shown = path.display().to_string();
    let message = format!("`{shown}` cannot be written: {}", cause(error));
    Failure::with(Reason::FileUnwritable, message, [("path", shown)])
}

/// What the system says, without the number of the error.
pub fn cause(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_ascii_lowercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_is_replaced_whole_and_leaves_no_draft() {
        let folder = tempfile::tempdir().expect("a temp dir");
        let path = folder.path().join("page.png");
        atomically(&path, b"one").expect("it writes");
        atomically(&path, b"two").expect("it replaces");
        assert_eq!(fs::read(&path).expect("it is there"), b"two");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
    }

    #[test]
    fn a_folder_that_is_not_there_is_told() {
        let failure = atomically(Path::new("/nowhere/page.png"), b"").expect_err("no folder");
        assert_eq!(failure.reason, "FILE_UNWRITABLE");
        assert_eq!(
            failure.message,
            "`/nowhere/page.png` cannot be written: no such file or directory"
        );
    }
}
