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
    dial::Line,
    order::{Order, ROOTS, Roots, SERVER},
    say::Say,
    trouble::Trouble,
    upstream::Upstream,
};

/// Time for signing in and for opening the endpoint.
const BEGIN: Duration = Duration::from_secs(20);
/// Connections that are carried at a time: as many as the listener takes.
const MOST: usize = 256;

/// Reads what cannot be read any more when the process is confined; the crate
/// keeps it.
///
/// # Errors
/// The authorities of the machine cannot be read.
pub fn prepare(order: &Order) -> Result<(), Trouble> {
    // The crate asks for the one of the process.
    let _ = ring::default_provider().install_default();
    if order.roots == Roots::Host {
        trust_host(&mut Session::builder())?;
    }
    Ok(())
}

/// Forwards as `order` says, until that is over.
pub async fn serve(order: &Order, say: &Say) -> Trouble {
    let upstream = match Upstream::of(order) {
        Ok(upstream) => upstream,
        Err(error) => return Trouble::other(format!("there is no TLS: {error}")),
    };
    let line = Line::new(&order.server, say);
    let begun = timeout(BEGIN, begin(order, &line)).await;
    let late = |_| Err(Trouble::unreachable(format!("`{}` does not answer", order.server)));
    let (_session, mut tunnel) = match begun.unwrap_or_else(late) {
        Ok(begun) => begun,
        Err(trouble) => return trouble,
    };
    say.url(tunnel.url());
    let room = Arc::new(Semaphore::new(MOST));
    loop {
        let next = tokio::select! {
            next = tunnel.next() => next,
            trouble = line.over() => return trouble,
        };
        match next {
            Some(Ok(outside)) => {
                line.called();
                // Without room it is dropped, which tells the other end.
                let Ok(place) = Arc::clone(&room).try_acquire_owned() else { continue };
                let upstream = upstream.clone();
                tokio::spawn(async move {
                    if let Err(error) = upstream.carry(outside).await {
                        eprintln!("a connection broke: {error}");
                    }
                    drop(place);
                });
            }
            Some(Err(error)) => {
                // What it gave up for says more than that it did.
                let given = timeout(Duration::ZERO, line.over()).await.ok();
                return given.unwrap_or_else(|| Trouble::of_accept(&error, &order.server));
            }
            None => return Trouble::other("the tunnel has ended".to_owned()),
        }
    }
}

async fn begin(order: &Order, line: &Line) -> Result<(Session, HttpTunnel), Trouble> {
    let session = builder(order, line)?.connect().await;
    let session = session.map_err(|error| Trouble::of_connect(&error, &order.server))?;
    let mut endpoint = session.http_endpoint();
    // Else it tells the name of the machine and our path.
    endpoint.forwards_to("browse");
    if let Some(domain) = &order.domain {
        endpoint.domain(domain);
    }
    let tunnel = endpoint.listen().await;
    let tunnel = tunnel.map_err(|error| Trouble::of_call(&error, &order.server))?;
    Ok((session, tunnel))
}

fn builder(order: &Order, line: &Line) -> Result<SessionBuilder, Trouble> {
    let mut builder = Session::builder();
    builder.authtoken(&order.token).client_info("browse", env!("CARGO_PKG_VERSION"), None::<&str>);
    builder
        .server_addr(&order.server)
        .map_err(|error| Trouble::setting(SERVER, format_args!("makes no sense: {error}")))?;
    match &order.roots {
        Roots::Ngrok => {}
        Roots::Host => trust_host(&mut builder)?,
        Roots::File(pem) => {
            builder.ca_cert(pem.clone().into());
        }
    }
    let dialled = line.clone();
    builder.connector(move |host, port, tls, lost| dialled.clone().dial((host, port), tls, lost));
    let heard = line.clone();
    builder.handle_heartbeat(move |latency: Option<Duration>| {
        heard.beat(latency.is_some());
        async { Ok(()) }
    });
    let stopped = line.clone();
    builder.handle_stop_command(move |_: Stop| {
        stopped.end(Trouble::refused("it was stopped in the dashboard of ngrok".to_owned()));
        async { Ok(()) }
    });
    Ok(builder)
}

fn trust_host(builder: &mut SessionBuilder) -> Result<(), Trouble> {
    let found = builder.root_cas("host").map(drop);
    found.map_err(|error| {
        let why = format_args!("is `host`, and this machine has no authorities: {error}");
        Trouble::setting(ROOTS, why)
    })
}
