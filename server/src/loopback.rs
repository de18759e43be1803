//! Listeners on this machine alone.

use std::{io, net::SocketAddr};

use browse_base::{Error, Result};
use browse_proto::Reason;
use tokio::net::TcpListener;

/// Listens on a port of 127.0.0.1; on a free one when it is 0.
///
/// # Errors
/// `PORT_TAKEN`.
pub async fn bind(port: u16) -> Result<(TcpListener, SocketAddr)> {
    let taken = |error: io::Error| {
        let what = match port {
            0 => "no port on 127.0.0.1".to_owned(),
            port => format!("port {port}"),
        };
        let message = format!("{what} cannot be listened on: {error}");
        Error::new(Reason::PortTaken, message).with("port", port)
    };
    let listener = TcpListener::bind(("127.0.0.1", port)).await.map_err(taken)?;
    let address = listener.local_addr().map_err(taken)?;
    Ok((listener, address))
}
