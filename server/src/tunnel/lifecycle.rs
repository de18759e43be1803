//! The tunnel that runs, or does not: one at a time.

use std::{
    net::SocketAddr,
    sync::{Arc, Weak},
    time::{Duration, SystemTime},
};

use browse_proto::Reason;
use tokio::{sync::watch, time::Instant};
use tokio_util::sync::CancellationToken;

use super::{
    ListenConfig, PeerAuthentication, Provider, TunnelAddress, TunnelConfig,
    listener::{ListenerAddress, TunnelListener, TunnelServices},
    ngrok::NgrokStatus,
    process::TunnelProcess,
    receipts::{Receipts, TunnelReceipt},
    tunnel_state::{RunningTunnel, TunnelState},
};
use browse_base::{Error, Result, hex};

/// Time that a program has to show that it runs, where it prints no address.
const STARTUP_TIMEOUT: Duration = Duration::from_millis(500);
/// Time that a stopped tunnel gets to end.
const STOP_TIMEOUT: Duration = Duration::from_secs(10);

/// Starts the tunnel that `requested` describes, to a listener with these services;
/// `receipt` tells who wants it. When `cancel` is, whatever was begun is undone.
///
/// # Errors
/// `TUNNEL_RUNS`, `TUNNEL_UNAVAILABLE`, `TUNNEL_STOPPED`; what is wrong with receipts or program.
pub async fn start(
    tunnel: &Arc<TunnelListener>,
    services: TunnelServices,
    requested: TunnelConfig,
    receipt: TunnelReceipt,
    deadline: Instant,
    cancel: CancellationToken,
) -> Result<Arc<RunningTunnel>> {
    let forward = tunnel.lifecycle();
    forward.set_starting(cancel.clone())?;
    let started = open_tunnel(tunnel, services, requested, receipt, deadline, cancel).await;
    if started.is_err() {
        forward.set_state(TunnelState::None);
        tunnel.close_if_unused().await;
    }
    started
}

async fn open_tunnel(
    tunnel: &Arc<TunnelListener>,
    services: TunnelServices,
    requested: TunnelConfig,
    receipt: TunnelReceipt,
    deadline: Instant,
    cancel: CancellationToken,
) -> Result<Arc<RunningTunnel>> {
    let listen = ListenConfig { listen: requested.listen.listen, address: None };
    let endpoint = tunnel.open(services, &listen).await?;
    let listener =
        tunnel.local_address().await.ok_or_else(|| start_failed("the listener is closed"))?;
    let receipt = TunnelReceipt {
        listener: listener.to_string(),
        fingerprint: hex(&endpoint.fingerprint),
        ..receipt
    };
    let receipts = tunnel.receipts().clone();
    // Before anything is forwarded.
    write_receipt(&receipts, receipt.with_event("start")).await?;
    let report = requested.is_bundled().then(NgrokStatus::default);
    let heard = report.clone();
    let begun =
        start_program(tunnel, &requested, heard, (&endpoint, listener), deadline, &cancel).await;
    let (program, public) = match begun {
        Ok(begun) => begun,
        Err(error) => {
            let end = receipt.with_event("end").with_text(error.to_string());
            try_write_receipt(&receipts, end).await;
            return Err(error);
        }
    };
    let receipt = TunnelReceipt { address: public.address.clone(), ..receipt };
    let last = match write_receipt(&receipts, receipt.with_event("open")).await {
        Ok(hash) => hash,
        Err(error) => {
            if let Some(program) = program {
                program.stop().await;
            }
            return Err(error);
        }
    };
    tracing::info!(address = public.address, provider = receipt.provider, "a tunnel runs");
    let (done, seen) = watch::channel(false);
    let stop = CancellationToken::new();
    let running = Arc::new(RunningTunnel {
        pid: program.as_ref().map(TunnelProcess::pid),
        started_at: SystemTime::now(),
        receipt: last,
        cancel: stop.clone(),
        has_ended: seen,
        // Its secrets are the program's now.
        config: TunnelConfig { environment: Default::default(), ..requested },
        public,
        listener,
        ngrok_status: report,
    });
    tunnel.allowed_hosts().add(&running.public.address);
    let wanted = tunnel.lifecycle().set_running(&running, &cancel);
    if !wanted {
        running.cancel.cancel();
    }
    let kept = supervise(Arc::downgrade(tunnel), Arc::clone(&running), program, receipt, done);
    let kept = tokio::spawn(kept);
    if wanted {
        return Ok(running);
    }
    let _ = kept.await;
    Err(start_failed("it was stopped as it began"))
}

