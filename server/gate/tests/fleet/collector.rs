//! A collector of OTLP over HTTP that is played by the test.

use std::{
    collections::VecDeque,
    convert::Infallible,
    sync::{Arc, Mutex},
};

use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use hyper::{
    body::{Bytes, Incoming},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpListener;

use crate::support::eventually;

/// The collector. It ends with the test.
pub struct Collector {
    url: String,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    /// The bodies that were accepted.
    documents: Vec<String>,
    /// Statuses of the next responses; 200 after them.
    failures: VecDeque<u16>,
    requests: usize,
}

/// A span of a document, with the program that it is of.
#[derive(Clone, Debug)]
pub struct ReceivedSpan {
    pub service: String,
    pub span: Value,
}

impl Collector {
    /// Listens on an address of its own.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let state = Arc::<Mutex<State>>::default();
        tokio::spawn(serve(listener, Arc::clone(&state)));
        Self { url, state }
    }

    /// The lines of `[traces]` that sample every call, and `more`.
    pub fn settings(&self, more: &str) -> String {
        format!("endpoint = '{}/otlp'\nsample = 1.0\ninterval = '10ms'\n{more}", self.url)
    }

    /// Answers the next requests with these statuses, and takes nothing of them.
    pub fn fail_next(&self, statuses: &[u16]) {
        self.state.lock().expect("no panic").failures.extend(statuses);
    }

    /// How many requests came.
    pub fn requests(&self) -> usize {
        self.state.lock().expect("no panic").requests
    }

    /// All documents as one text.
    pub fn text(&self) -> String {
        self.state.lock().expect("no panic").documents.concat()
    }

    /// All spans so far.
    pub fn spans(&self) -> Vec<ReceivedSpan> {
        let state = self.state.lock().expect("no panic");
        let mut found = Vec::new();
        for document in &state.documents {
            let document: Value = serde_json::from_str(document).expect("JSON");
            for resource in document["resourceSpans"].as_array().expect("a list") {
                let service = &resource["resource"]["attributes"][0];
                assert_eq!(service["key"], "service.name");
                let service = service["value"]["stringValue"].as_str().expect("a name").to_owned();
                for span in resource["scopeSpans"][0]["spans"].as_array().expect("a list") {
                    found.push(ReceivedSpan { service: service.clone(), span: span.clone() });
                }
            }
        }
        found
    }

    /// The spans of the first trace that fits, once the span of its call is there, which comes with
    /// all others of the call.
    pub async fn trace(&self, fits: impl Fn(&ReceivedSpan) -> bool) -> Vec<ReceivedSpan> {
        eventually(|| {
            let spans = self.spans();
            let root = spans.iter().find(|span| span.is_root() && fits(span))?.clone();
            let is_of_it = |span: &ReceivedSpan| span.span["traceId"] == root.span["traceId"];
            Some(spans.into_iter().filter(is_of_it).collect())
        })
        .await
    }
}

impl ReceivedSpan {
    /// Whether it is the span of a call at the gateway.
    pub fn is_root(&self) -> bool {
        self.service == "browse-gate" && self.span["kind"] == 2
    }

    /// Its name.
    pub fn name(&self) -> &str {
        self.text("name")
    }

    /// A text of it; empty when it has none.
    pub fn text(&self, key: &str) -> &str {
        self.span[key].as_str().unwrap_or_default()
    }

    /// An attribute: a text or a number, as text; empty when it has none.
    pub fn attribute(&self, key: &str) -> &str {
        let all = self.span["attributes"].as_array().expect("a list");
        let found = all.iter().find(|attribute| attribute["key"] == key);
        let value = found.and_then(|attribute| attribute["value"].as_object()?.values().next());
        value.and_then(Value::as_str).unwrap_or_default()
    }
}

async fn serve(listener: TcpListener, state: Arc<Mutex<State>>) {
    while let Ok((stream, _)) = listener.accept().await {
        let state = Arc::clone(&state);
        let service = service_fn(move |request| answer(Arc::clone(&state), request));
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}

async fn answer(
    state: Arc<Mutex<State>>,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    assert_eq!(request.uri().path(), "/otlp/v1/traces");
    assert_eq!(request.headers()["content-type"], "application/json");
    let body = request.into_body().collect().await.expect("a body").to_bytes();
    let mut state = state.lock().expect("no panic");
    state.requests += 1;
    let status = state.failures.pop_front().unwrap_or(200);
    if status == 200 {
        state.documents.push(String::from_utf8(body.to_vec()).expect("text"));
    }
    let response = Response::builder().status(status).header("retry-after", "0");
    Ok(response.body(Full::from("{\"partialSuccess\":{}}")).expect("a response"))
}
