//! Connections that become those of another protocol: HTTP/1.1 by mutual TLS, one for each.

use std::{io, net::SocketAddr, sync::Arc, time::Duration};

use browse_base::{Error, Result};
use browse_fleet::FleetIdentity;
use browse_proto::Reason;
use http::{HeaderValue, Request, Response, Uri, Version, header};
use hyper::{body::Incoming, client::conn::http1};
use hyper_util::rt::TokioIo;
use tokio::{net::TcpStream, time::timeout};
use tokio_rustls::{TlsConnector, client::TlsStream, rustls::pki_types::ServerName};
use tonic::body::Body;

use super::{CONNECT_TIMEOUT, PeerError, chain};

/// Time in which a peer answers whether it takes the protocol. A pod may have to open a tab.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);

/// Opens WebSockets at peers with a certificate of one name.
#[derive(Clone)]
pub struct UpgradeClient {
    tls: TlsConnector,
    name: ServerName<'static>,
    host: HeaderValue,
}

impl UpgradeClient {
    /// A client of `identity` for peers with a certificate for `name`.
    ///
    /// # Errors
    /// `CERTIFICATE_UNUSABLE`.
    pub fn new(identity: &FleetIdentity, name: &'static str) -> Result<Self> {
        let mut config = identity.client_config()?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        let host = HeaderValue::from_static(name);
        let name = ServerName::try_from(name)
            .map_err(|error| Error::new(Reason::Bug, format!("`{name}`: {error}")))?;
        Ok(Self { tls: TlsConnector::from(Arc::new(config)), name, host })
    }

    /// Asks `address` for a WebSocket; the path of the request is kept. Where the answer is 101,
    /// `hyper::upgrade::on` has the connection.
    ///
    /// # Errors
    /// The peer does not answer. It has done nothing then that has to be known: what it opened
    /// ends with the connection.
    pub async fn connect(
        &self,
        address: SocketAddr,
        mut request: Request<Body>,
    ) -> std::result::Result<Response<Incoming>, PeerError> {
        let unsent = |message: String| PeerError { is_unsent: true, message };
        let late = |_| unsent("it takes too long".to_owned());
        let path = request.uri().path_and_query().map_or("/", |path| path.as_str()).to_owned();
        *request.uri_mut() = Uri::try_from(path).map_err(|error| unsent(error.to_string()))?;
        *request.version_mut() = Version::HTTP_11;
        let headers = request.headers_mut();
        headers.insert(header::HOST, self.host.clone());
        headers.insert(header::CONNECTION, HeaderValue::from_static("Upgrade"));
        headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
        let stream = timeout(CONNECT_TIMEOUT, self.greet(address)).await.map_err(late)?;
        let stream = stream.map_err(|error| unsent(error.to_string()))?;
        let handshake = http1::handshake(TokioIo::new(stream)).await;
        let (mut sender, connection) = handshake.map_err(|error| unsent(chain(&error)))?;
        tokio::spawn(async move {
            if let Err(error) = connection.with_upgrades().await {
                tracing::debug!(%error, "a connection to a pod broke");
            }
        });
        let answer = timeout(ANSWER_TIMEOUT, sender.send_request(request)).await.map_err(late)?;
        answer.map_err(|error| unsent(chain(&error)))
    }

    async fn greet(&self, address: SocketAddr) -> io::Result<TlsStream<TcpStream>> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        self.tls.connect(self.name.clone(), stream).await
    }
}
