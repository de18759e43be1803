//! The listeners of the gateway: for clients, for the other replicas, and for probes.

use std::{convert::Infallible, future::Future, io, net::SocketAddr, sync::Arc, time::Duration};

use browse_base::{Error, Result};
use browse_fleet::{
    LOST_PATH, LostRequest, PLACE_PATH, PlaceRequest, RELEASE_PATH, ReleaseRequest,
};
use browse_policy::layer::{json_answer, json_error, read_json};
use browse_proto::Reason;
use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::Full;
use hyper::{body::Incoming, service::service_fn};
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::conn::auto::Builder,
};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, BufReader},
    net::TcpListener,
    sync::Semaphore,
    time::{sleep, timeout},
};
use tokio_rustls::{TlsAcceptor, rustls::ServerConfig};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tonic::body::Body;

use crate::gateway::Gateway;

/// Time that a greeting may take.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);

/// Time in which a caller must have sent its headers, on HTTP/1.1.
const HEADER_READ_TIMEOUT: Duration = Duration::from_secs(10);

/// Time that a listener rests when it cannot accept.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(50);

/// Connections at a time.
const MAX_CONNECTIONS: usize = 20_000;

/// Calls at a time on one connection of HTTP/2, and bytes on their way unread.
const MAX_CONCURRENT_STREAMS: u32 = 256;
const STREAM_WINDOW: u32 = 1 << 20;
const CONNECTION_WINDOW: u32 = 4 << 20;

/// How often a connection of HTTP/2 has to show that it is there, and how soon.
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(30);

/// Bytes of the headers of a call.
const MAX_HEADER_BYTES: u32 = 32 << 10;

/// Bytes of a request of another replica.
const MAX_CONTROL_BYTES: usize = 16 << 10;

/// Listens on an address.
///
/// # Errors
/// `PORT_TAKEN`.
pub async fn bind(address: SocketAddr) -> Result<TcpListener> {
    TcpListener::bind(address).await.map_err(|error: io::Error| {
        let message = format!("`{address}` cannot be listened on: {error}");
        Error::new(Reason::PortTaken, message).with("port", address.port())
    })
}

/// Serves clients until `done`, and then until their calls have ended.
pub async fn serve_clients(
    listener: TcpListener,
    tls: Option<ServerConfig>,
    gateway: Arc<Gateway>,
    done: CancellationToken,
) {
    let answer = move |request: Request<Incoming>| {
        let gateway = Arc::clone(&gateway);
        async move { gateway.answer(request.map(Body::new)).await }
    };
    serve(listener, tls, answer, done).await;
}

/// Serves the other replicas, which `tls` knows by their certificate, until `done`.
pub async fn serve_replicas(
    listener: TcpListener,
    tls: ServerConfig,
    gateway: Arc<Gateway>,
    done: CancellationToken,
) {
    let answer = move |request: Request<Incoming>| {
        let gateway = Arc::clone(&gateway);
        async move {
            let answer = answer_replica(&gateway, request).await;
            Ok::<_, Infallible>(answer.unwrap_or_else(json_error))
        }
    };
    serve(listener, Some(tls), answer, done).await;
}

/// Serves probes and metrics until `done`. It is ready when the pods are known.
pub async fn serve_probes(
    listener: TcpListener,
    gateway: Arc<Gateway>,
    draining: CancellationToken,
    done: CancellationToken,
) {
    let answer = move |request: Request<Incoming>| {
        let (gateway, draining) = (Arc::clone(&gateway), draining.clone());
        async move {
            let (status, text) = match request.uri().path() {
                "/healthz" | "/startupz" => (StatusCode::OK, "ok\n".to_owned()),
                "/readyz" if draining.is_cancelled() => {
                    (StatusCode::SERVICE_UNAVAILABLE, "it ends\n".to_owned())
                }
                "/readyz" => (StatusCode::OK, "ok\n".to_owned()),
                "/metrics" => (StatusCode::OK, gateway.metrics_text()),
                _ => (StatusCode::NOT_FOUND, "no such path\n".to_owned()),
            };
            let mut response = Response::new(Body::new(Full::from(text)));
            *response.status_mut() = status;
            let kind = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
            response.headers_mut().insert(header::CONTENT_TYPE, kind);
            Ok::<_, Infallible>(response)
        }
    };
    serve(listener, None, answer, done).await;
}

