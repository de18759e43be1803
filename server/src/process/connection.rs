//! One connection: HTTP/2, or HTTP/1.1 for gRPC-Web.
//!
//! tonic's own server would cut a call at its `grpc-timeout`, with an error
//! that carries no reason; deadlines are the dispatcher's business here.

use std::{net::IpAddr, time::Duration};

use http::Request;
use hyper::body::Incoming;
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::conn::auto::Builder,
    service::TowerToHyperService,
};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;
use tonic::body::Body;
use tower::{ServiceExt as _, service_fn};

use browse_policy::layer::{GatedService, PeerAddress};

/// Bytes of one call that may be on their way unread: documents of megabytes
/// must not crawl.
const STREAM_WINDOW: u32 = 1 << 20;

/// Bytes of a whole connection that may be on their way unread.
const CONNECTION_WINDOW: u32 = 4 << 20;

/// Calls at a time on one connection.
const MAX_CONCURRENT_STREAMS: u32 = 256;

/// Time in which a caller must have sent its headers.
const HEADER_READ_TIMEOUT: Duration = Duration::from_secs(10);

/// Serves one connection until it ends, or until `done` and its last answer.
pub async fn serve<S>(
    stream: S,
    services: GatedService,
    peer: Option<IpAddr>,
    done: CancellationToken,
) where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let service = service_fn(move |request: Request<Incoming>| {
        let mut request = request.map(Body::new);
        if let Some(peer) = peer {
            request.extensions_mut().insert(PeerAddress(peer));
        }
        services.clone().oneshot(request)
    });
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(HEADER_READ_TIMEOUT);
    builder
        .http2()
        .timer(TokioTimer::new())
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .max_concurrent_streams(MAX_CONCURRENT_STREAMS);
    let service = TowerToHyperService::new(service);
    let serving = builder.serve_connection_with_upgrades(TokioIo::new(stream), service);
    tokio::pin!(serving);
    let ended = tokio::select! {
        ended = serving.as_mut() => ended,
        () = done.cancelled() => {
            serving.as_mut().graceful_shutdown();
            serving.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection broke");
    }
}
