//! The tunnel that runs, or does not: one at a time.

mod state;

use std::{
    net::SocketAddr,
    sync::Arc,
    time::{Duration, SystemTime},
};

use browse_proto::Reason;
use tokio::{sync::watch, time::Instant};
use tokio_util::sync::CancellationToken;

pub use state::{Forward, Known, Running};

use self::state::State;
use super::{
    Place, Provider, Public, Trust, Wish,
    listener::Endpoint,
    ngrok::Report,
    program::Program,
    receipts::{Receipt, Receipts},
};
use crate::{
    daemon::Daemon,
    error::{Error, Result},
    policy::hex,
};

/// Time that a program has to show that it runs, where it prints no address.
const SIGN: Duration = Duration::from_millis(500);
/// Time that a stopped tunnel gets to end.
const STOP: Duration = Duration::from_secs(10);

/// Starts the tunnel that `wish` describes; `receipt` tells who wants it. When
/// `cancel` is, whatever was begun is undone.
///
/// # Errors
/// `TUNNEL_RUNS`, `TUNNEL_UNAVAILABLE`, `TUNNEL_STOPPED`; what is wrong with receipts or program.
pub async fn start(
    daemon: &Arc<Daemon>,
    wish: Wish,
    receipt: Receipt,
    deadline: Instant,
    cancel: CancellationToken,
) -> Result<Arc<Running>> {
    let forward = daemon.tunnel().forward();
    forward.begin(cancel.clone())?;
    let started = open(daemon, wish, receipt, deadline, cancel).await;
    if started.is_err() {
        forward.set(State::None);
        daemon.tunnel().rest(daemon).await;
    }
    started
}

async fn open(
    daemon: &Arc<Daemon>,
    wish: Wish,
    receipt: Receipt,
    deadline: Instant,
    cancel: CancellationToken,
) -> Result<Arc<Running>> {
    let listen = Place { listen: wish.place.listen, address: None };
    let endpoint = daemon.tunnel().open(daemon, &listen).await?;
    let listener = daemon.tunnel().bound().await.ok_or_else(|| gone("the listener is closed"))?;
    let receipt = Receipt {
        listener: listener.to_string(),
        fingerprint: hex(&endpoint.fingerprint),
        ..receipt
    };
    let receipts = daemon.tunnel().receipts().clone();
    // Before anything is forwarded.
    write(&receipts, receipt.again("start")).await?;
    let report = wish.is_own().then(Report::default);
    let heard = report.clone();
    let begun = begin(daemon, &wish, heard, (&endpoint, listener), deadline, &cancel).await;
    let (program, public) = match begun {
        Ok(begun) => begun,
        Err(error) => {
            let end = receipt.again("end").saying(error.to_string());
            note(&receipts, end).await;
            return Err(error);
        }
    };
    let receipt = Receipt { address: public.address.clone(), ..receipt };
    let last = match write(&receipts, receipt.again("open")).await {
        Ok(hash) => hash,
        Err(error) => {
            if let Some(program) = program {
                program.end().await;
            }
            return Err(error);
        }
    };
    tracing::info!(address = public.address, provider = receipt.provider, "a tunnel runs");
    let (done, seen) = watch::channel(false);
    let stop = CancellationToken::new();
    let running = Arc::new(Running {
        pid: program.as_ref().map(Program::pid),
        since: SystemTime::now(),
        receipt: last,
        stop: stop.clone(),
        done: seen,
        // Its secrets are the program's now.
        wish: Wish { environment: Default::default(), ..wish },
        public,
        listener,
        report,
    });
    daemon.tunnel().names().add(&running.public.address);
    let wanted = daemon.tunnel().forward().run(&running, &cancel);
    if !wanted {
        running.stop.cancel();
    }
    let kept = keep(Arc::downgrade(daemon), Arc::clone(&running), program, receipt, done);
    let kept = tokio::spawn(kept);
    if wanted {
        return Ok(running);
    }
    let _ = kept.await;
    Err(gone("it was stopped as it began"))
}

