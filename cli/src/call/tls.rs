//! TLS to another machine. A paired daemon speaks TLS 1.3 and is known by its public key: names
//! and authorities have no say, unless a tunnel may end TLS on the way. The gateway of a fleet is
//! known by its name.

use std::{error::Error, io, sync::Arc, time::Duration};

use browse_pin::Mismatch;
use browse_proto::Reason;
use tokio::{net::TcpStream, time::timeout};
use tokio_rustls::{
    TlsConnector,
    client::TlsStream,
    rustls::{self, ClientConfig, pki_types::ServerName},
};

use super::unexpected_peer::{self, UnexpectedPeer};
use crate::{failure::Failure, pairing_link::PublicKeyPin};

/// What gRPC is spoken in.
pub const ALPN_HTTP2: &[u8] = b"h2";

/// How to greet a paired daemon.
///
/// # Errors
/// TLS 1.3 is not to be had, or the authorities of this machine cannot be used.
pub fn paired_config(
    pin: PublicKeyPin,
    allows_public_ca: bool,
) -> Result<ClientConfig, Box<dyn Error + Send + Sync>> {
    let authorities = if allows_public_ca { browse_pin::machine_authorities()? } else { None };
    let mut config = browse_pin::greeting(pin.0, authorities)?;
    // A tunnel that ends TLS may hand on nothing but HTTP/1.1.
    config.alpn_protocols = match allows_public_ca {
        true => vec![b"http/1.1".to_vec()],
        false => vec![ALPN_HTTP2.to_vec()],
    };
    Ok(config)
}

/// The host of an authority, without the brackets of an IPv6 address.
pub fn host_of(authority: &str) -> String {
    let host = authority.rsplit_once(':').map_or(authority, |(host, _)| host);
    host.trim_start_matches('[').trim_end_matches(']').to_owned()
}

/// Greets the server of `host` within `max_wait`.
pub async fn handshake(
    stream: TcpStream,
    host: String,
    config: ClientConfig,
    max_wait: Duration,
) -> Result<TlsStream<TcpStream>, Box<dyn Error + Send + Sync>> {
    let name = ServerName::try_from(host)?;
    let greeting = TlsConnector::from(Arc::new(config)).connect(name, stream);
    match timeout(max_wait, greeting).await {
        Err(_) => {
            let why = format!("it takes the connection, and says nothing within {max_wait:?}");
            Err(io::Error::new(io::ErrorKind::TimedOut, why).into())
        }
        Ok(Err(error)) if is_connection_end(error.kind()) => {
            let why = "it takes the connection, and ends it before a word";
            Err(io::Error::new(error.kind(), why).into())
        }
        Ok(greeted) => Ok(greeted?),
    }
}

/// Refuses a server that has not agreed on HTTP/2.
pub fn check_http2(stream: &TlsStream<TcpStream>) -> Result<(), Box<dyn Error + Send + Sync>> {
    match stream.get_ref().1.alpn_protocol() {
        Some(ALPN_HTTP2) => Ok(()),
        _ => Err(UnexpectedPeer::new("it does not speak HTTP/2").into()),
    }
}

fn is_connection_end(kind: io::ErrorKind) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
    matches!(kind, BrokenPipe | ConnectionAborted | ConnectionReset | UnexpectedEof)
}

/// The failure when the server does not have the expected key.
pub fn pin_mismatch(error: &(dyn Error + 'static)) -> Option<Failure> {
    let mismatch = unexpected_peer::find_cause(error, |error| {
        error.downcast_ref().and_then(Mismatch::of).map(ToString::to_string)
    })?;
    let message = format!("the other end is not the daemon of the pairing block: {mismatch}");
    Some(Failure::new(Reason::RemoteMismatch, message))
}

/// The failure when nobody vouches for the certificate of a gateway.
pub fn untrusted_certificate(error: &(dyn Error + 'static)) -> Option<Failure> {
    let why = unexpected_peer::find_cause(error, |error| {
        let error = error.downcast_ref::<rustls::Error>()?;
        matches!(error, rustls::Error::InvalidCertificate(_)).then(|| error.to_string())
    })?;
    let message = format!("the certificate of the gateway is not trusted: {why}");
    let hint = "Check the address; for an authority of your own, sign in with `--ca <file>`";
    Some(Failure::new(Reason::CertificateUnusable, message).with_hint(hint))
}