async fn answer_replica(gateway: &Gateway, request: Request<Incoming>) -> Result<Response<Body>> {
    match (request.method().clone(), request.uri().path()) {
        (Method::POST, PLACE_PATH) => {
            let request: PlaceRequest = read_json(request.into_body(), MAX_CONTROL_BYTES).await?;
            json_answer(&gateway.place_here(&request).await?)
        }
        (Method::POST, RELEASE_PATH) => {
            let request: ReleaseRequest = read_json(request.into_body(), MAX_CONTROL_BYTES).await?;
            gateway.release_here(&request).await;
            json_answer(&serde_json::json!({}))
        }
        (Method::POST, LOST_PATH) => {
            let request: LostRequest = read_json(request.into_body(), MAX_CONTROL_BYTES).await?;
            json_answer(&gateway.report_loss_here(request))
        }
        _ => Err(Error::new(Reason::MethodUnknown, "the gateway has no such path")),
    }
}

async fn serve<S, F>(
    listener: TcpListener,
    tls: Option<ServerConfig>,
    answer: S,
    done: CancellationToken,
) where
    S: Fn(Request<Incoming>) -> F + Clone + Send + 'static,
    F: Future<Output = std::result::Result<Response<Body>, Infallible>> + Send + 'static,
{
    let acceptor = tls.map(|config| TlsAcceptor::from(Arc::new(config)));
    let limit = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let connections = TaskTracker::new();
    while let Some(accepted) = done.run_until_cancelled(listener.accept()).await {
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::warn!(%error, "a connection was not accepted");
                sleep(ACCEPT_RETRY_DELAY).await;
                continue;
            }
        };
        let Ok(permit) = Arc::clone(&limit).try_acquire_owned() else { continue };
        // Small answers must not wait for more to send.
        let _ = stream.set_nodelay(true);
        let (acceptor, answer, done) = (acceptor.clone(), answer.clone(), done.clone());
        connections.spawn(async move {
            match acceptor {
                None => serve_connection(stream, answer, done).await,
                Some(acceptor) => match timeout(HANDSHAKE_TIMEOUT, acceptor.accept(stream)).await {
                    Ok(Ok(stream)) => serve_connection(stream, answer, done).await,
                    Ok(Err(error)) => tracing::debug!(%error, "a greeting failed"),
                    Err(_) => tracing::debug!("a caller did not greet in time"),
                },
            }
            drop(permit);
        });
    }
    drop(listener);
    connections.close();
    connections.wait().await;
}

async fn serve_connection<I, S, F>(stream: I, answer: S, done: CancellationToken)
where
    I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    S: Fn(Request<Incoming>) -> F + Clone + Send + 'static,
    F: Future<Output = std::result::Result<Response<Body>, Infallible>> + Send + 'static,
{
    let mut stream = BufReader::new(stream);
    // One that says nothing does not keep its place.
    match timeout(HEADER_READ_TIMEOUT, stream.fill_buf()).await {
        Ok(Ok(begin)) if !begin.is_empty() => {}
        _ => return,
    }
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().max_buf_size(MAX_HEADER_BYTES as usize);
    builder.http1().timer(TokioTimer::new()).header_read_timeout(HEADER_READ_TIMEOUT);
    builder
        .http2()
        .timer(TokioTimer::new())
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .max_concurrent_streams(MAX_CONCURRENT_STREAMS)
        .keep_alive_interval(KEEP_ALIVE_INTERVAL)
        .keep_alive_timeout(KEEP_ALIVE_INTERVAL)
        .max_header_list_size(MAX_HEADER_BYTES);
    let serving = builder.serve_connection_with_upgrades(TokioIo::new(stream), service_fn(answer));
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
