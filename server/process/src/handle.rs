//! The daemon's side: starts the guardian, tells it things, replaces it.

use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::ledger::{Ledger, LedgerEntry};
use super::mark::ProcessMark;
use super::process::GUARDIAN_FLAG;
use super::processes;
use super::sweep::sweep;

/// Between the death of a guardian and its successor, when that fails.
const RESTART_DELAY: Duration = Duration::from_millis(200);

/// A running guardian. Dropping the last handle lets it sweep.
pub struct Guardian {
    shared: Arc<GuardianShared>,
}

struct GuardianShared {
    program: PathBuf,
    state: Mutex<GuardianState>,
    /// Reported when a guardian has ended.
    ended: Condvar,
}

#[derive(Default)]
struct GuardianState {
    ledger: Ledger,
    pipe: Option<ChildStdin>,
    pid: Option<u32>,
    finishing: bool,
}

impl Guardian {
    /// Starts `program --guardian` in a session of its own.
    pub fn start(program: impl Into<PathBuf>) -> io::Result<Arc<Self>> {
        let shared = Arc::new(GuardianShared {
            program: program.into(),
            state: Mutex::default(),
            ended: Condvar::new(),
        });
        let child = shared.spawn()?;
        let watched = Arc::clone(&shared);
        std::thread::Builder::new()
            .name("guardian-watch".to_owned())
            .stack_size(128 * 1024)
            .spawn(move || watched.watch(child))?;
        Ok(Arc::new(Self { shared }))
    }

    /// The guardian's process id, while there is one.
    pub fn pid(&self) -> Option<u32> {
        self.shared.lock().pid
    }

    /// Has a file or directory removed at the end. The path must be absolute.
    pub fn remove_at_exit(&self, path: &Path) {
        self.shared.add(LedgerEntry::Remove(path.to_owned()));
    }

    /// Has a JSON state file removed at the end if its `pid` is still `pid`.
    pub fn remove_at_exit_if_pid(&self, path: &Path, pid: u32) {
        self.shared.add(LedgerEntry::RemoveIfPid { pid: pid as i32, path: path.to_owned() });
    }

    /// Has a process ended at the end, with all below it and its group.
    pub fn kill_at_exit(&self, pid: u32) {
        if let Some(process) = processes::find_process(pid as i32) {
            self.shared.add(LedgerEntry::Kill { pid: process.pid, started: process.started });
        }
    }

    /// Has all ended at the end who carry `mark`.
    pub fn kill_marked_at_exit(&self, mark: &ProcessMark) {
        self.shared.add(LedgerEntry::KillMarked(mark.clone()));
    }

    /// Takes [`Guardian::kill_marked`] back.
    pub fn forget_marked(&self, mark: &ProcessMark) {
        self.shared
            .forget(|entry| matches!(entry, LedgerEntry::KillMarked(known) if known == mark));
    }

    /// Takes [`Guardian::remove`] back.
    pub fn forget_remove(&self, path: &Path) {
        self.shared.forget(|entry| matches!(entry, LedgerEntry::Remove(known) if known == path));
    }

    /// Takes [`Guardian::kill`] back, for a process that has ended.
    pub fn forget_kill(&self, pid: u32) {
        self.shared.forget(
            |entry| matches!(entry, LedgerEntry::Kill { pid: known, .. } if *known == pid as i32),
        );
    }

    /// Lets the guardian sweep now and waits until it is done. True when it
    /// was done in time.
    pub fn finish(&self, max_wait: Duration) -> bool {
        let deadline = Instant::now() + max_wait;
        let mut state = self.shared.lock();
        state.finishing = true;
        state.pipe = None;
        if state.pid.is_none() {
            // Caught between two guardians: nobody else will do it.
            let entries = state.ledger.entries().to_vec();
            drop(state);
            sweep(&entries);
            return true;
        }
        while state.pid.is_some() {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            state = self
                .shared
                .ended
                .wait_timeout(state, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
        true
    }
}

impl std::fmt::Debug for Guardian {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Guardian").field("pid", &self.pid()).finish_non_exhaustive()
    }
}

impl Drop for Guardian {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.finishing = true;
        state.pipe = None;
    }
}

impl GuardianShared {
    fn lock(&self) -> MutexGuard<'_, GuardianState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, entry: LedgerEntry) {
        let mut state = self.lock();
        state.write_line(&entry.to_line());
        state.ledger.add(entry);
    }

    fn forget(&self, which: impl Fn(&LedgerEntry) -> bool) {
        let mut state = self.lock();
        let gone: Vec<LedgerEntry> =
            state.ledger.entries().iter().filter(|e| which(e)).cloned().collect();
        for entry in gone {
            state.write_line(&format!("forget {}", entry.to_line()));
            state.ledger.forget(&entry);
        }
    }

    /// Starts one guardian. Known state goes in its arguments: sent
    /// afterwards, it would be lost if we died in between.
    #[allow(unsafe_code)]
    fn spawn(&self) -> io::Result<Child> {
        // Held throughout, so that no entry falls between arguments and pipe.
        let mut state = self.lock();
        let mut command = Command::new(&self.program);
        command
            .arg(GUARDIAN_FLAG)
            .args(state.ledger.entries().iter().map(LedgerEntry::to_line))
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        // SAFETY: setsid is async-signal-safe and allocates nothing.
        unsafe {
            command.pre_exec(|| nix::unistd::setsid().map(drop).map_err(io::Error::from));
        }
        let mut child = command.spawn()?;
        state.pipe = child.stdin.take().filter(|_| !state.finishing);
        state.pid = Some(child.id());
        Ok(child)
    }

    /// Waits for the guardian and replaces it unless it ended as it should.
    fn watch(&self, mut child: Child) {
        loop {
            let _ = child.wait();
            {
                let mut state = self.lock();
                state.pid = None;
                state.pipe = None;
                self.ended.notify_all();
                if state.finishing {
                    return;
                }
            }
            tracing::warn!("the guardian process ended; starting another");
            child = loop {
                match self.spawn() {
                    Ok(child) => break child,
                    Err(error) => tracing::error!(%error, "the guardian did not start"),
                }
                std::thread::sleep(RESTART_DELAY);
                if self.lock().finishing {
                    return;
                }
            };
        }
    }
}

impl GuardianState {
    /// Writes one line. A broken pipe means that the watcher is about to start
    /// a successor, which gets everything.
    fn write_line(&mut self, line: &str) {
        if let Some(pipe) = &mut self.pipe {
            let _ = pipe.write_all(format!("{line}\n").as_bytes());
        }
    }
}
