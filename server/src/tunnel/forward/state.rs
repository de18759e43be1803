//! What is known of the one tunnel.

use std::{net::SocketAddr, sync::Arc, time::SystemTime};

use browse_proto::Reason;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::{
    error::{Error, Result},
    tunnel::{Public, Wish, ngrok::Report},
};

/// The tunnel of a daemon. Who waits for what becomes of it is woken.
#[derive(Debug, Default)]
pub struct Forward(watch::Sender<State>);

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
        match self.0.borrow().clone() {
            State::None => Known::None,
            State::Starting(_) => Known::Starting,
            State::Running(running) => Known::Running(running),
            State::Ended(why) => Known::Ended(why),
        }
    }

    /// Whether the listener has to stay for it.
    pub fn holds(&self) -> bool {
        matches!(*self.0.borrow(), State::Starting(_) | State::Running(_))
    }

    /// Waits while one is starting.
    pub(super) async fn begun(&self) {
        let mut state = self.0.subscribe();
        let _ = state.wait_for(|state| !matches!(state, State::Starting(_))).await;
    }

    /// Remembers why one that nobody waits for did not start.
    pub fn not_started(&self, why: String) {
        self.0.send_if_modified(|state| {
            let free = matches!(state, State::None | State::Ended(_));
            if free {
                *state = State::Ended(why);
            }
            free
        });
    }

    /// Takes note that it runs, unless it was stopped before.
    pub(super) fn run(&self, running: &Arc<Running>, cancel: &CancellationToken) -> bool {
        self.0.send_if_modified(|state| {
            let wanted = !cancel.is_cancelled();
            if wanted {
                *state = State::Running(Arc::clone(running));
            }
            wanted
        })
    }

    /// What is to be stopped; what is starting is stopped here.
    pub(super) fn stopping(&self) -> State {
        let mut before = State::None;
        self.0.send_if_modified(|state| {
            before = state.clone();
            match state {
                State::Starting(cancel) => cancel.cancel(),
                State::Ended(_) => *state = State::None,
                State::None | State::Running(_) => {}
            }
            matches!(before, State::Ended(_))
        });
        before
    }

    /// Takes the place of the one tunnel.
    ///
    /// # Errors
    /// `TUNNEL_RUNS`.
    pub(super) fn begin(&self, cancel: CancellationToken) -> Result<()> {
        let mut taken = None;
        self.0.send_if_modified(|state| {
            match state {
                State::None | State::Ended(_) => *state = State::Starting(cancel),
                State::Starting(_) => taken = Some("a tunnel is starting".to_owned()),
                State::Running(running) => {
                    let address = &running.public.address;
                    taken = Some(format!("a tunnel runs at `{address}` already"));
                }
            }
            taken.is_none()
        });
        taken.map_or(Ok(()), |message| Err(Error::new(Reason::TunnelRuns, message)))
    }

    pub(super) fn set(&self, state: State) {
        self.0.send_replace(state);
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::*;

    #[tokio::test]
    async fn who_stops_what_starts_is_woken_when_it_is_gone() {
        let forward = Forward::default();
        let cancel = CancellationToken::new();
        forward.begin(cancel.clone()).expect("there is none");
        let refused = forward.begin(CancellationToken::new()).expect_err("one is starting");
        assert_eq!(refused.reason(), Reason::TunnelRuns);
        let mut begun = Box::pin(forward.begun());
        assert!(begun.as_mut().now_or_never().is_none(), "it is starting still");
        assert!(matches!(forward.stopping(), State::Starting(_)) && cancel.is_cancelled());
        forward.not_started("nobody asked".to_owned());
        assert!(forward.holds(), "what starts has its place");
        forward.set(State::None);
        begun.await;
        forward.begun().await;
        assert!(!forward.holds());
        forward.not_started("it broke".to_owned());
        assert!(matches!(forward.known(), Known::Ended(why) if why == "it broke"));
        assert!(matches!(forward.stopping(), State::Ended(_)));
        assert!(matches!(forward.known(), Known::None), "it is told once");
    }
}