/// Starts the program, and waits for its address.
async fn begin(
    daemon: &Arc<Daemon>,
    wish: &Wish,
    report: Option<Report>,
    (endpoint, listener): (&Endpoint, SocketAddr),
    deadline: Instant,
    cancel: &CancellationToken,
) -> Result<(Option<Program>, Public)> {
    if wish.provider == Provider::None {
        let address = wish.place.address.clone().unwrap_or_else(|| endpoint.direct.clone());
        return Ok((None, Public { address, trust: Trust::Pin }));
    }
    let words = wish.words(listener, &endpoint.fingerprint)?;
    let (environment, guardian) = (wish.environment.clone(), daemon.guardian().cloned());
    let mut program = Program::start(&words, environment, listener, guardian, report).await?;
    let named = wish.place.address.clone();
    let address = async {
        match named {
            // It is known where the tunnel is; it need not say so.
            Some(address) => match tokio::time::timeout(SIGN, program.address()).await {
                Ok(Err(error)) => Err(error),
                _ => Ok(Public { address, trust: Trust::SessionKey }),
            },
            None => program.address().await,
        }
    };
    let found = tokio::select! {
        found = address => found,
        () = tokio::time::sleep_until(deadline) => Err(program.late()),
        () = cancel.cancelled() => Err(gone("it was stopped before it had an address")),
    };
    match found {
        Ok(public) => Ok((Some(program), public)),
        Err(error) => {
            program.end().await;
            Err(error)
        }
    }
}

/// Waits for the end of a tunnel, and writes it down.
async fn keep(
    daemon: std::sync::Weak<Daemon>,
    running: Arc<Running>,
    program: Option<Program>,
    receipt: Receipt,
    done: watch::Sender<bool>,
) {
    let died = match program {
        None => {
            running.stop.cancelled().await;
            None
        }
        Some(mut program) => {
            let died = tokio::select! {
                () = running.stop.cancelled() => None,
                why = program.ended() => Some(why),
            };
            program.end().await;
            died
        }
    };
    let Some(daemon) = daemon.upgrade() else { return };
    let tunnel = daemon.tunnel();
    let why = died.as_deref().unwrap_or("it was stopped");
    note(tunnel.receipts(), receipt.again("end").saying(why)).await;
    tunnel.names().remove(&running.public.address);
    if let Some(why) = died {
        tracing::warn!(why, "the tunnel has ended");
        daemon.tell(format!("the tunnel at `{}` has ended: {why}", running.public.address));
        tunnel.forward().set(State::Ended(why));
    } else {
        tunnel.forward().set(State::None);
    }
    tunnel.rest(&daemon).await;
    daemon.touch();
    let _ = done.send(true);
}

/// Stops the tunnel and waits for its end; whether there was one.
pub async fn stop(daemon: &Daemon) -> bool {
    match daemon.tunnel().forward().stopping() {
        State::None | State::Ended(_) => false,
        State::Starting(_) => {
            let _ = tokio::time::timeout(STOP, daemon.tunnel().forward().begun()).await;
            true
        }
        State::Running(running) => {
            running.stop.cancel();
            let mut done = running.done.clone();
            let _ = tokio::time::timeout(STOP, done.wait_for(|done| *done)).await;
            true
        }
    }
}

/// Writes a receipt beside what goes on.
async fn write(receipts: &Receipts, receipt: Receipt) -> Result<String> {
    let receipts = receipts.clone();
    let written = tokio::task::spawn_blocking(move || receipts.write(receipt)).await;
    written.map_err(|error| Error::new(Reason::Bug, format!("no receipt: {error}")))?
}

/// The same for what is over whether it is written or not.
async fn note(receipts: &Receipts, receipt: Receipt) {
    let receipts = receipts.clone();
    let _ = tokio::task::spawn_blocking(move || receipts.note(receipt)).await;
}

fn gone(why: &str) -> Error {
    Error::new(Reason::TunnelStopped, format!("the tunnel did not start: {why}"))
}
