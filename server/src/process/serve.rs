//! The local listener: our services, health and reflection, behind the gate.

use std::{
    env, fs, io, os::unix::fs::PermissionsExt as _, path::PathBuf, sync::Arc, time::Duration,
};

use futures::future::{BoxFuture, FutureExt as _};
use tokio::net::{TcpListener, UnixListener};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{connection, reflection, skill_relay::SkillRelay};
use crate::{daemon::Daemon, dispatch, handlers, skills::SkillSocket};
use browse_base::Result;
use browse_policy::{
    Listener,
    layer::{GatedService, LayerConfig, OriginCheck, with_gate},
};

/// Time that a listener rests when it cannot accept.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(50);

/// Connections of confined skills at a time; one needs one or two.
const MAX_SKILL_CONNECTIONS: usize = 128;

/// Longest folder of temporary files in which a socket has a name.
const MAX_TEMP_DIR_BYTES: usize = 80;

/// Everything that `daemon` serves at `listener`, behind its gate.
///
/// # Errors
/// The descriptor cannot be read.
pub fn services(
    daemon: Arc<Daemon>,
    listener: Listener,
    origin: OriginCheck,
) -> BoxFuture<'static, Result<GatedService>> {
    gated_services(daemon, listener, origin).boxed()
}

async fn gated_services(
    daemon: Arc<Daemon>,
    listener: Listener,
    origin: OriginCheck,
) -> Result<GatedService> {
    let heard = Arc::clone(&daemon);
    let gate = LayerConfig {
        listener,
        authority: Arc::clone(daemon.authority()),
        origin,
        refusals: Arc::new(move |refusal| {
            heard.activity().record_refused(refusal);
            if listener == Listener::Tunnel {
                let client = refusal.client.as_ref();
                dispatch::denial_audit::record_refused_at_gate(
                    &heard,
                    refusal.reason,
                    client,
                    refusal.peer,
                );
            }
        }),
    };
    let mut routes = handlers::routes(Arc::clone(&daemon));
    if listener == Listener::Local {
        let (health, health_service) = tonic_health::server::health_reporter();
        // The empty name stands for the daemon as a whole.
        health.set_service_status("", tonic_health::ServingStatus::Serving).await;
        routes = routes
            .add_service(health_service)
            .add_service(reflection::v1())
            .add_service(reflection::v1alpha());
    }
    Ok(with_gate(gate, SkillRelay::new(daemon, routes.prepare())))
}

/// Binds the socket that confined skills reach, in a private folder of its own.
///
/// # Errors
/// The folder of temporary files cannot be written.
pub fn bind_skill_socket() -> io::Result<(UnixListener, SkillSocket)> {
    let private = fs::Permissions::from_mode(0o700);
    let mut folder = tempfile::Builder::new();
    let folder = folder.prefix("browse-").permissions(private).tempdir_in(short_temp_dir())?;
    let socket = folder.path().join("skills.sock");
    let listener = UnixListener::bind(&socket)?;
    fs::set_permissions(&socket, fs::Permissions::from_mode(0o600))?;
    Ok((listener, SkillSocket::new(folder, socket)))
}

/// The folder of temporary files, unless its name leaves no room for a socket's.
fn short_temp_dir() -> PathBuf {
    let usual = env::temp_dir();
    if usual.as_os_str().len() < MAX_TEMP_DIR_BYTES { usual } else { PathBuf::from("/tmp") }
}

/// Serves `services` to confined skills until `done`.
pub async fn serve_skill_socket(
    listener: UnixListener,
    services: GatedService,
    done: CancellationToken,
) {
    let connections = TaskTracker::new();
    while let Some(accepted) = done.run_until_cancelled(listener.accept()).await {
        match accepted {
            // A skill must not use up the descriptors of the daemon.
            Ok(_) if connections.len() >= MAX_SKILL_CONNECTIONS => {}
            Ok((stream, _)) => {
                let (services, done) = (services.clone(), done.clone());
                connections.spawn(connection::serve(stream, services, None, done));
            }
            Err(error) => {
                tracing::warn!(%error, "a connection of a skill was not accepted");
                tokio::time::sleep(ACCEPT_RETRY_DELAY).await;
            }
        }
    }
    drop(listener);
    connections.close();
    connections.wait().await;
}

/// Serves `services` on `listener` until `done`, and then for as long as
/// connections have answers to send.
pub async fn serve(listener: TcpListener, services: GatedService, done: CancellationToken) {
    let connections = TaskTracker::new();
    while let Some(accepted) = done.run_until_cancelled(listener.accept()).await {
        match accepted {
            Ok((stream, peer)) => {
                // Small answers must not wait for more to send.
                let _ = stream.set_nodelay(true);
                let (services, done) = (services.clone(), done.clone());
                connections.spawn(connection::serve(stream, services, Some(peer.ip()), done));
            }
            Err(error) => {
                // Out of file descriptors, most likely: let some go.
                tracing::warn!(%error, "a connection was not accepted");
                tokio::time::sleep(ACCEPT_RETRY_DELAY).await;
            }
        }
    }
    drop(listener);
    connections.close();
    connections.wait().await;
}
