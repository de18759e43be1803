//! The local listener: our services, health and reflection, behind the gate.

use std::{io, net::SocketAddr, sync::Arc, time::Duration};

use browse_proto::Reason;
use tokio::net::TcpListener;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{Daemon, connection};
use crate::{
    dispatch,
    error::{Error, Result},
    policy::{
        Listener,
        layer::{Gate, Guarded, Origin, guard},
    },
};

/// Time that a listener rests when it cannot accept.
const REST: Duration = Duration::from_millis(50);

/// Binds 127.0.0.1.
///
/// # Errors
/// `PORT_TAKEN`.
pub async fn bind(port: u16) -> Result<(TcpListener, SocketAddr)> {
    let taken = |error: io::Error| {
        let message = format!("port {port} cannot be listened on: {error}");
        Error::new(Reason::PortTaken, message).with("port", port)
    };
    let listener = TcpListener::bind(("127.0.0.1", port)).await.map_err(taken)?;
    let address = listener.local_addr().map_err(taken)?;
    Ok((listener, address))
}

/// Everything that `daemon` serves at `listener`, behind its gate.
///
/// # Errors
/// The descriptor cannot be read.
pub async fn services(daemon: &Arc<Daemon>, listener: Listener, origin: Origin) -> Result<Guarded> {
    let heard = Arc::clone(daemon);
    let gate = Gate {
        listener,
        authority: Arc::clone(daemon.authority()),
        origin,
        refusals: Arc::new(move |refusal| heard.activity().refused(refusal)),
    };
    let mut routes = dispatch::routes(Arc::clone(daemon));
    if listener == Listener::Local {
        let unreadable = |error: tonic_reflection::server::Error| {
            Error::new(Reason::Bug, format!("the descriptor cannot be served: {error}"))
        };
        let (health, health_service) = tonic_health::server::health_reporter();
        // The empty name stands for the daemon as a whole.
        health.set_service_status("", tonic_health::ServingStatus::Serving).await;
        let reflection = || {
            tonic_reflection::server::Builder::configure()
                .register_encoded_file_descriptor_set(browse_proto::DESCRIPTOR)
                .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
        };
        routes = routes
            .add_service(health_service)
            .add_service(reflection().build_v1().map_err(unreadable)?)
            .add_service(reflection().build_v1alpha().map_err(unreadable)?);
    }
    Ok(guard(gate, routes.prepare()))
}

/// Serves `services` on `listener` until `done`, and then for as long as
/// connections have answers to send.
pub async fn serve(listener: TcpListener, services: Guarded, done: CancellationToken) {
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
                tokio::time::sleep(REST).await;
            }
        }
    }
    drop(listener);
    connections.close();
    connections.wait().await;
}
