//! The way to the listener: TLS 1.3 to the one certificate that it has.

use std::{io, sync::Arc, time::Duration};

use tokio::{
    io::{AsyncRead, AsyncWrite, copy_bidirectional},
    net::TcpStream,
    time::timeout,
};
use tokio_rustls::{
    TlsConnector,
    rustls::{self, pki_types::ServerName},
};

use crate::config::NgrokConfig;

/// Time that the listener gets to greet.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);

/// The listener.
#[derive(Clone)]
pub struct Upstream {
    address: std::net::SocketAddr,
    tls: TlsConnector,
}

impl Upstream {
    /// The listener of `order`.
    ///
    /// # Errors
    /// TLS 1.3 is not to be had.
    pub fn new(order: &NgrokConfig) -> Result<Self, rustls::Error> {
        let mut config = browse_pin::greeting(order.pin, None)?;
        // What ngrok hands on of an https endpoint.
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self { address: order.listener, tls: TlsConnector::from(Arc::new(config)) })
    }

    /// Carries `outside` to the listener and back, to the end of both.
    ///
    /// # Errors
    /// The listener is gone or another; one of the two broke off.
    pub async fn proxy(&self, mut outside: impl AsyncRead + AsyncWrite + Unpin) -> io::Result<()> {
        let greeted = async {
            let stream = TcpStream::connect(self.address).await?;
            stream.set_nodelay(true)?;
            self.tls.connect(ServerName::IpAddress(self.address.ip().into()), stream).await
        };
        let mut inside = timeout(HANDSHAKE_TIMEOUT, greeted).await??;
        copy_bidirectional(&mut outside, &mut inside).await.map(drop)
    }
}
