//! The API server that is played, as the gateway reaches it: HTTP on a loopback address.

use std::{convert::Infallible, fs, net::SocketAddr, path::Path, sync::Arc, time::Duration};

use futures::stream;
use http::{HeaderValue, Request, Response, StatusCode, header};
use http_body_util::{BodyExt as _, Full, StreamBody};
use hyper::{
    body::{Bytes, Frame, Incoming},
    service::service_fn,
};
use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    server::conn::auto::Builder,
};
use serde_json::{Value, json};
use tokio::{
    net::TcpListener,
    time::{Instant, timeout_at},
};
use tokio_util::sync::CancellationToken;
use tonic::body::Body;

use super::{
    api_store::ApiStore,
    failure::{During as _, Outcome},
};

/// Time of a watch that names none.
const WATCH_TIME: Duration = Duration::from_secs(300);

/// Listens on a free port, and serves `store` until `done`.
///
/// # Errors
/// No address can be listened on.
pub async fn start(store: Arc<ApiStore>, done: CancellationToken) -> Outcome<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0").await.during("a port for the API server")?;
    let address = listener.local_addr().during("the address of the API server")?;
    tokio::spawn(serve(listener, store, done));
    Ok(address)
}

/// Writes the file that leads the gateway to the server at `address`.
///
/// # Errors
/// The file cannot be written.
pub fn write_kubeconfig(path: &Path, address: SocketAddr) -> Outcome<()> {
    let config = json!({
        "apiVersion": "v1", "kind": "Config", "current-context": "played",
        "clusters": [{ "name": "played", "cluster": { "server": format!("http://{address}") } }],
        "users": [{ "name": "gate", "user": {} }],
        "contexts": [{ "name": "played", "context": { "cluster": "played", "user": "gate" } }],
    });
    fs::write(path, config.to_string()).during(path.display())
}

async fn serve(listener: TcpListener, store: Arc<ApiStore>, done: CancellationToken) {
    while let Some(Ok((stream, _))) = done.run_until_cancelled(listener.accept()).await {
        let (store, done) = (Arc::clone(&store), done.clone());
        tokio::spawn(async move {
            // Small answers do not wait for more to send.
            let _ = stream.set_nodelay(true);
            let service =
                service_fn(move |request: Request<Incoming>| answer(Arc::clone(&store), request));
            let builder = Builder::new(TokioExecutor::new());
            let serving = builder.serve_connection(TokioIo::new(stream), service);
            tokio::select! {
                _ = serving => {}
                () = done.cancelled() => {}
            }
        });
    }
}

async fn answer(
    store: Arc<ApiStore>,
    request: Request<Incoming>,
) -> Result<Response<Body>, Infallible> {
    let (parts, body) = request.into_parts();
    let query = parts.uri.query().unwrap_or_default();
    if parameter(query, "watch") == Some("true") {
        let number = |name: &str| parameter(query, name).and_then(|text| text.parse::<u64>().ok());
        let time = number("timeoutSeconds").map_or(WATCH_TIME, Duration::from_secs);
        return Ok(watch(store, number("resourceVersion").unwrap_or_default(), time));
    }
    let Ok(body) = body.collect().await else {
        return Ok(document(StatusCode::BAD_REQUEST, &Value::Null));
    };
    let body = serde_json::from_slice(&body.to_bytes()).unwrap_or(Value::Null);
    let (code, value) = store.answer(&parts.method, parts.uri.path(), body);
    Ok(document(StatusCode::from_u16(code).unwrap_or(StatusCode::BAD_REQUEST), &value))
}

fn document(status: StatusCode, value: &Value) -> Response<Body> {
    let mut response = json_response(Body::new(Full::from(value.to_string())));
    *response.status_mut() = status;
    response
}

fn json_response(body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    let kind = HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}

/// Sends what happens to pods after `version`, for `time`.
fn watch(store: Arc<ApiStore>, version: u64, time: Duration) -> Response<Body> {
    let until = Instant::now() + time;
    let versions = store.versions();
    let state = (store, versions, version);
    let events = stream::unfold(state, move |(store, mut versions, version)| async move {
        loop {
            // Before the look: what comes after it is a change again.
            versions.mark_unchanged();
            let (lines, newest) = store.events_since(version);
            if !lines.is_empty() {
                let frame = Frame::data(Bytes::from(lines));
                return Some((Ok::<_, Infallible>(frame), (store, versions, newest)));
            }
            match timeout_at(until, versions.changed()).await {
                Ok(Ok(())) => {}
                _ => return None,
            }
        }
    });
    json_response(Body::new(StreamBody::new(events)))
}

/// The value of a parameter of a query.
fn parameter<'a>(query: &'a str, name: &str) -> Option<&'a str> {
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs.filter(|(key, _)| *key == name).map(|(_, value)| value).next()
}
