//! `tunnel start`, `stop` and `status`.

use std::{
    fmt::Write as _,
    sync::Arc,
    time::{Duration, SystemTime},
};

use browse_proto::{Reason, v1};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::{
    daemon::Daemon,
    dispatch::CallContext,
    tunnel::{self, ListenConfig, RunningTunnel, TunnelConfig, TunnelReceipt, TunnelStatus},
};
use browse_base::{Error, Result};

/// Time that the program of the settings gets to print an address.
const STARTUP_ADDRESS_TIMEOUT: Duration = Duration::from_secs(60);

/// Starts the tunnel, when the owner has agreed to it.
pub async fn start_tunnel(
    cx: &CallContext,
    request: v1::StartTunnelRequest,
) -> Result<v1::StartTunnelResponse> {
    // It starts any program that the caller names, outside of every sandbox.
    if !cx.is_root() {
        let message = format!("`{}` may not start a tunnel", cx.client());
        return Err(Error::new(Reason::TunnelOwnerOnly, message));
    }
    let requested =
        TunnelConfig::from_request(&request, &cx.settings().tunnel_settings(), cx.cwd())?;
    let again = requested.restart_command();
    let started = start_with_config(cx, &request, requested).await;
    started.map_err(|error| error.with_default("again", again))
}

async fn start_with_config(
    cx: &CallContext,
    request: &v1::StartTunnelRequest,
    requested: TunnelConfig,
) -> Result<v1::StartTunnelResponse> {
    let daemon = cx.daemon();
    if cx.settings().tunnel_local_only {
        let message = "the setting `tunnel_local_only` is on";
        return Err(Error::new(Reason::TunnelLocalOnly, message));
    }
    requested.check_prerequisites()?;
    daemon.tunnel().check_available(&requested.listen).await?;
    let how = match (request.yes, request.answered) {
        (true, true) => Some("root, at a terminal"),
        (true, false) => Some("root, with --yes"),
        _ => None,
    };
    let receipt = ensure_consent(daemon, &requested, how).await?;
    let cancel = CancellationToken::new();
    // Who goes away while it starts does not want it any more.
    let _gone = cancel.clone().drop_guard();
    // The other half is for what has to be undone, so that the caller hears why.
    let deadline = Instant::now() + cx.deadline().duration_since(Instant::now()) / 2;
    let daemon = Arc::clone(daemon);
    let started = tokio::spawn(async move {
        let services = daemon.tunnel_services();
        tunnel::start(daemon.tunnel(), services, requested, receipt, deadline, cancel).await
    });
    let running = started.await.map_err(|error| Error::new(Reason::Bug, error.to_string()))??;
    Ok(v1::StartTunnelResponse {
        provider: running.config.provider.name().to_owned(),
        address: running.public.address.clone(),
        trust: running.public.peer_authentication.name().to_owned(),
        listener: running.listener.to_string(),
        pid: running.pid,
        receipt: running.receipt.clone(),
    })
}

/// Starts what the settings want, when the owner has agreed to it before.
pub async fn start_with_daemon(daemon: &Arc<Daemon>) -> Result<Option<Arc<RunningTunnel>>> {
    if daemon.settings().tunnel_local_only {
        let place = ListenConfig { listen: None, address: None };
        daemon.tunnel().open(daemon.tunnel_services(), &place).await?;
        return Ok(None);
    }
    let settings = daemon.settings().tunnel_settings();
    let Some(requested) = TunnelConfig::from_settings(&settings)? else { return Ok(None) };
    let receipt = ensure_consent(daemon, &requested, None).await?;
    requested.check_prerequisites()?;
    let deadline = Instant::now() + STARTUP_ADDRESS_TIMEOUT;
    let (services, cancel) = (daemon.tunnel_services(), CancellationToken::new());
    let started =
        tunnel::start(daemon.tunnel(), services, requested, receipt, deadline, cancel).await;
    started.map(Some)
}

/// Makes sure that the owner has agreed, and answers the beginning of each
/// receipt. `how` tells that it does so now.
async fn ensure_consent(
    daemon: &Arc<Daemon>,
    requested: &TunnelConfig,
    how: Option<&str>,
) -> Result<TunnelReceipt> {
    let (receipts, project) = (daemon.tunnel().receipts().clone(), &daemon.settings().project);
    let statement = requested.consent_statement(project);
    let by = how.unwrap_or("root");
    let asked = TunnelReceipt::new("consent", by, project, requested).with_text(statement.clone());
    let like = asked.clone();
    let agreed = how.is_some();
    let found = tokio::task::spawn_blocking(move || {
        let known = receipts.has_consent(&like)?;
        if !known && agreed {
            receipts.write(like)?;
        }
        Ok::<_, Error>(known || agreed)
    });
    let found = found.await.map_err(|error| Error::new(Reason::Bug, error.to_string()))??;
    if !found {
        return Err(Error::new(Reason::TunnelConsentMissing, statement));
    }
    Ok(asked)
}

