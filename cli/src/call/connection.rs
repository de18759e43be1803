//! HTTP on one socket, without the pools and balancers of a channel: a command
//! makes one call.

use std::{
    error::Error,
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
use crate::{address::DaemonSocket, connect::ConnectedDaemon};

/// Flow-control window, large enough for a snapshot or an image in one go.
const FLOW_CONTROL_WINDOW_BYTES: u32 = 4 << 20;

/// The most bytes in one frame: a large text comes in one piece.
const MAX_FRAME_BYTES: u32 = 1 << 20;

/// A connection to a daemon.
pub struct DaemonConnection {
    transport: GrpcTransport,
    authority: String,
    scheme: Scheme,
}

enum GrpcTransport {
    /// gRPC.
    Http2(SendRequest<Body>),
    /// gRPC-Web, through whatever hands on nothing but HTTP/1.1.
    GrpcWeb(GrpcWebClient),
}

impl DaemonConnection {
    /// Greets the daemon at the other end of the socket; one somewhere else within
    /// `delay`.
    pub async fn open(
        daemon: ConnectedDaemon,
        max_wait: Duration,
    ) -> Result<Self, Box<dyn Error + Send + Sync>> {
        let authority = daemon.address.authority().to_owned();
        let scheme = if daemon.expected_identity.is_some() { Scheme::HTTPS } else { Scheme::HTTP };
        let way = match daemon.socket {
            DaemonSocket::Tcp(stream) => {
                stream.set_nonblocking(true)?;
                stream.set_nodelay(true)?;
                let stream = TcpStream::from_std(stream)?;
                match &daemon.expected_identity {
                    Some(proof) => {
                        let stream = tls::handshake(stream, &authority, proof, max_wait).await?;
                        match proof.allows_public_ca {
                            true => GrpcTransport::GrpcWeb(web::handshake(stream).await?),
                            false => GrpcTransport::Http2(handshake(stream).await?),
                        }
                    }
                    None => GrpcTransport::Http2(handshake(stream).await?),
                }
            }
            DaemonSocket::Unix(stream) => {
                stream.set_nonblocking(true)?;
                GrpcTransport::Http2(handshake(UnixStream::from_std(stream)?).await?)
            }
        };
        Ok(Self { transport: way, authority, scheme })
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
        }
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        let uri = self.uri(request.uri());
        match uri {
            Ok(uri) => *request.uri_mut() = uri,
            Err(error) => return Box::pin(async move { Err(error.into()) }),
        }
        let is_remote = self.scheme == Scheme::HTTPS;
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
