//! A file under way. What is half written goes with the failure, and with the
//! signal that ends the program.

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    process,
    sync::{Mutex, Once, PoisonError},
    thread,
};

use browse_proto::output::{self, OutputOptions, OutputResult};
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Drafts that a signal has to take away.
static OPEN_FILES: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A file under way.
#[derive(Debug)]
pub struct SignalSafeFile {
    path: PathBuf,
    file: output::AtomicFile,
}

impl SignalSafeFile {
    /// Begins what is to be at `path`.
    ///
    /// # Errors
    /// The rule for output paths refuses it, or the folder cannot be written.
    pub fn begin(path: &Path, options: &OutputOptions<'_>) -> OutputResult<Self> {
        handle_signals();
        let mut open = OPEN_FILES.lock().unwrap_or_else(PoisonError::into_inner);
        let draft = output::AtomicFile::begin(path, options)?;
        open.push(draft.draft_path());
        Ok(Self { path: draft.draft_path(), file: draft })
    }

    /// Puts it where it is to be, and returns the path that it got.
    ///
    /// # Errors
    /// What is there is of another kind, or the system refuses it.
    pub fn finish(self) -> OutputResult<PathBuf> {
        let finished = self.file.finish();
        untrack(&self.path);
        finished
    }

    /// Whether it goes to standard output.
    pub fn is_standard_output(&self) -> bool {
        self.file.is_standard_output()
    }
}

impl Write for SignalSafeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

fn untrack(path: &Path) {
    OPEN_FILES.lock().unwrap_or_else(PoisonError::into_inner).retain(|open| open != path);
}
/// Takes the signals that end a program, once there is something to clean up.
fn handle_signals() {
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
                let Ok([mut interrupt, mut terminate, mut hangup]) = listen_for_signals(kinds)
                else {
                    return;
                };
                // Nobody waits any more when the program is ending.
                let _ = ready.send(());
                let number = tokio::select! {
                    _ = interrupt.recv() => 2,
                    _ = terminate.recv() => 15,
                    _ = hangup.recv() => 1,
                };
                let open = OPEN_FILES.lock().unwrap_or_else(PoisonError::into_inner);
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

fn listen_for_signals(kinds: [SignalKind; 3]) -> io::Result<[Signal; 3]> {
    let [interrupt, terminate, hangup] = kinds;
    Ok([signal(interrupt)?, signal(terminate)?, signal(hangup)?])
}
