//! What is known of the one tunnel.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::SystemTime,
};

use browse_proto::Reason;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::{
    error::{Error, Result},
    tunnel::{Public, Wish, ngrok::Report},
};

/// The tunnel of a daemon.
#[derive(Debug, Default)]
pub struct Forward(Mutex<State>);

#[derive(Clone, Debug, Default)]
pub(super) enum State {
    #[default]
    None,
    Starting(CancellationToken),
    Running(Arc<Running>),
    Ended(String),
}

/// A tunnel that runs.
#[derive(Debug)]
pub struct Running {
    /// What was wanted.
    pub wish: Wish,
    /// Where agents reach it.
    pub public: Public,
    /// Where the listener is.
    pub listener: SocketAddr,
    /// Process id of what forwards.
    pub pid: Option<u32>,
    /// Since when.
    pub since: SystemTime,
    /// Hash of its receipt.
    pub receipt: String,
    /// What the program says of itself, where it is ours.
    pub(super) report: Option<Report>,
    /// Ends it.
    pub(super) stop: CancellationToken,
    /// Whether it has ended.
    pub(super) done: watch::Receiver<bool>,
}

impl Running {
    /// Why nobody can come through just now, where that is known.
    pub fn away(&self) -> Option<String> {
        self.report.as_ref().and_then(Report::away)
    }
}

/// What is known of the tunnel.
#[derive(Clone, Debug)]
pub enum Known {
    /// There is none.
    None,
    /// It has no address yet.
    Starting,
    /// It runs.
    Running(Arc<Running>),
    /// It ended by itself.
    Ended(String),
}

impl Forward {
    /// What is known of it.
    pub fn known(&self) -> Known {
        match self.state().clone() {
            State::None => Known::None,
            State::Starting(_) => Known::Starting,
            State::Running(running) => Known::Running(running),
            State::Ended(why) => Known::Ended(why),
        }
    }

    /// Whether the listener has to stay for it.
    pub fn holds(&self) -> bool {
        matches!(*self.state(), State::Starting(_) | State::Running(_))
    }

    /// Remembers why one that nobody waits for did not start.
    pub fn not_started(&self, why: String) {
        let mut state = self.state();
        if matches!(*state, State::None | State::Ended(_)) {
            *state = State::Ended(why);
        }
    }

    /// Takes note that it runs, unless it was stopped before.
    pub(super) fn run(&self, running: &Arc<Running>, cancel: &CancellationToken) -> bool {
        let mut state = self.state();
        let wanted = !cancel.is_cancelled();
        if wanted {
            *state = State::Running(Arc::clone(running));
        }
        wanted
    }

    /// What is to be stopped; what is starting is stopped here.
    pub(super) fn stopping(&self) -> State {
        let mut state = self.state();
        match &*state {
            State::Starting(cancel) => cancel.cancel(),
            State::Ended(_) => *state = State::None,
            State::None | State::Running(_) => {}
        }
        state.clone()
    }

    /// Takes the place of the one tunnel.
    ///
    /// # Errors
    /// `TUNNEL_RUNS`.
    pub(super) fn begin(&self, cancel: CancellationToken) -> Result<()> {
        let mut state = self.state();
        let message = match &*state {
            State::None | State::Ended(_) => {
                *state = State::Starting(cancel);
                return Ok(());
            }
            State::Starting(_) => "a tunnel is starting".to_owned(),
            State::Running(running) => {
                format!("a tunnel runs at `{}` already", running.public.address)
            }
        };
        Err(Error::new(Reason::TunnelRuns, message))
    }

    pub(super) fn set(&self, state: State) {
        *self.state() = state;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
