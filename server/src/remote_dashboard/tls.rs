//! TLS 1.3 to the daemon of a pairing, which is known by its public key. Where TLS may end at a
//! tunnel, a certificate will do, too, that an authority of this machine vouches for.

use std::{io, sync::Arc, time::Duration};

use browse_base::{Error, HINT_KEY, Result};
use browse_pin::Mismatch;
use browse_proto::Reason;
use tokio::{net::TcpStream, time::timeout};
use tokio_rustls::{
    TlsConnector,
    client::TlsStream,
    rustls::{self, ClientConfig, pki_types::ServerName},
};

use super::relay_request::RemoteDaemon;

/// Time in which the daemon has to accept a connection and to greet.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

const ALPN_HTTP2: &[u8] = b"h2";

/// What a tunnel that ends TLS hands on for certain.
const ALPN_HTTP1: &[u8] = b"http/1.1";

/// How `daemon` is greeted.
///
/// # Errors
/// `ARGUMENT_INVALID`: the pin is not one. TLS cannot be set up.
pub fn configure(daemon: &RemoteDaemon) -> Result<Arc<ClientConfig>> {
    let failed = |error: String| Error::new(Reason::Bug, format!("TLS cannot be set up: {error}"));
    let authorities = match daemon.allows_public_ca {
        true => browse_pin::machine_authorities().map_err(|error| failed(error.to_string()))?,
        false => None,
    };
    let greeting = browse_pin::greeting(daemon.pin()?, authorities);
    let mut config = greeting.map_err(|error| failed(error.to_string()))?;
    let protocol = if daemon.allows_public_ca { ALPN_HTTP1 } else { ALPN_HTTP2 };
    config.alpn_protocols = vec![protocol.to_vec()];
    Ok(Arc::new(config))
}

/// Connects to `daemon`.
///
/// # Errors
/// `DAEMON_UNREACHABLE`, `REMOTE_MISMATCH`, `REMOTE_FOREIGN`.
pub async fn connect(
    daemon: &RemoteDaemon,
    config: &Arc<ClientConfig>,
) -> Result<TlsStream<TcpStream>> {
    let stream = timeout(CONNECT_TIMEOUT, greet(daemon, config)).await;
    stream.map_err(|_| unreachable(daemon, "it says nothing within 10 s"))?
}

async fn greet(daemon: &RemoteDaemon, config: &Arc<ClientConfig>) -> Result<TlsStream<TcpStream>> {
    let stream = TcpStream::connect(&*daemon.address).await;
    let stream = stream.map_err(|error| unreachable(daemon, &error.to_string()))?;
    // Small calls must not wait for more to send.
    let _ = stream.set_nodelay(true);
    let host = daemon.address.rsplit_once(':').map_or(&*daemon.address, |(host, _)| host);
    let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
    let name = ServerName::try_from(host);
    let name = name.map_err(|error| unreachable(daemon, &error.to_string()))?;
    let stream = TlsConnector::from(Arc::clone(config)).connect(name, stream).await;
    let stream = stream.map_err(|error| greeting_failure(daemon, &error))?;
    if !daemon.allows_public_ca && stream.get_ref().1.alpn_protocol() != Some(ALPN_HTTP2) {
        return Err(foreign("it does not speak HTTP/2"));
    }
    Ok(stream)
}

fn greeting_failure(daemon: &RemoteDaemon, error: &io::Error) -> Error {
    let cause = error.get_ref().and_then(|cause| cause.downcast_ref::<rustls::Error>());
    let Some(cause) = cause else { return unreachable(daemon, &error.to_string()) };
    match Mismatch::of(cause) {
        Some(mismatch) => {
            let message = format!("the other end is not the daemon of the pairing: {mismatch}");
            Error::new(Reason::RemoteMismatch, message)
        }
        None => foreign(&cause.to_string()),
    }
}

/// The error of a daemon that does not answer.
pub fn unreachable(daemon: &RemoteDaemon, why: &str) -> Error {
    let message = format!("the daemon at `{}` does not answer: {why}", daemon.address);
    Error::new(Reason::DaemonUnreachable, message).with(
        HINT_KEY,
        "Check the network, and ask the owner whether the pairing and its tunnel still are",
    )
}

/// The error of what answers and is not a daemon.
pub fn foreign(what: &str) -> Error {
    let message = format!("what answers is not a daemon of browse: {what}");
    Error::new(Reason::RemoteForeign, message)
}
