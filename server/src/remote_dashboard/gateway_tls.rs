//! The connection to the gateway of a fleet, which is known by its name: an authority of this
//! machine vouches for its certificate, or one of a file that the person named. On loopback
//! addresses there may be no TLS.

use std::{
    fs::File,
    io::{self, Read as _},
    path::Path,
    sync::Arc,
};

use browse_base::{Error, HINT_KEY, Result};
use browse_pin::HttpsUrl;
use browse_proto::Reason;
use tokio::net::TcpStream;
use tokio_rustls::{
    TlsConnector,
    client::TlsStream,
    rustls::{
        self, ClientConfig,
        crypto::ring,
        pki_types::{CertificateDer, ServerName, pem::PemObject as _},
    },
};
use tokio_util::either::Either;

/// Bytes of a file with authorities.
const MAX_FILE_BYTES: u64 = 1 << 20;

const ALPN_HTTP2: &[u8] = b"h2";

/// A connection, with or without TLS.
pub type GatewayStream = Either<TlsStream<TcpStream>, TcpStream>;

/// How the gateway at `url` is greeted; none without TLS.
///
/// # Errors
/// `CERTIFICATE_UNUSABLE`: the file `ca` cannot be used, or this machine has no
/// authorities.
pub fn configure(url: &HttpsUrl, ca: Option<&Path>) -> Result<Option<Arc<ClientConfig>>> {
    if !url.is_tls() {
        return Ok(None);
    }
    let mut roots = browse_pin::machine_roots();
    if let Some(path) = ca {
        let unusable = |why: String| {
            let message = format!(
                "the certificate authorities of `{}` cannot be used: {why}",
                path.display()
            );
            Error::new(Reason::CertificateUnusable, message)
                .with(HINT_KEY, "Sign in again, with a file of certificates as PEM for `--ca`")
        };
        let pem = read_pem(path).map_err(|error| unusable(error.to_string()))?;
        let found: std::result::Result<Vec<CertificateDer<'static>>, _> =
            CertificateDer::pem_slice_iter(&pem).collect();
        let found = found.map_err(|error| unusable(error.to_string()))?;
        roots.add_parsable_certificates(found);
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
    Ok(Some(Arc::new(config)))
}

/// Connects to the gateway at `url`.
///
/// # Errors
/// `DAEMON_UNREACHABLE`, `CERTIFICATE_UNUSABLE`, `REMOTE_FOREIGN`.
pub async fn connect(url: &HttpsUrl, config: Option<&Arc<ClientConfig>>) -> Result<GatewayStream> {
    let failed = |error: io::Error| unreachable(url, &error.to_string());
    let stream = TcpStream::connect(url.address()).await.map_err(failed)?;
    // Small calls must not wait for more to send.
    let _ = stream.set_nodelay(true);
    let stream = stream.into_std().map_err(failed)?;
    url.check_peer(&stream).map_err(|why| unreachable(url, why))?;
    let stream = TcpStream::from_std(stream).map_err(failed)?;
    let Some(config) = config else { return Ok(Either::Right(stream)) };
    let name = ServerName::try_from(url.host().to_owned());
    let name = name.map_err(|error| unreachable(url, &error.to_string()))?;
    let stream = TlsConnector::from(Arc::clone(config)).connect(name, stream).await;
    let stream = stream.map_err(|error| greeting_failure(url, &error))?;
    if stream.get_ref().1.alpn_protocol() != Some(ALPN_HTTP2) {
        return Err(foreign("it does not speak HTTP/2"));
    }
    Ok(Either::Left(stream))
}

/// The error of a gateway that does not answer.
pub fn unreachable(url: &HttpsUrl, why: &str) -> Error {
    let message = format!("the gateway at `{}` does not answer: {why}", url.origin());
    Error::new(Reason::DaemonUnreachable, message)
        .with(HINT_KEY, "Check the network and the address of the fleet, and ask its operator")
}

/// The error of what answers and is not a gateway.
pub fn foreign(what: &str) -> Error {
    let message = format!("what answers is not the gateway of a fleet: {what}");
    Error::new(Reason::RemoteForeign, message).with(
        HINT_KEY,
        "Check the address of the fleet; a proxy in front of the gateway has to pass HTTP/2 on",
    )
}

fn greeting_failure(url: &HttpsUrl, error: &io::Error) -> Error {
    let cause = error.get_ref().and_then(|cause| cause.downcast_ref::<rustls::Error>());
    match cause {
        None => unreachable(url, &error.to_string()),
        Some(rustls::Error::InvalidCertificate(why)) => {
            let message = format!("the certificate of the gateway is not trusted: {why}");
            Error::new(Reason::CertificateUnusable, message).with(
                HINT_KEY,
                "Check the address; for an authority of your own, sign in with `--ca <file>`",
            )
        }
        Some(cause) => foreign(&cause.to_string()),
    }
}

fn read_pem(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_FILE_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}
