//! The gateway of a fleet that is played by the test: its document by HTTP/1.1, and calls of gRPC
//! by HTTP/2, with or without TLS.

use std::{
    collections::VecDeque,
    convert::Infallible,
    future::poll_fn,
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context, Poll},
};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, Request, Response, request::Parts};
use hyper::{
    body::{Body as HttpBody, Frame, Incoming},
    server::conn::{http1, http2},
    service::service_fn,
};
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::Value;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
    runtime::Runtime,
};
use tokio_rustls::{TlsAcceptor, rustls::ServerConfig};
use tonic::{Code, Status, body::Body};
use tonic_types::{ErrorDetails, StatusExt as _};

/// A call that came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenCall {
    pub path: String,
    pub token: String,
    pub session: Option<String>,
    pub scopes: Option<String>,
}

/// The gateway.
pub struct PlayedGateway {
    pub port: u16,
    state: Arc<Mutex<State>>,
    _runtime: Runtime,
}

struct State {
    document: Value,
    /// Tokens that it accepts begin so.
    accepted: String,
    /// How every call with such a token fails.
    failure: Option<Status>,
    calls: Vec<SeenCall>,
}

impl PlayedGateway {
    /// One with this document, which accepts tokens that begin with `accepted`.
    pub fn start(document: Value, accepted: &str) -> Self {
        Self::start_with(document, accepted, None)
    }

    /// The same with TLS.
    pub fn start_with(document: Value, accepted: &str, tls: Option<ServerConfig>) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime");
        let accepted = accepted.to_owned();
        let state = State { document, accepted, failure: None, calls: Vec::new() };
        let state = Arc::new(Mutex::new(state));
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let acceptor = tls.map(|mut config| {
            config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
            TlsAcceptor::from(Arc::new(config))
        });
        runtime.spawn(serve(listener, acceptor, Arc::clone(&state)));
        Self { port, state, _runtime: runtime }
    }

    /// Its address without TLS.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Every call with a good token fails so from now on.
    pub fn fail(&self, code: Code, reason: &str, hint: &str) {
        self.fail_with(code, reason, &[("hint", hint)]);
    }

    /// The same with these values.
    pub fn fail_with(&self, code: Code, reason: &str, values: &[(&str, &str)]) {
        let values = values.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
        let values = values.collect::<std::collections::HashMap<_, _>>();
        let details = ErrorDetails::with_error_info(reason, "browse", values);
        let status = Status::with_error_details(code, "it does not go", details);
        self.state.lock().expect("no panic").failure = Some(status);
    }

    /// The calls that came with a good token.
    pub fn calls(&self) -> Vec<SeenCall> {
        self.state.lock().expect("no panic").calls.clone()
    }
}

async fn serve(listener: TcpListener, acceptor: Option<TlsAcceptor>, state: Arc<Mutex<State>>) {
    while let Ok((stream, _)) = listener.accept().await {
        let (acceptor, state) = (acceptor.clone(), Arc::clone(&state));
        tokio::spawn(async move {
            let Some(acceptor) = acceptor else {
                let is_http2 = begins_with_http2(&stream).await;
                return serve_connection(stream, is_http2, state).await;
            };
            let Ok(stream) = acceptor.accept(stream).await else { return };
            let is_http2 = stream.get_ref().1.alpn_protocol() == Some(&b"h2"[..]);
            serve_connection(stream, is_http2, state).await;
        });
    }
}

/// Whether the preface of HTTP/2 comes first.
async fn begins_with_http2(stream: &TcpStream) -> bool {
    let mut begin = [0; 3];
    stream.peek(&mut begin).await.is_ok_and(|_| &begin == b"PRI")
}

async fn serve_connection<I>(stream: I, is_http2: bool, state: Arc<Mutex<State>>)
where
    I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let io = TokioIo::new(stream);
    let service = service_fn(move |request: Request<Incoming>| {
        let state = Arc::clone(&state);
        async move {
            let (parts, mut body) = request.into_parts();
            while poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await.is_some() {}
            Ok::<_, Infallible>(answer(&state, &parts))
        }
    });
    // The caller sees what breaks.
    match is_http2 {
        true => {
            let builder = http2::Builder::new(TokioExecutor::new());
            let _ = builder.serve_connection(io, service).await;
        }
        false => {
            let _ = http1::Builder::new().serve_connection(io, service).await;
        }
    }
}

fn answer(state: &Mutex<State>, request: &Parts) -> Response<Body> {
    let mut state = state.lock().expect("no panic");
    let path = request.uri.path();
    if request.method == Method::GET && path == browse_proto::FLEET_DOCUMENT_PATH {
        let status = if state.document.is_null() { 404 } else { 200 };
        let mut response = Response::new(Body::new(state.document.to_string()));
        *response.status_mut() = http::StatusCode::from_u16(status).expect("a status");
        return response;
    }
    let text = |name: &str| request.headers.get(name).and_then(|value| value.to_str().ok());
    let token = text("authorization").unwrap_or_default().trim_start_matches("Bearer ");
    if !token.starts_with(&state.accepted) {
        let details = ErrorDetails::with_error_info("TOKEN_INVALID", "browse", []);
        let code = Code::Unauthenticated;
        return Status::with_error_details(code, "the token is not valid", details).into_http();
    }
    let header = |name: &str| text(name).map(str::to_owned);
    let (session, scopes) = (header("browse-session"), header("browse-scopes"));
    let call = SeenCall { path: path.to_owned(), token: token.to_owned(), session, scopes };
    state.calls.push(call);
    match &state.failure {
        Some(status) => status.clone().into_http(),
        None => empty_message(),
    }
}

/// The answer with a message that has no fields.
fn empty_message() -> Response<Body> {
    let mut trailers = HeaderMap::new();
    trailers.insert("grpc-status", HeaderValue::from_static("0"));
    let message = Frame::data(Bytes::from_static(&[0; 5]));
    let body = Body::new(Frames(VecDeque::from([message, Frame::trailers(trailers)])));
    let mut response = Response::new(body);
    let kind = HeaderValue::from_static("application/grpc");
    response.headers_mut().insert(http::header::CONTENT_TYPE, kind);
    response
}

struct Frames(VecDeque<Frame<Bytes>>);

impl HttpBody for Frames {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.0.pop_front().map(Ok))
    }
}
