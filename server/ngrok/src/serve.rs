//! Signs in, opens the endpoint, and carries what comes to the listener.

use std::{sync::Arc, time::Duration};

use futures::StreamExt as _;
use ngrok::{
    config::TunnelBuilder as _,
    session::{Session, SessionBuilder, Stop},
    tunnel::{EndpointInfo as _, HttpTunnel},
};
use tokio::{sync::Semaphore, time::timeout};
use tokio_rustls::rustls::crypto::ring;

use crate::{
    config::{NgrokConfig, ROOTS_VARIABLE, RootCertificates, SERVER_VARIABLE},
    error::NgrokError,
    service_connection::ServiceConnection,
    status_output::StatusOutput,
    upstream::Upstream,
};

/// Time for signing in and for opening the endpoint.
const SETUP_TIMEOUT: Duration = Duration::from_secs(20);
/// Connections that are carried at a time: as many as the listener takes.
const MAX_CONNECTIONS: usize = 256;

/// Reads what cannot be read any more when the process is confined; the crate
/// keeps it.
///
/// # Errors
/// The authorities of the machine cannot be read.
pub fn prepare(order: &NgrokConfig) -> Result<(), NgrokError> {
    // The crate asks for the one of the process.
    let _ = ring::default_provider().install_default();
    if order.roots == RootCertificates::Host {
        use_host_roots(&mut Session::builder())?;
    }
    Ok(())
}

/// Forwards as `order` says, until that is over.
pub async fn serve(order: &NgrokConfig, say: &StatusOutput) -> NgrokError {
    let upstream = match Upstream::new(order) {
        Ok(upstream) => upstream,
        Err(error) => return NgrokError::other(format!("there is no TLS: {error}")),
    };
    let line = ServiceConnection::new(&order.server, say);
    let begun = timeout(SETUP_TIMEOUT, open_tunnel(order, &line)).await;
    let late = |_| Err(NgrokError::unreachable(format!("`{}` does not answer", order.server)));
    let (_session, mut tunnel) = match begun.unwrap_or_else(late) {
        Ok(begun) => begun,
        Err(trouble) => return trouble,
    };
    say.print_url(tunnel.url());
    let room = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let next = tokio::select! {
            next = tunnel.next() => next,
            trouble = line.over() => return trouble,
        };
        match next {
            Some(Ok(outside)) => {
                line.on_connection();
                // Without room it is dropped, which tells the other end.
                let Ok(place) = Arc::clone(&room).try_acquire_owned() else { continue };
                let upstream = upstream.clone();
                tokio::spawn(async move {
                    if let Err(error) = upstream.proxy(outside).await {
                        eprintln!("a connection broke: {error}");
                    }
                    drop(place);
                });
            }
            Some(Err(error)) => {
                // What it gave up for says more than that it did.
                let given = timeout(Duration::ZERO, line.over()).await.ok();
                return given.unwrap_or_else(|| NgrokError::from_accept(&error, &order.server));
            }
            None => return NgrokError::other("the tunnel has ended".to_owned()),
        }
    }
}

async fn open_tunnel(
    order: &NgrokConfig,
    line: &ServiceConnection,
) -> Result<(Session, HttpTunnel), NgrokError> {
    let session = session_builder(order, line)?.connect().await;
    let session = session.map_err(|error| NgrokError::from_connect(&error, &order.server))?;
    let mut endpoint = session.http_endpoint();
    // Else it tells the name of the machine and our path.
    endpoint.forwards_to("browse");
    if let Some(domain) = &order.domain {
        endpoint.domain(domain);
    }
    let tunnel = endpoint.listen().await;
    let tunnel = tunnel.map_err(|error| NgrokError::from_rpc(&error, &order.server))?;
    Ok((session, tunnel))
}

fn session_builder(
    order: &NgrokConfig,
    line: &ServiceConnection,
) -> Result<SessionBuilder, NgrokError> {
    let mut builder = Session::builder();
    builder.authtoken(&order.token).client_info("browse", env!("CARGO_PKG_VERSION"), None::<&str>);
    builder.server_addr(&order.server).map_err(|error| {
        NgrokError::setting(SERVER_VARIABLE, format_args!("makes no sense: {error}"))
    })?;
    match &order.roots {
        RootCertificates::Ngrok => {}
        RootCertificates::Host => use_host_roots(&mut builder)?,
        RootCertificates::File(pem) => {
            builder.ca_cert(pem.clone().into());
        }
    }
    let dialled = line.clone();
    builder.connector(move |host, port, tls, lost| dialled.clone().dial((host, port), tls, lost));
    let heard = line.clone();
    builder.handle_heartbeat(move |latency: Option<Duration>| {
        heard.on_heartbeat(latency.is_some());
        async { Ok(()) }
    });
    let stopped = line.clone();
    builder.handle_stop_command(move |_: Stop| {
        stopped.give_up(NgrokError::refused("it was stopped in the dashboard of ngrok".to_owned()));
        async { Ok(()) }
    });
    Ok(builder)
}

fn use_host_roots(builder: &mut SessionBuilder) -> Result<(), NgrokError> {
    let found = builder.root_cas("host").map(drop);
    found.map_err(|error| {
        let why = format_args!("is `host`, and this machine has no authorities: {error}");
        NgrokError::setting(ROOTS_VARIABLE, why)
    })
}
