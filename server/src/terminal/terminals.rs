//! The terminals of a daemon: which are offered, and which run.

use std::sync::Arc;

use browse_base::{Error, Result, hex, random};
use browse_policy::ClientId;
use browse_process::Guardian;
use browse_proto::Reason;
use tokio::sync::Semaphore;

use super::{
    pty::TerminalSize,
    running_terminal::{RunningTerminal, RunningTerminals, ended},
    shell::ShellPlan,
    terminal_offers::TerminalOffers,
    terminal_stream::TerminalStream,
};

/// Terminals that are open at a time.
const MAX_TERMINALS: usize = 4;

/// The terminals of a daemon.
pub struct Terminals {
    offers: TerminalOffers,
    /// By their capabilities.
    running: Arc<RunningTerminals>,
    slots: Arc<Semaphore>,
    guardian: Option<Arc<Guardian>>,
}

impl Terminals {
    /// None; `guardian` ends what is left of those to come when the daemon is killed.
    pub fn new(guardian: Option<Arc<Guardian>>) -> Self {
        Self {
            offers: TerminalOffers::default(),
            running: Arc::default(),
            slots: Arc::new(Semaphore::new(MAX_TERMINALS)),
            guardian,
        }
    }

    /// The offers that wait.
    pub fn offers(&self) -> &TerminalOffers {
        &self.offers
    }

    /// Starts a terminal for an offer of `client`. It ends when what is answered is dropped.
    ///
    /// # Errors
    /// `TERMINALS_OPEN`; `TERMINAL_ENDED`, as [`TerminalOffers::redeem`]; `TERMINAL_FAILED`.
    pub async fn start(
        &self,
        client: &ClientId,
        offer: &str,
        plan: ShellPlan,
        size: TerminalSize,
    ) -> Result<TerminalStream> {
        let slot = Arc::clone(&self.slots).try_acquire_owned().map_err(|_| {
            let message = format!("{MAX_TERMINALS} terminals are open already");
            Error::new(Reason::TerminalsOpen, message)
        })?;
        self.offers.redeem(client, offer)?;
        let capability = hex(&random::<16>()?);
        let failed = format!("the shell `{}` does not start", plan.program.display());
        let started = RunningTerminal::start(client, plan, size, self.guardian.clone(), slot).await;
        let running = started.map_err(|error| {
            Error::new(Reason::TerminalFailed, failed).append_message(&format!(": {error}"))
        })?;
        self.running.lock().insert(capability.clone(), Arc::clone(&running));
        Ok(TerminalStream::new(capability, running, Arc::clone(&self.running)))
    }

    /// The terminal with this capability, which `client` opened.
    ///
    /// # Errors
    /// `TERMINAL_ENDED`: it has ended, is of another client, or never was.
    pub fn find(&self, client: &ClientId, capability: &str) -> Result<Arc<RunningTerminal>> {
        let running = self.running.lock().get(capability).cloned();
        running.filter(|terminal| terminal.is_open_for(client)).ok_or_else(ended)
    }
}
