//! The local listener: our services, health and reflection, behind the gate.

use std::{io, net::SocketAddr, sync::Arc};

use browse_proto::Reason;
use tokio::net::TcpListener;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::transport::Server;

use super::Daemon;
use crate::{
    dispatch,
    error::{Error, Result},
    policy::{
        Listener,
        layer::{Gate, Origin, guard},
    },
};

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

/// Serves `daemon` on `listener` until `done` is ready and the calls in flight
/// have ended.
///
/// # Errors
/// The listener broke.
pub async fn serve(
    daemon: Arc<Daemon>,
    listener: TcpListener,
    done: impl Future<Output = ()>,
) -> Result<()> {
    let gate = Gate {
        listener: Listener::Local,
        authority: Arc::clone(daemon.authority()),
        origin: Origin::Loopback { port: daemon.address().port() },
        refusals: {
            let daemon = Arc::clone(&daemon);
            Arc::new(move |refusal| daemon.activity().refused(refusal))
        },
    };
    let (health, health_service) = tonic_health::server::health_reporter();
    health.set_service_status("", tonic_health::ServingStatus::Serving).await;
    let reflection = tonic_reflection::server::Builder::configure()
        .register_encoded_file_descriptor_set(browse_proto::DESCRIPTOR)
        .build_v1()
        .map_err(|error| Error::new(Reason::Bug, error.to_string()))?;
    let services = dispatch::routes(daemon).add_service(health_service).add_service(reflection);
    Server::builder()
        .accept_http1(true)
        .tcp_nodelay(true)
        .serve_with_incoming_shutdown(
            guard(gate, services.prepare()),
            TcpListenerStream::new(listener),
            done,
        )
        .await
        .map_err(|error| Error::new(Reason::Bug, format!("the listener broke: {error}")))
}
