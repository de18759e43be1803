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

use browse_proto::output::{self, Options, Outcome};
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Drafts that a signal has to take away.
static OPEN: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A file under way.
#[derive(Debug)]
pub struct Draft {
    path: PathBuf,
    draft: output::Draft,
}

impl Draft {
    /// Begins what is to be at `path`.
    ///
    /// # Errors
    /// The rule for output paths refuses it, or the folder cannot be written.
    pub fn begin(path: &Path, options: &Options<'_>) -> Outcome<Self> {
        watch();
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        let draft = output::Draft::begin(path, options)?;
        open.push(draft.path());
        Ok(Self { path: draft.path(), draft })
    }

    /// Puts it where it is to be, and returns the path that it got.
    ///
    /// # Errors
    /// What is there is of another kind, or the system refuses it.
    pub fn finish(self) -> Outcome<PathBuf> {
        let finished = self.draft.finish();
        forget(&self.path);
        finished
    }

    /// Whether it goes to standard output.
    pub fn is_standard_output(&self) -> bool {
        self.draft.is_standard_output()
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.draft.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.draft.flush()
    }
}

fn forget(path: &Path) {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner).retain(|open| open != path);
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
