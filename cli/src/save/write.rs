//! Writes a file whole or not at all.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
    process,
    sync::atomic::{AtomicU32, Ordering},
    time::{SystemTime, UNIX_EPOCH},
};

use browse_proto::Reason;

use crate::failure::{Failure, Result};

/// Writes `content` to a new file beside `path`, then renames it, so that no
/// reader ever sees half of it.
pub fn atomically(path: &Path, content: &[u8]) -> Result<()> {
    let draft = draft(path);
    let written = write(&draft, content).and_then(|()| fs::rename(&draft, path));
    written.map_err(|error| {
        // The draft is of no use to anyone; that it cannot be removed is no
        // news beside the failure that is told.
        let _ = fs::remove_file(&draft);
        unwritable(path, &error)
    })
}

fn write(draft: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o666).open(draft)?;
    file.write_all(content)
}

fn draft(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}", unique()))
}

/// A path in the temp directory that no other call gets.
pub fn temporary(command: &str, extension: &str) -> PathBuf {
    let name = command.replace(' ', "-");
    std::env::temp_dir().join(format!("browse-{name}-{}.{extension}", unique()))
}

fn unique() -> String {
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
