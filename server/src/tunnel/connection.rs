//! One connection from somewhere else: HTTP/2 or HTTP/1.1 inside TLS, held to
//! narrow limits, because an anonymous caller may be at the other end.

use std::{error::Error, net::IpAddr, sync::Arc, time::Duration};

use http::Request;
use hyper::body::Incoming;
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::conn::auto::Builder,
    service::TowerToHyperService,
};
use tokio::net::TcpStream;
use tokio_rustls::server::TlsStream;
use tokio_util::sync::CancellationToken;
use tonic::body::Body;
use tower::{ServiceExt as _, service_fn};

use super::{busy_body::BusyBody, connection_limits::TunnelConnection, drain_body::DrainedBody};
use browse_policy::layer::{GatedService, PeerAddress};
use browse_records::SecurityLog;

/// Bytes of one call that may be on their way unread.
const STREAM_WINDOW: u32 = 256 << 10;
/// Bytes of a whole connection that may be on their way unread.
const CONNECTION_WINDOW: u32 = 1 << 20;
/// Calls at a time on one connection.
const MAX_CONCURRENT_STREAMS: u32 = 64;
/// Bytes of the headers of a call.
const MAX_HEADER_BYTES: u32 = 16 << 10;
/// Headers of a call, on HTTP/1.1.
const MAX_HEADERS: usize = 64;
/// Time in which a caller must have sent its headers, on HTTP/1.1.
const HEADER_READ_TIMEOUT: Duration = Duration::from_secs(10);
/// Calls that were reset before they were looked at, and calls that broke the
/// rules: with more of them the connection ends.
const MAX_RESETS: usize = 20;
/// How often the other end has to show that it is there, and how soon.
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(30);

/// Serves one connection until it ends, is cut, or `done`.
pub async fn serve(
    stream: TlsStream<TcpStream>,
    services: GatedService,
    peer: IpAddr,
    line: Arc<TunnelConnection>,
    done: CancellationToken,
    attempts: &SecurityLog,
) {
    let of_call = Arc::clone(&line);
    let service = service_fn(move |request: Request<Incoming>| {
        let (services, line) = (services.clone(), Arc::clone(&of_call));
        async move {
            let busy = line.begin_call();
            let mut request = request.map(|body| Body::new(DrainedBody::new(body)));
            request.extensions_mut().insert(PeerAddress(peer));
            request.extensions_mut().insert(line.authentication().clone());
            let answer = services.oneshot(request).await;
            answer.map(|answer| answer.map(|body| BusyBody::new(body, busy)))
        }
    });
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_READ_TIMEOUT)
        .max_buf_size(MAX_HEADER_BYTES as usize * 4)
        .max_headers(MAX_HEADERS)
        .half_close(false);
    builder
        .http2()
        .timer(TokioTimer::new())
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .max_concurrent_streams(MAX_CONCURRENT_STREAMS)
        .max_header_list_size(MAX_HEADER_BYTES)
        .max_pending_accept_reset_streams(MAX_RESETS)
        .max_local_error_reset_streams(MAX_RESETS)
        .keep_alive_interval(KEEP_ALIVE_INTERVAL)
        .keep_alive_timeout(KEEP_ALIVE_INTERVAL);
    let serving = builder.serve_connection(TokioIo::new(stream), TowerToHyperService::new(service));
    tokio::pin!(serving);
    let ended = tokio::select! {
        ended = serving.as_mut() => ended,
        () = line.cancelled() => return,
        () = done.cancelled() => {
            serving.as_mut().graceful_shutdown();
            tokio::select! {
                ended = serving.as_mut() => ended,
                () = tokio::time::sleep(Duration::from_secs(1)) => return,
            }
        }
    };
    if let Err(error) = ended {
        if is_flood(&*error) {
            attempts.record_rapid_resets(peer);
        }
        tracing::debug!(%error, "a connection from somewhere else broke");
    }
}

/// Whether we have ended a connection of HTTP/2 for going too far: the limits
/// of resets are the only ones that do.
fn is_flood(error: &(dyn Error + 'static)) -> bool {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<h2::Error>() {
            return error.is_library() && error.reason() == Some(h2::Reason::ENHANCE_YOUR_CALM);
        }
        cause = error.source();
    }
    false
}
