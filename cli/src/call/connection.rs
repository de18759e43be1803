//! HTTP on one socket, without the pools and balancers of a channel: a command
//! makes one call.

use std::{
    error::Error,
    fmt,
    future::Future,
    io,
    pin::Pin,
    task::{self, Poll},
    time::Duration,
};

use http::{Request, Response, Uri, uri::Scheme};
use hyper::client::conn::http2::{self, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::{TcpStream, UnixStream};
use tonic::{Status, body::Body, client::GrpcService};
use tower_service::Service;

use super::{
    details, tls, unexpected_peer,
    web::{self, GrpcWebClient},
};
use crate::{
    address::DaemonSocket,
    certificates,
    connect::{ConnectedDaemon, ServerIdentity},
    failure::Failure,
    in_process::InProcessService,
};

/// Flow-control window, large enough for a snapshot or an image in one go.
const FLOW_CONTROL_WINDOW_BYTES: u32 = 4 << 20;

/// The most bytes in one frame: a large text comes in one piece.
const MAX_FRAME_BYTES: u32 = 1 << 20;

/// A connection to a daemon.
pub struct DaemonConnection {
    transport: GrpcTransport,
    authority: String,
    scheme: Scheme,
    /// Whether what answers may be another server.
    is_remote: bool,
}

/// Why the authorities for the certificate of a gateway cannot be used.
#[derive(Debug)]
pub struct UnusableCertificates(pub Failure);

impl fmt::Display for UnusableCertificates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl Error for UnusableCertificates {}

enum GrpcTransport {
    /// gRPC.
    Http2(SendRequest<Body>),
    /// gRPC-Web, through whatever hands on nothing but HTTP/1.1.
    GrpcWeb(GrpcWebClient),
    /// gRPC, without a connection.
    InProcess(InProcessService),
}

impl DaemonConnection {
    /// Greets the daemon at the other end of the socket; one somewhere else within
    /// `delay`.
    pub async fn open(
        daemon: ConnectedDaemon,
        max_wait: Duration,
    ) -> Result<Self, Box<dyn Error + Send + Sync>> {
        let authority = match &daemon.expected_identity {
            Some(ServerIdentity::Gateway(gateway)) => gateway.authority.clone(),
            _ => daemon.address.authority().to_owned(),
        };
        let (is_remote, has_tls) = match &daemon.expected_identity {
            None => (false, false),
            Some(ServerIdentity::Paired { .. }) => (true, true),
            Some(ServerIdentity::Gateway(gateway)) => (true, gateway.is_tls),
        };
        let scheme = if has_tls { Scheme::HTTPS } else { Scheme::HTTP };
        let way = match daemon.socket {
            DaemonSocket::Tcp(stream) => {
                stream.set_nonblocking(true)?;
                stream.set_nodelay(true)?;
                let stream = TcpStream::from_std(stream)?;
                match &daemon.expected_identity {
                    Some(ServerIdentity::Paired { pin, allows_public_ca }) => {
                        let config = tls::paired_config(*pin, *allows_public_ca)?;
                        let host = tls::host_of(&authority);
                        let stream = tls::handshake(stream, host, config, max_wait).await?;
                        match allows_public_ca {
                            true => GrpcTransport::GrpcWeb(web::handshake(stream).await?),
                            false => {
                                tls::check_http2(&stream)?;
                                GrpcTransport::Http2(handshake(stream).await?)
                            }
                        }
                    }
                    Some(ServerIdentity::Gateway(gateway)) if gateway.is_tls => {
                        let ca = gateway.ca.as_deref();
                        let config = certificates::client_config(ca, tls::ALPN_HTTP2);
                        let config = config.map_err(UnusableCertificates)?;
                        let host = gateway.host.clone();
                        let stream = tls::handshake(stream, host, config, max_wait).await?;
                        tls::check_http2(&stream)?;
                        GrpcTransport::Http2(handshake(stream).await?)
                    }
                    Some(ServerIdentity::Gateway(_)) | None => {
                        GrpcTransport::Http2(handshake(stream).await?)
                    }
                }
            }
            DaemonSocket::Unix(stream) => {
                stream.set_nonblocking(true)?;
                GrpcTransport::Http2(handshake(UnixStream::from_std(stream)?).await?)
            }
            DaemonSocket::InProcess(service) => GrpcTransport::InProcess(service),
        };
        Ok(Self { transport: way, authority, scheme, is_remote })
    }

    fn uri(&self, of: &Uri) -> Result<Uri, http::Error> {
        let path = of.path_and_query().map_or("/", |path| path.as_str());
        let scheme = self.scheme.clone();
        Uri::builder().scheme(scheme).authority(&*self.authority).path_and_query(path).build()
    }
}

async fn handshake<I>(io: I) -> Result<SendRequest<Body>, hyper::Error>
where
    I: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + Send + 'static,
{
    let (requests, connection) = http2::Builder::new(TokioExecutor::new())
        .initial_stream_window_size(FLOW_CONTROL_WINDOW_BYTES)
        .initial_connection_window_size(FLOW_CONTROL_WINDOW_BYTES)
        .max_frame_size(MAX_FRAME_BYTES)
        .handshake(TokioIo::new(io))
        .await?;
    // Its error reaches the call that waits for an answer.
    tokio::spawn(async move { drop(connection.await) });
    Ok(requests)
}

impl GrpcService<Body> for DaemonConnection {
    type ResponseBody = Body;
    type Error = Box<dyn Error + Send + Sync>;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Self::Error>> + Send>>;

    fn poll_ready(&mut self, cx: &mut task::Context<'_>) -> Poll<Result<(), Self::Error>> {
        match &mut self.transport {
            GrpcTransport::Http2(requests) => requests.poll_ready(cx).map_err(Into::into),
            GrpcTransport::GrpcWeb(web) => {
                Service::<Request<Body>>::poll_ready(web, cx).map_err(Into::into)
            }
            GrpcTransport::InProcess(_) => Poll::Ready(Ok(())),
        }
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        let uri = self.uri(request.uri());
        match uri {
            Ok(uri) => *request.uri_mut() = uri,
            Err(error) => return Box::pin(async move { Err(error.into()) }),
        }
        let is_remote = self.is_remote;
        let checked = move |answer| {
            let answer = details::sanitize_details(answer);
            if is_remote { unexpected_peer::check_response(answer) } else { Ok(answer) }
        };
        match &mut self.transport {
            GrpcTransport::Http2(requests) => {
                let answer = requests.send_request(request);
                Box::pin(async move { checked(answer.await?.map(Body::new)) })
            }
            GrpcTransport::GrpcWeb(web) => {
                let answer = Service::call(web, request);
                Box::pin(async move { checked(answer.await?.map(Body::new)) })
            }
            GrpcTransport::InProcess(service) => {
                let answer = service.call(request);
                Box::pin(async move { checked(answer.await) })
            }
        }
    }
}

/// Whether the call behind `status` never left: the connection ended first.
pub fn was_not_sent(status: &Status) -> bool {
    let mut cause: Option<&dyn Error> = Some(status);
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<hyper::Error>() {
            return error.is_canceled();
        }
        if let Some(error) = error.downcast_ref::<io::Error>() {
            return error.kind() == io::ErrorKind::NotConnected;
        }
        cause = error.source();
    }
    false
}