/// Starts the program, and waits for its address.
async fn start_program(
    tunnel: &TunnelListener,
    requested: &TunnelConfig,
    report: Option<NgrokStatus>,
    (endpoint, listener): (&ListenerAddress, SocketAddr),
    deadline: Instant,
    cancel: &CancellationToken,
) -> Result<(Option<TunnelProcess>, TunnelAddress)> {
    if requested.provider == Provider::None {
        let address =
            requested.listen.address.clone().unwrap_or_else(|| endpoint.direct_address.clone());
        return Ok((None, TunnelAddress { address, peer_authentication: PeerAuthentication::Pin }));
    }
    let words = requested.argv(listener, &endpoint.fingerprint)?;
    let (environment, guardian) = (requested.environment.clone(), tunnel.parts().guardian.clone());
    let mut program = TunnelProcess::start(&words, environment, listener, guardian, report).await?;
    let named = requested.listen.address.clone();
    let address = async {
        match named {
            // It is known where the tunnel is; it need not say so.
            Some(address) => {
                match tokio::time::timeout(STARTUP_TIMEOUT, program.public_address()).await {
                    Ok(Err(error)) => Err(error),
                    _ => Ok(TunnelAddress {
                        address,
                        peer_authentication: PeerAuthentication::SessionKey,
                    }),
                }
            }
            None => program.public_address().await,
        }
    };
    let found = tokio::select! {
        found = address => found,
        () = tokio::time::sleep_until(deadline) => Err(program.no_address_error()),
        () = cancel.cancelled() => Err(start_failed("it was stopped before it had an address")),
    };
    match found {
        Ok(public) => Ok((Some(program), public)),
        Err(error) => {
            program.stop().await;
            Err(error)
        }
    }
}

/// Waits for the end of a tunnel, and writes it down.
async fn supervise(
    tunnel: Weak<TunnelListener>,
    running: Arc<RunningTunnel>,
    program: Option<TunnelProcess>,
    receipt: TunnelReceipt,
    done: watch::Sender<bool>,
) {
    let died = match program {
        None => {
            running.cancel.cancelled().await;
            None
        }
        Some(mut program) => {
            let died = tokio::select! {
                () = running.cancel.cancelled() => None,
                why = program.wait() => Some(why),
            };
            program.stop().await;
            died
        }
    };
    let Some(tunnel) = tunnel.upgrade() else { return };
    let why = died.as_deref().unwrap_or("it was stopped");
    try_write_receipt(tunnel.receipts(), receipt.with_event("end").with_text(why)).await;
    tunnel.allowed_hosts().remove(&running.public.address);
    if let Some(why) = died {
        tracing::warn!(why, "the tunnel has ended");
        let address = &running.public.address;
        tunnel.parts().notices.add(format!("the tunnel at `{address}` has ended: {why}"));
        tunnel.lifecycle().set_state(TunnelState::Ended(why));
    } else {
        tunnel.lifecycle().set_state(TunnelState::None);
    }
    tunnel.close_if_unused().await;
    tunnel.parts().idle_timer.reset();
    let _ = done.send(true);
}

/// Stops the tunnel and waits for its end; whether there was one.
pub async fn stop(tunnel: &TunnelListener) -> bool {
    match tunnel.lifecycle().begin_stop() {
        TunnelState::None | TunnelState::Ended(_) => false,
        TunnelState::Starting(_) => {
            let _ =
                tokio::time::timeout(STOP_TIMEOUT, tunnel.lifecycle().wait_until_started()).await;
            true
        }
        TunnelState::Running(running) => {
            running.cancel.cancel();
            let mut done = running.has_ended.clone();
            let _ = tokio::time::timeout(STOP_TIMEOUT, done.wait_for(|done| *done)).await;
            true
        }
    }
}

/// Writes a receipt beside what goes on.
async fn write_receipt(receipts: &Receipts, receipt: TunnelReceipt) -> Result<String> {
    let receipts = receipts.clone();
    let written = tokio::task::spawn_blocking(move || receipts.write(receipt)).await;
    written.map_err(|error| Error::new(Reason::Bug, format!("no receipt: {error}")))?
}

/// The same for what is over whether it is written or not.
async fn try_write_receipt(receipts: &Receipts, receipt: TunnelReceipt) {
    let receipts = receipts.clone();
    let _ = tokio::task::spawn_blocking(move || receipts.write_or_queue(receipt)).await;
}

fn start_failed(why: &str) -> Error {
    Error::new(Reason::TunnelStopped, format!("the tunnel did not start: {why}"))
}
