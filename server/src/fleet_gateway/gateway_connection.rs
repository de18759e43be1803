//! One connection to the gateway of a fleet, in HTTP/2. The gateway is known by its name: a
//! certificate authority of this machine vouches for it, or one of the file of the sign-in.

use std::{
    fs::File,
    io::{self, Read as _},
    path::Path,
    sync::Arc,
    time::Duration,
};

use browse_base::{Error, HINT_KEY, Result};
use browse_proto::Reason;
use hyper::client::conn::http2::{self, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    time::timeout,
};
use tokio_rustls::{
    TlsConnector,
    rustls::{
        self, ClientConfig,
        crypto::ring,
        pki_types::{CertificateDer, ServerName, pem::PemObject as _},
    },
};
use tonic::body::Body;

use super::fleet_remote::FleetRemote;

/// Time in which the gateway has to accept a connection and to greet.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Bytes that may be on their way unread: documents of megabytes come in one piece.
const WINDOW_BYTES: u32 = 4 << 20;

/// How often the other end has to show that it is there, and how soon.
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(15);

/// Bytes of a file with authorities.
const MAX_CA_BYTES: u64 = 1 << 20;

const ALPN_HTTP2: &[u8] = b"h2";

/// Connects to the gateway of `remote`.
///
/// # Errors
/// `DAEMON_UNREACHABLE`; `CERTIFICATE_UNUSABLE`; `REMOTE_FOREIGN`.
pub async fn connect(remote: &FleetRemote) -> Result<SendRequest<Body>> {
    let connecting = timeout(CONNECT_TIMEOUT, greet(remote)).await;
    connecting.map_err(|_| unreachable(remote, "it says nothing within 10 s"))?
}

async fn greet(remote: &FleetRemote) -> Result<SendRequest<Body>> {
    let stream = TcpStream::connect(remote.url.address()).await;
    let stream = stream.map_err(|error| unreachable(remote, &error.to_string()))?;
    // Small calls must not wait for more to send.
    let _ = stream.set_nodelay(true);
    if !remote.url.is_tls() {
        // `localhost` is a name, which can resolve to any address.
        let is_here = stream.peer_addr().is_ok_and(|address| address.ip().is_loopback());
        return match is_here {
            true => handshake(remote, stream).await,
            false => Err(unreachable(remote, "its host is not this machine, and it has no TLS")),
        };
    }
    let config = client_config(remote.ca.as_deref())?;
    let name = ServerName::try_from(remote.url.host().to_owned());
    let name = name.map_err(|error| unreachable(remote, &error.to_string()))?;
    let stream = TlsConnector::from(Arc::new(config)).connect(name, stream).await;
    let stream = stream.map_err(|error| greeting_failure(remote, &error))?;
    match stream.get_ref().1.alpn_protocol() {
        Some(ALPN_HTTP2) => handshake(remote, stream).await,
        _ => Err(foreign("it does not speak HTTP/2")),
    }
}

async fn handshake<I>(remote: &FleetRemote, stream: I) -> Result<SendRequest<Body>>
where
    I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (requests, connection) = http2::Builder::new(TokioExecutor::new())
        .timer(TokioTimer::new())
        .initial_stream_window_size(WINDOW_BYTES)
        .initial_connection_window_size(WINDOW_BYTES)
        .keep_alive_interval(KEEP_ALIVE_INTERVAL)
        .keep_alive_timeout(KEEP_ALIVE_INTERVAL)
        .keep_alive_while_idle(true)
        .handshake(TokioIo::new(stream))
        .await
        .map_err(|error| unreachable(remote, &error.to_string()))?;
    // Its error reaches the calls that wait for an answer.
    tokio::spawn(async move { drop(connection.await) });
    Ok(requests)
}

/// How the gateway is greeted. The authorities of the file `ca` count beside those of this machine.
fn client_config(ca: Option<&Path>) -> Result<ClientConfig> {
    let mut roots = browse_pin::machine_roots();
    if let Some(path) = ca {
        roots.add_parsable_certificates(read_authorities(path)?);
    }
    if roots.is_empty() {
        let message = "this machine has no certificate authorities";
        return Err(Error::new(Reason::CertificateUnusable, message).with(
            HINT_KEY,
            "Install the package `ca-certificates`, or sign in with `--ca <file>`",
        ));
    }
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let builder = builder
        .with_safe_default_protocol_versions()
        .map_err(|error| Error::new(Reason::Bug, format!("TLS cannot be set up: {error}")))?;
    let mut config = builder.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = vec![ALPN_HTTP2.to_vec()];
    Ok(config)
}

fn read_authorities(path: &Path) -> Result<Vec<CertificateDer<'static>>> {
    let unusable = |why: String| {
        let shown = path.display();
        let message = format!("the certificate authorities of `{shown}` cannot be used: {why}");
        Error::new(Reason::CertificateUnusable, message)
            .with("path", shown)
            .with(HINT_KEY, "Sign in again, and give `--ca` a file with certificates as PEM")
    };
    let read = || -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        File::open(path)?.take(MAX_CA_BYTES).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let bytes = read().map_err(|error| unusable(error.to_string()))?;
    let found: std::result::Result<Vec<CertificateDer<'static>>, _> =
        CertificateDer::pem_slice_iter(&bytes).collect();
    let found = found.map_err(|error| unusable(error.to_string()))?;
    match found.is_empty() {
        true => Err(unusable("it contains no certificate".to_owned())),
        false => Ok(found),
    }
}

fn greeting_failure(remote: &FleetRemote, error: &io::Error) -> Error {
    let cause = error.get_ref().and_then(|cause| cause.downcast_ref::<rustls::Error>());
    match cause {
        Some(cause @ rustls::Error::InvalidCertificate(_)) => {
            let message = format!("the certificate of the gateway is not trusted: {cause}");
            let hint =
                "Check the address; for an authority of your own, sign in with `--ca <file>`";
            Error::new(Reason::CertificateUnusable, message).with(HINT_KEY, hint)
        }
        Some(cause) => foreign(&cause.to_string()),
        None => unreachable(remote, &error.to_string()),
    }
}

/// The error of a gateway that does not answer.
pub fn unreachable(remote: &FleetRemote, why: &str) -> Error {
    let message = format!("the gateway at `{}` does not answer: {why}", remote.url.origin());
    let hint = "Check the network and the address of the fleet, and ask its operator";
    Error::new(Reason::DaemonUnreachable, message).with(HINT_KEY, hint)
}

/// The error of what answers and is not a gateway.
pub fn foreign(what: &str) -> Error {
    let message = format!("what answers is not the gateway of a fleet: {what}");
    let hint =
        "Check the address of the fleet; a proxy in front of the gateway has to pass gRPC on";
    Error::new(Reason::RemoteForeign, message).with(HINT_KEY, hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_certificates_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("ca.pem");
        assert!(client_config(Some(&path)).is_err(), "the file is missing");
        std::fs::write(&path, "words").expect("written");
        let error = client_config(Some(&path)).map(drop).expect_err("it has none");
        assert_eq!(error.reason(), Reason::CertificateUnusable);
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]);
        std::fs::write(&path, made.expect("a certificate").cert.pem()).expect("written");
        assert!(client_config(Some(&path)).is_ok());
    }
}
