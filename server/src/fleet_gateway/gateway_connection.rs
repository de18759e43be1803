//! The connection of HTTP/2 to the gateway of a fleet, for all calls of a client: a new one when the
//! last has ended, and when the sign-in names another gateway. On loopback addresses there may be
//! no TLS.

use std::{io, path::PathBuf, sync::Arc, time::Duration};

use browse_base::{Lock, Result};
use browse_pin::HttpsUrl;
use hyper::client::conn::http2::SendRequest;
use tokio::{net::TcpStream, time::timeout};
use tokio_rustls::client::TlsStream;
use tokio_util::either::Either;
use tonic::body::Body;

use super::{
    gateway_error::{broken, unreachable},
    gateway_tls,
    remote_file::FleetCredentials,
};
use crate::relay_http::{ConnectFailure, Http2Connection};

/// Time in which the gateway has to accept a connection and to greet.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// A stream, with or without TLS.
type GatewayStream = Either<TlsStream<TcpStream>, TcpStream>;

/// The connection.
#[derive(Default)]
pub struct GatewayConnection(Lock<Option<Destination>>);

/// Where a connection leads, and whom it trusts.
struct Destination {
    url: HttpsUrl,
    ca: Option<PathBuf>,
    http2: Arc<Http2Connection>,
}

impl GatewayConnection {
    /// What sends requests to the gateway of `fleet`.
    ///
    /// # Errors
    /// `DAEMON_UNREACHABLE`, also after 10 s; `CERTIFICATE_UNUSABLE`; `REMOTE_FOREIGN`.
    pub async fn requests(&self, fleet: &FleetCredentials) -> Result<SendRequest<Body>> {
        let http2 = self.http2_to(fleet);
        let opened = timeout(CONNECT_TIMEOUT, http2.requests(connect(fleet))).await;
        let opened = opened.map_err(|_| unreachable(&fleet.url, "it says nothing within 10 s"))?;
        opened.map_err(|failure| match failure {
            ConnectFailure::Unreached(error) => error,
            ConnectFailure::Handshake(error) => broken(&fleet.url, &error),
        })
    }

    fn http2_to(&self, fleet: &FleetCredentials) -> Arc<Http2Connection> {
        let mut current = self.0.lock();
        if let Some(known) = current.as_ref()
            && known.url == fleet.url
            && known.ca == fleet.ca
        {
            return Arc::clone(&known.http2);
        }
        let http2 = Arc::new(Http2Connection::default());
        let (url, ca) = (fleet.url.clone(), fleet.ca.clone());
        *current = Some(Destination { url, ca, http2: Arc::clone(&http2) });
        http2
    }
}

async fn connect(fleet: &FleetCredentials) -> Result<GatewayStream> {
    let url = &fleet.url;
    let failed = |error: io::Error| unreachable(url, &error.to_string());
    let stream = TcpStream::connect(url.address()).await.map_err(failed)?;
    // Small calls must not wait for more to send.
    let _ = stream.set_nodelay(true);
    let stream = stream.into_std().map_err(failed)?;
    url.check_peer(&stream).map_err(|why| unreachable(url, why))?;
    let stream = TcpStream::from_std(stream).map_err(failed)?;
    match url.is_tls() {
        true => gateway_tls::greet(fleet, stream).await.map(Either::Left),
        false => Ok(Either::Right(stream)),
    }
}
