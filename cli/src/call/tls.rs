//! TLS 1.3 to a remote daemon, which is known by its public key: names and
//! authorities have no say, unless a tunnel may end TLS on the way.

use std::{error::Error, io, sync::Arc, time::Duration};

use browse_pin::Mismatch;
use browse_proto::Reason;
use tokio::{net::TcpStream, time::timeout};
use tokio_rustls::{TlsConnector, client::TlsStream, rustls::pki_types::ServerName};

use super::unexpected_peer::{self, UnexpectedPeer};
use crate::{connect::ServerIdentity, failure::Failure};

/// What gRPC is spoken in.
const ALPN_HTTP2: &[u8] = b"h2";

/// Greets the daemon at `authority`, which has to give this proof within
/// `delay`.
pub async fn handshake(
    stream: TcpStream,
    authority: &str,
    proof: &ServerIdentity,
    max_wait: Duration,
) -> Result<TlsStream<TcpStream>, Box<dyn Error + Send + Sync>> {
    let authorities =
        if proof.allows_public_ca { browse_pin::machine_authorities()? } else { None };
    let mut config = browse_pin::greeting(proof.pin.0, authorities)?;
    // A tunnel that ends TLS may hand on nothing but HTTP/1.1.
    config.alpn_protocols = match proof.allows_public_ca {
        true => vec![b"http/1.1".to_vec()],
        false => vec![ALPN_HTTP2.to_vec()],
    };
    let host = authority.rsplit_once(':').map_or(authority, |(host, _)| host);
    let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
    let name = ServerName::try_from(host)?;
    let greeting = TlsConnector::from(Arc::new(config)).connect(name, stream);
    let stream = match timeout(max_wait, greeting).await {
        Err(_) => {
            let why = format!("it takes the connection, and says nothing within {max_wait:?}");
            return Err(io::Error::new(io::ErrorKind::TimedOut, why).into());
        }
        Ok(Err(error)) if is_connection_end(error.kind()) => {
            let why = "it takes the connection, and ends it before a word";
            return Err(io::Error::new(error.kind(), why).into());
        }
        Ok(greeted) => greeted?,
    };
    if !proof.allows_public_ca && stream.get_ref().1.alpn_protocol() != Some(ALPN_HTTP2) {
        return Err(UnexpectedPeer::new("it does not speak HTTP/2").into());
    }
    Ok(stream)
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
