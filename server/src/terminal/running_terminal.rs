//! A terminal that runs: its pseudo-terminal, and the supervisor that ends everything in it.

use std::{
    collections::HashMap,
    io,
    sync::{Arc, OnceLock},
    time::Duration,
};

use browse_base::{Error, Lock, Result};
use browse_policy::ClientId;
use browse_process::{Guardian, ProcessMark};
use browse_proto::Reason;
use tokio::{sync::OwnedSemaphorePermit, time::timeout};
use tokio_util::sync::CancellationToken;

use super::{
    pty::{Pty, TerminalSize},
    shell::ShellPlan,
};
use crate::skills::process::{TerminalChild, spawn_in_terminal};

/// Time that programs get to end by themselves after the hangup.
const HANGUP_GRACE: Duration = Duration::from_millis(500);

/// Time that the supervisor gets to end everything.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);

/// A terminal from the start of its shell on.
pub struct RunningTerminal {
    client: ClientId,
    /// Open until the terminal is ended.
    pty: Lock<Option<Arc<Pty>>>,
    /// Ends it.
    stop: CancellationToken,
    /// Why it was ended, unless its shell ended by itself.
    why: OnceLock<&'static str>,
    /// Set when the shell has ended, and all that it started.
    exited: CancellationToken,
    /// The exit code of the shell, where it is known.
    exit_code: OnceLock<i32>,
}

/// The terminals that run, by their capabilities.
pub(super) type RunningTerminals = Lock<HashMap<String, Arc<RunningTerminal>>>;

/// The processes of a terminal, as the guardian knows them: it ends them when the daemon is
/// killed, and the supervisor with it.
struct GuardedProcesses {
    guardian: Option<Arc<Guardian>>,
    mark: ProcessMark,
    pid: Option<u32>,
}

impl RunningTerminal {
    /// Starts the shell of `plan`. `slot` is free again when everything has ended.
    ///
    /// # Errors
    /// The system has no pseudo-terminal or process left.
    pub(super) async fn start(
        client: &ClientId,
        plan: ShellPlan,
        size: TerminalSize,
        guardian: Option<Arc<Guardian>>,
        slot: OwnedSemaphorePermit,
    ) -> io::Result<Arc<Self>> {
        let (pty, terminal) = Pty::open(size)?;
        let mut guarded = GuardedProcesses::begin(guardian)?;
        let ShellPlan { program, folder, mut environment } = plan;
        environment.insert(ProcessMark::VARIABLE.to_owned(), guarded.mark.text().to_owned());
        let child = spawn_in_terminal(program, environment, folder, terminal).await?;
        guarded.add_supervisor(child.pid());
        let running = Arc::new(Self {
            client: client.clone(),
            pty: Lock::new(Some(Arc::new(pty))),
            stop: CancellationToken::new(),
            why: OnceLock::new(),
            exited: CancellationToken::new(),
            exit_code: OnceLock::new(),
        });
        tokio::spawn(supervise(Arc::clone(&running), child, guarded, slot));
        Ok(running)
    }

    /// Types `data`, as fast as the programs in it read.
    ///
    /// # Errors
    /// `TERMINAL_ENDED`.
    pub async fn write(&self, data: &[u8]) -> Result<()> {
        let pty = self.pty().ok_or_else(ended)?;
        tokio::select! {
            biased;
            () = self.wait_until_ended() => Err(ended()),
            written = pty.write_all(data) => written.map_err(|_| ended()),
        }
    }

    /// Changes its size.
    ///
    /// # Errors
    /// `TERMINAL_ENDED`.
    pub fn resize(&self, size: TerminalSize) -> Result<()> {
        let pty = self.pty().ok_or_else(ended)?;
        pty.resize(size).map_err(|_| ended())
    }

    /// Ends it with all that runs in it; `why` is reported to its reader.
    pub fn end(&self, why: &'static str) {
        // The first reason counts.
        let _ = self.why.set(why);
        self.stop.cancel();
    }

    /// Waits until it is ended, or has ended by itself.
    pub async fn wait_until_ended(&self) {
        tokio::select! {
            () = self.stop.cancelled() => {}
            () = self.exited.cancelled() => {}
        }
    }

    /// Whether `client` opened it, and it has not ended.
    pub(super) fn is_open_for(&self, client: &ClientId) -> bool {
        self.client == *client && !self.stop.is_cancelled() && !self.exited.is_cancelled()
    }

    /// Its pseudo-terminal, until it is ended.
    pub(super) fn pty(&self) -> Option<Arc<Pty>> {
        self.pty.lock().clone()
    }

    /// Waits until it is ended.
    pub(super) async fn wait_until_stopped(&self) {
        self.stop.cancelled().await;
    }

    /// Waits until its shell has ended by itself.
    pub(super) async fn wait_until_exited(&self) {
        self.exited.cancelled().await;
    }

    /// How it ended, in words.
    pub(super) fn describe_end(&self) -> String {
        match (self.why.get(), self.exit_code.get()) {
            (Some(why), _) => (*why).to_owned(),
            (None, Some(code)) => format!("the shell ended with code {code}"),
            (None, None) => "the shell was killed".to_owned(),
        }
    }

    /// Notifies the programs that the terminal is gone.
    fn hang_up(&self) {
        drop(self.pty.lock().take());
    }
}

/// Waits until the shell ends or is to end, and sees to it that nothing of it is left.
async fn supervise(
    running: Arc<RunningTerminal>,
    mut child: TerminalChild,
    guarded: GuardedProcesses,
    slot: OwnedSemaphorePermit,
) {
    let exit_code = tokio::select! {
        code = child.exit_code() => code.ok(),
        () = running.stop.cancelled() => {
            running.hang_up();
            let code = timeout(HANGUP_GRACE, child.exit_code()).await;
            code.ok().and_then(io::Result::ok)
        }
    };
    if let Some(code) = exit_code {
        let _ = running.exit_code.set(code);
    }
    running.exited.cancel();
    if !child.end(STOP_TIMEOUT).await {
        tracing::warn!("the supervisor of a terminal did not end in order");
        let mark = guarded.mark.clone();
        let _ = tokio::task::spawn_blocking(move || mark.kill_all()).await;
    }
    drop(guarded);
    drop(slot);
}

impl GuardedProcesses {
    fn begin(guardian: Option<Arc<Guardian>>) -> io::Result<Self> {
        let mark = ProcessMark::new().map_err(io::Error::other)?;
        if let Some(guardian) = &guardian {
            guardian.kill_marked_at_exit(&mark);
        }
        Ok(Self { guardian, mark, pid: None })
    }

    fn add_supervisor(&mut self, pid: u32) {
        if let Some(guardian) = &self.guardian {
            guardian.kill_at_exit(pid);
        }
        self.pid = Some(pid);
    }
}

impl Drop for GuardedProcesses {
    fn drop(&mut self) {
        if let Some(guardian) = &self.guardian {
            guardian.forget_marked(&self.mark);
            if let Some(pid) = self.pid {
                guardian.forget_kill(pid);
            }
        }
    }
}

/// The error of a terminal that is not there any more.
pub(super) fn ended() -> Error {
    Error::new(Reason::TerminalEnded, "the terminal has ended")
}