/// Stops the tunnel.
pub async fn stop_tunnel(
    cx: &CallContext,
    _: v1::StopTunnelRequest,
) -> Result<v1::StopTunnelResponse> {
    let outcome = if tunnel::stop(cx.daemon().tunnel()).await { "stopped" } else { "none ran" };
    Ok(v1::StopTunnelResponse { outcome: outcome.to_owned() })
}

/// Says where agents reach this browser, and whether the receipts hold.
pub async fn get_tunnel(
    cx: &CallContext,
    _: v1::GetTunnelRequest,
) -> Result<v1::GetTunnelResponse> {
    let tunnel = cx.daemon().tunnel();
    let mut answer = v1::GetTunnelResponse {
        receipts_file: tunnel.receipts().file(),
        pairings: u32::try_from(cx.daemon().pairings().count()).unwrap_or(u32::MAX),
        ..Default::default()
    };
    if let Some(listener) = tunnel.local_address().await {
        answer.listener = listener.to_string();
    }
    if let Some(endpoint) = tunnel.endpoint().await {
        answer.address = endpoint.address;
        answer.trust = endpoint.peer_authentication.name().to_owned();
    }
    answer.state = match tunnel.lifecycle().status() {
        TunnelStatus::None => "none",
        TunnelStatus::Starting => "starting",
        TunnelStatus::Ended(why) => {
            answer.ended = Some(why);
            "ended"
        }
        TunnelStatus::Running(running) => {
            answer.provider = running.config.provider.name().to_owned();
            answer.pid = running.pid;
            answer.since = Some(time(running.started_at));
            answer.away = running.unreachable_reason();
            "running"
        }
    }
    .to_owned();
    let receipts = tunnel.receipts().clone();
    let read =
        tokio::task::spawn_blocking(move || (receipts.pending_notice(), receipts.read())).await;
    let (owed, read) = read.map_err(|error| Error::new(Reason::Bug, error.to_string()))?;
    answer.unwritten = owed;
    match read {
        Ok(whole) => {
            answer.receipts = whole.records.len() as u64;
            answer.receipt = whole.last_hash;
        }
        Err(fault) => answer.broken = Some(fault.to_string()),
    }
    answer.summary = summary(&answer);
    Ok(answer)
}

fn summary(answer: &v1::GetTunnelResponse) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: &str| {
        let _ = writeln!(text, "{name}: {value}");
    };
    match (answer.state.as_str(), &answer.since, &answer.ended) {
        ("running", Some(since), _) => {
            let pid = answer.pid.map(|pid| format!(", pid {pid}")).unwrap_or_default();
            let what = match answer.provider.as_str() {
                "none" => "the listener alone,",
                provider => provider,
            };
            line("tunnel", &format!("{what} since {since}{pid}"));
            if let Some(why) = &answer.away {
                line("away", &format!("{why}; it connects again"));
            }
        }
        (_, _, Some(why)) => line("tunnel", &format!("none; the last one {why}")),
        (state, ..) => line("tunnel", state),
    }
    match answer.listener.as_str() {
        "" => line("listener", "closed: it opens with the first pairing or tunnel"),
        listener => {
            line("listener", listener);
            let trust = match answer.trust.as_str() {
                "pin" => "pin: TLS ends at the daemon",
                _ => "session key: TLS may end at the tunnel, which then reads all",
            };
            line("address", &format!("{} ({trust})", answer.address));
        }
    }
    line("pairings", &answer.pairings.to_string());
    let file = &answer.receipts_file;
    match &answer.broken {
        Some(place) => line("receipts", &format!("BROKEN at {place} (in {file})")),
        None => line("receipts", &format!("{}, the chain holds ({file})", answer.receipts)),
    }
    if let Some(owed) = &answer.unwritten {
        line("receipt NOT WRITTEN", owed);
    }
    text.trim_end().to_owned()
}

fn time(time: SystemTime) -> String {
    humantime::format_rfc3339_seconds(time).to_string()
}
