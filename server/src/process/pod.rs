//! `browsed --pod`: the daemon of one tenant in a fleet. The gateway alone reaches it, by mutual
//! TLS, and says in each call which tenant and which pod it means.
//!
//! A pod is warm until it is assigned: its browser runs, and it belongs to nobody. It is assigned
//! once, and deleted when its tenant leaves; so nothing of one tenant is left for the next.

mod control;
mod devtools;
mod health;
mod listener;
mod metrics;
mod settings;
mod state;
mod tokens;

use std::{sync::Arc, time::Duration};

use browse_base::{Error, Result};
use browse_policy::{Listener, layer::OriginCheck};
use browse_proto::Reason;
use tokio::{net::TcpListener, time::Instant};
use tokio_util::sync::CancellationToken;

pub use settings::PodSettings;

use super::serve;
use crate::daemon::Daemon;
use state::PodState;
use tokens::CallerTokens;

/// How often a pod that drains looks whether calls are in flight.
const DRAIN_INTERVAL: Duration = Duration::from_millis(50);

/// Time that the sessions get to be saved when the pod ends.
const SAVE_TIMEOUT: Duration = Duration::from_secs(10);

/// Time in which calls end that are cut.
const CUT_TIME: Duration = Duration::from_secs(1);

/// File that marks a pod that was given to a tenant, beside the state of the daemon.
const MARKER: &str = "pod-was-given";

/// A daemon as a pod.
pub struct Pod {
    daemon: Arc<Daemon>,
    state: PodState,
    tokens: CallerTokens,
    drain_time: Duration,
    /// Cancelled when calls have had their time to end.
    calls_end: CancellationToken,
}

impl Pod {
    /// Opens the listeners of a pod, which serve until `done`.
    ///
    /// # Errors
    /// `CERTIFICATE_UNUSABLE`, `PORT_TAKEN`.
    pub async fn start(
        daemon: &Arc<Daemon>,
        settings: PodSettings,
        done: &CancellationToken,
    ) -> Result<Arc<Self>> {
        let tls = settings.identity()?.server_config(browse_fleet::GATE_NAME)?;
        let marker = daemon.settings().state_folder().join(MARKER);
        let state = PodState::new(settings.uid, settings.capacity, marker);
        let pod = Arc::new(Self {
            daemon: Arc::clone(daemon),
            state,
            tokens: CallerTokens::new(settings.hosts),
            drain_time: settings.drain_time,
            calls_end: CancellationToken::new(),
        });
        let services =
            serve::services(Arc::clone(daemon), Listener::Gateway, OriginCheck::Any).await?;
        let health = bind(settings.health).await?;
        let calls = bind(settings.listen).await?;
        tracing::info!(listen = %settings.listen, pod = %pod.state.uid(), "the pod serves");
        if let Some(fleet) = daemon.fleet_sessions() {
            tokio::spawn(Arc::clone(fleet).run(done.clone()));
        }
        tokio::spawn(health::serve(health, Arc::clone(&pod), done.clone()));
        tokio::spawn(listener::serve(calls, tls, Arc::clone(&pod), services, done.clone()));
        Ok(pod)
    }

    /// Takes no new sessions, and waits until no caller waits for an answer; calls that are in flight
    /// when the time for that is over are cut. Then it saves its sessions, which other pods restore.
    pub async fn drain(&self) {
        self.state.start_draining();
        if let Some(fleet) = self.daemon.fleet_sessions() {
            fleet.start_draining();
        }
        self.wait_for_calls(self.drain_time).await;
        self.calls_end.cancel();
        self.daemon.devtools().end_all();
        self.wait_for_calls(CUT_TIME).await;
        if let Some(fleet) = self.daemon.fleet_sessions() {
            fleet.finish(SAVE_TIMEOUT).await;
        }
        tracing::info!(calls = self.daemon.awaited_calls(), "the pod is drained");
    }

    /// Waits until no caller waits for an answer, at most for `max_wait`.
    async fn wait_for_calls(&self, max_wait: Duration) {
        let until = Instant::now() + max_wait;
        while self.daemon.awaited_calls() > 0 && Instant::now() < until {
            tokio::time::sleep(DRAIN_INTERVAL).await;
        }
    }
}

async fn bind(address: std::net::SocketAddr) -> Result<TcpListener> {
    TcpListener::bind(address).await.map_err(|error| {
        let message = format!("`{address}` cannot be listened on: {error}");
        Error::new(Reason::PortTaken, message).with("port", address.port())
    })
}
