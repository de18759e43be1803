//! What is known of the one tunnel.

use std::{net::SocketAddr, sync::Arc, time::SystemTime};

use browse_proto::Reason;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::{TunnelAddress, TunnelConfig, ngrok::NgrokStatus};
use browse_base::{Error, Result};

/// The tunnel of a daemon. Who waits for what becomes of it is woken.
#[derive(Debug, Default)]
pub struct TunnelLifecycle(watch::Sender<TunnelState>);

#[derive(Clone, Debug, Default)]
pub(super) enum TunnelState {
    #[default]
    None,
    Starting(CancellationToken),
    Running(Arc<RunningTunnel>),
    Ended(String),
}

/// A tunnel that runs.
#[derive(Debug)]
pub struct RunningTunnel {
    /// What was wanted.
    pub config: TunnelConfig,
    /// Where agents reach it.
    pub public: TunnelAddress,
    /// Where the listener is.
    pub listener: SocketAddr,
    /// Process id of what forwards.
    pub pid: Option<u32>,
    /// Since when.
    pub started_at: SystemTime,
    /// Hash of its receipt.
    pub receipt: String,
    /// What the program says of itself, where it is ours.
    pub(super) ngrok_status: Option<NgrokStatus>,
    /// Ends it.
    pub(super) cancel: CancellationToken,
    /// Whether it has ended.
    pub(super) has_ended: watch::Receiver<bool>,
}

impl RunningTunnel {
    /// Why nobody can come through just now, where that is known.
    pub fn unreachable_reason(&self) -> Option<String> {
        self.ngrok_status.as_ref().and_then(NgrokStatus::unreachable_reason)
    }
}

/// What is known of the tunnel.
#[derive(Clone, Debug)]
pub enum TunnelStatus {
    /// There is none.
    None,
    /// It has no address yet.
    Starting,
    /// It runs.
    Running(Arc<RunningTunnel>),
    /// It ended by itself.
    Ended(String),
}

impl TunnelLifecycle {
    /// What is known of it.
    pub fn status(&self) -> TunnelStatus {
        match self.0.borrow().clone() {
            TunnelState::None => TunnelStatus::None,
            TunnelState::Starting(_) => TunnelStatus::Starting,
            TunnelState::Running(running) => TunnelStatus::Running(running),
            TunnelState::Ended(why) => TunnelStatus::Ended(why),
        }
    }

    /// Whether the listener has to stay for it.
    pub fn is_active(&self) -> bool {
        matches!(*self.0.borrow(), TunnelState::Starting(_) | TunnelState::Running(_))
    }

    /// Waits while one is starting.
    pub(super) async fn wait_until_started(&self) {
        let mut state = self.0.subscribe();
        let _ = state.wait_for(|state| !matches!(state, TunnelState::Starting(_))).await;
    }

    /// Remembers why one that nobody waits for did not start.
    pub fn set_start_failure(&self, why: String) {
        self.0.send_if_modified(|state| {
            let free = matches!(state, TunnelState::None | TunnelState::Ended(_));
            if free {
                *state = TunnelState::Ended(why);
            }
            free
        });
    }

    /// Takes note that it runs, unless it was stopped before.
    pub(super) fn set_running(
        &self,
        running: &Arc<RunningTunnel>,
        cancel: &CancellationToken,
    ) -> bool {
        self.0.send_if_modified(|state| {
            let wanted = !cancel.is_cancelled();
            if wanted {
                *state = TunnelState::Running(Arc::clone(running));
            }
            wanted
        })
    }

    /// What is to be stopped; what is starting is stopped here.
    pub(super) fn begin_stop(&self) -> TunnelState {
        let mut before = TunnelState::None;
        self.0.send_if_modified(|state| {
            before = state.clone();
            match state {
                TunnelState::Starting(cancel) => cancel.cancel(),
                TunnelState::Ended(_) => *state = TunnelState::None,
                TunnelState::None | TunnelState::Running(_) => {}
            }
            matches!(before, TunnelState::Ended(_))
        });
        before
    }

    /// Takes the place of the one tunnel.
    ///
    /// # Errors
    /// `TUNNEL_RUNS`.
    pub(super) fn set_starting(&self, cancel: CancellationToken) -> Result<()> {
        let mut taken = None;
        self.0.send_if_modified(|state| {
            match state {
                TunnelState::None | TunnelState::Ended(_) => *state = TunnelState::Starting(cancel),
                TunnelState::Starting(_) => taken = Some("a tunnel is starting".to_owned()),
                TunnelState::Running(running) => {
                    let address = &running.public.address;
                    taken = Some(format!("a tunnel runs at `{address}` already"));
                }
            }
            taken.is_none()
        });
        taken.map_or(Ok(()), |message| Err(Error::new(Reason::TunnelRuns, message)))
    }

    pub(super) fn set_state(&self, state: TunnelState) {
        self.0.send_replace(state);
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::*;

    #[tokio::test]
    async fn who_stops_what_starts_is_woken_when_it_is_gone() {
        let forward = TunnelLifecycle::default();
        let cancel = CancellationToken::new();
        forward.set_starting(cancel.clone()).expect("there is none");
        let refused = forward.set_starting(CancellationToken::new()).expect_err("one is starting");
        assert_eq!(refused.reason(), Reason::TunnelRuns);
        let mut begun = Box::pin(forward.wait_until_started());
        assert!(begun.as_mut().now_or_never().is_none(), "it is starting still");
        assert!(matches!(forward.begin_stop(), TunnelState::Starting(_)) && cancel.is_cancelled());
        forward.set_start_failure("nobody asked".to_owned());
        assert!(forward.is_active(), "what starts has its place");
        forward.set_state(TunnelState::None);
        begun.await;
        forward.wait_until_started().await;
        assert!(!forward.is_active());
        forward.set_start_failure("it broke".to_owned());
        assert!(matches!(forward.status(), TunnelStatus::Ended(why) if why == "it broke"));
        assert!(matches!(forward.begin_stop(), TunnelState::Ended(_)));
        assert!(matches!(forward.status(), TunnelStatus::None), "it is reported once");
    }
}
