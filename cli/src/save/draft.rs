//! A file that appears whole or not at all: it is written under another name
//! beside its own. What is half written goes with the failure, and with the
//! signal that ends the program.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
    process,
    sync::{Mutex, Once, PoisonError},
    thread,
};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::write::unique;
use crate::sources;

/// Drafts that a signal has to take away.
static OPEN: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A file under way.
#[derive(Debug)]
pub struct Draft {
    path: PathBuf,
    file: File,
}

impl Draft {
    /// Begins a file that is to lie at `path`, or elsewhere in its folder.
    ///
    /// # Errors
    /// The folder is not there, or cannot be written.
    pub fn beside(path: &Path) -> io::Result<Self> {
        if !sources::is_writable(path) {
            let message = "settings, hooks or credentials lie there";
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, message));
        }
        watch();
        // A long name would be too long with what is added to it.
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name: String = name.chars().take(60).collect();
        let draft = path.with_file_name(format!(".{name}.{}", unique()));
        OPEN.lock().unwrap_or_else(PoisonError::into_inner).push(draft.clone());
        let opened = OpenOptions::new().write(true).create_new(true).mode(0o666).open(&draft);
        match opened {
            Ok(file) => Ok(Self { path: draft, file }),
            Err(error) => {
                forget(&draft);
                Err(error)
            }
        }
    }

    /// Gives the file its name, in place of what had it.
    ///
    /// # Errors
    /// The name is that of a folder, say.
    pub fn replace(self, path: &Path) -> io::Result<()> {
        fs::rename(&self.path, path)
    }

    /// Gives the file its name, or the first of `a-2.png`, `a-3.png` … that is
    /// free, and answers which.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn number(self, path: &Path) -> io::Result<PathBuf> {
        let mut number = 1;
        loop {
            let wanted = numbered(path, number);
            match self.claim(&wanted) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                done => return done.map(|()| wanted),
            }
        }
    }

    fn claim(&self, path: &Path) -> io::Result<()> {
        match renameat_with(CWD, &self.path, CWD, path, RenameFlags::NOREPLACE) {
            // The file system cannot rename with care: what is there is asked.
            Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) if path.exists() => {
                Err(io::ErrorKind::AlreadyExists.into())
            }
            Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => {
                fs::rename(&self.path, path)
            }
            done => Ok(done?),
        }
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // After a rename there is nothing to remove, and none to tell.
        let _ = fs::remove_file(&self.path);
        forget(&self.path);
    }
}

fn forget(path: &Path) {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner).retain(|open| open != path);
}

fn numbered(path: &Path, number: u32) -> PathBuf {
    if number == 1 {
        return path.to_owned();
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    match path.extension() {
        Some(end) => path.with_file_name(format!("{stem}-{number}.{}", end.to_string_lossy())),
        None => path.with_file_name(format!("{stem}-{number}")),
    }
}

/// Takes the signals that end a program, once there is something to clean up.
fn watch() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let (ready, waiting) = std::sync::mpsc::channel();
        thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build();
            // Without the watch a signal ends the program as it always does.
            let Ok(runtime) = runtime else { return };
            runtime.block_on(async {
                let kinds =
                    [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
                let Ok([mut interrupt, mut terminate, mut hangup]) = listen(kinds) else { return };
                // Nobody waits any more when the program is ending.
                let _ = ready.send(());
                let number = tokio::select! {
                    _ = interrupt.recv() => 2,
                    _ = terminate.recv() => 15,
                    _ = hangup.recv() => 1,
                };
                let open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
                for draft in open.iter() {
                    let _ = fs::remove_file(draft);
                }
                process::exit(128 + number);
            });
        });
        // Ends with an error when the thread gives up, which is as good.
        let _ = waiting.recv();
    });
}

fn listen(kinds: [SignalKind; 3]) -> io::Result<[Signal; 3]> {
    let [interrupt, terminate, hangup] = kinds;
    Ok([signal(interrupt)?, signal(terminate)?, signal(hangup)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("a folder").flatten();
        let mut names: Vec<_> =
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_name_that_is_taken_gets_a_number() {
        let folder = tempfile::tempdir().expect("a temp dir");
        let path = folder.path().join("a.tar");
        for _ in 0..3 {
            let mut draft = Draft::beside(&path).expect("it begins");
            draft.write_all(b"x").expect("it is written");
            draft.number(&path).expect("it is named");
        }
        assert_eq!(names(folder.path()), ["a-2.tar", "a-3.tar", "a.tar"]);
    }

    #[test]
    fn a_draft_that_is_given_up_leaves_nothing() {
        let folder = tempfile::tempdir().expect("a temp dir");
        let mut draft = Draft::beside(&folder.path().join("a.tar")).expect("it begins");
        draft.write_all(b"x").expect("it is written");
        drop(draft);
        assert_eq!(names(folder.path()), [""; 0]);
    }
}
