//! Probes of the kubelet, and metrics: plain HTTP without names of tenants.

use std::{convert::Infallible, sync::Arc, time::Duration};

use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::Full;
use hyper::{body::Bytes, body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{net::TcpListener, sync::Semaphore, time::sleep};
use tokio_util::sync::CancellationToken;

use super::{Pod, metrics};

/// Time in which a probe has to ask.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);

/// Connections at a time.
const MAX_CONNECTIONS: usize = 32;

/// Time that the listener rests when it cannot accept.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(50);

/// Serves probes until `done`.
pub async fn serve(listener: TcpListener, pod: Arc<Pod>, done: CancellationToken) {
    let limit = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    while let Some(accepted) = done.run_until_cancelled(listener.accept()).await {
        let Ok((stream, _)) = accepted else {
            sleep(ACCEPT_RETRY_DELAY).await;
            continue;
        };
        let Ok(permit) = Arc::clone(&limit).try_acquire_owned() else { continue };
        let pod = Arc::clone(&pod);
        tokio::spawn(async move {
            let service = service_fn(move |request: Request<Incoming>| {
                let response = answer(&pod, &request);
                async move { Ok::<_, Infallible>(response) }
            });
            let serving = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(REQUEST_TIMEOUT)
                .serve_connection(TokioIo::new(stream), service);
            if let Err(error) = serving.await {
                tracing::debug!(%error, "a probe broke off");
            }
            drop(permit);
        });
    }
}

fn answer(pod: &Pod, request: &Request<Incoming>) -> Response<Full<Bytes>> {
    if request.method() != Method::GET {
        return reply(StatusCode::METHOD_NOT_ALLOWED, "text/plain", "GET only\n".to_owned());
    }
    let probe = |is_good: bool, why: &str| match is_good {
        true => reply(StatusCode::OK, "text/plain", "ok\n".to_owned()),
        false => reply(StatusCode::SERVICE_UNAVAILABLE, "text/plain", format!("{why}\n")),
    };
    match request.uri().path() {
        "/healthz" => probe(!pod.daemon.is_shutting_down(), "it ends"),
        "/startupz" => probe(pod.is_ready(), "the browser does not run yet"),
        "/readyz" if pod.state.is_draining() => probe(false, "it drains"),
        "/readyz" => probe(pod.is_ready(), "the browser does not run"),
        "/metrics" => {
            reply(StatusCode::OK, "text/plain; version=0.0.4; charset=utf-8", metrics::text(pod))
        }
        _ => reply(StatusCode::NOT_FOUND, "text/plain", "no such path\n".to_owned()),
    }
}

fn reply(status: StatusCode, kind: &'static str, text: String) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::from(text));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}
