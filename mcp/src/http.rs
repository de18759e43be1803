//! Streamable HTTP on loopback, behind a token of its own.

use std::{
    convert::Infallible,
    io::{self, Write as _},
    net::SocketAddr,
    sync::Arc,
    time::Duration,
};

use browse_cli::Failure;
use browse_proto::Reason;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::{
    Request, Response, StatusCode,
    body::{Bytes, Incoming},
    header::{AUTHORIZATION, CONTENT_TYPE, WWW_AUTHENTICATE},
    http::request::Parts,
    service::service_fn,
};
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::transport::StreamableHttpServerConfig;
use sha2::{Digest as _, Sha256};
use tokio::{
    net::{TcpListener, TcpStream},
    time::timeout,
};

use crate::{
    server::BrowseServer,
    streamable::{self, Answer, MAX_REQUEST_BYTES, McpService},
};

/// Where the server is below its address.
const PATH: &str = "/mcp";

/// Time that the headers of a request have to come.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);

/// Time that its body has to come.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);

/// Bytes of a refused request that are read, so that its sender reads the answer.
const MAX_DRAINED_BYTES: usize = 64 << 10;

/// Time that the listener rests when it cannot accept.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(50);

/// Connections at a time; a further one waits.
const MAX_CONNECTIONS: usize = 256;

/// The variable that holds the token; one is made when it is unset.
pub const TOKEN_VARIABLE: &str = "BROWSE_MCP_TOKEN";

/// Fewest characters of a token that a user chose.
const MIN_TOKEN_CHARS: usize = 16;

/// Serves on 127.0.0.1 until the process ends; another port than 0 is fixed.
///
/// # Errors
/// `PORT_TAKEN`; the token of the environment is too short.
pub async fn serve(server: BrowseServer, port: u16) -> Result<u8, Failure> {
    let token = token()?;
    let listener = TcpListener::bind(("127.0.0.1", port)).await;
    let bound = listener.and_then(|listener| Ok((listener.local_addr()?, listener)));
    let (address, listener) = bound.map_err(|error| {
        let message = format!("port {port} cannot be listened on: {error}");
        Failure::new(Reason::PortTaken, message).with_hint("Give another port, or none")
    })?;
    // The program that started the server may have closed the pipe.
    let words = format!("http://{address}{PATH}\nAuthorization: Bearer {token}\n");
    let _ = io::stderr().write_all(words.as_bytes());
    let service = service(server, address);
    let expected: Arc<[u8; 32]> = Arc::new(digest(&token));
    let slots = Arc::new(tokio::sync::Semaphore::new(MAX_CONNECTIONS));
    loop {
        let Ok(slot) = Arc::clone(&slots).acquire_owned().await else { return Ok(0) };
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(_) => {
                tokio::time::sleep(ACCEPT_RETRY_DELAY).await;
                continue;
            }
        };
        let (service, expected) = (service.clone(), Arc::clone(&expected));
        tokio::spawn(async move {
            serve_connection(stream, service, expected).await;
            drop(slot);
        });
    }
}

fn service(server: BrowseServer, address: SocketAddr) -> McpService {
    let config = StreamableHttpServerConfig::default()
        .with_allowed_hosts([address.to_string(), format!("localhost:{}", address.port())])
        // A page of any origin is refused.
        .enforce_origin_validation();
    streamable::service(server, config)
}

async fn serve_connection(stream: TcpStream, service: McpService, expected: Arc<[u8; 32]>) {
    let answer = service_fn(move |request: Request<Incoming>| {
        let (service, expected) = (service.clone(), Arc::clone(&expected));
        async move {
            let (head, body) = request.into_parts();
            let refused = refusal(&head, &expected);
            // Read even when it is refused: closing with bytes unread would reset the
            // connection before its sender reads the answer.
            let limit = if refused.is_some() { MAX_DRAINED_BYTES } else { MAX_REQUEST_BYTES };
            let body = timeout(BODY_TIMEOUT, Limited::new(body, limit).collect()).await;
            if let Some(refused) = refused {
                return Ok::<Answer, Infallible>(refused);
            }
            let Ok(body) = body else {
                return Ok(plain(StatusCode::REQUEST_TIMEOUT, "the request came too slowly\n"));
            };
            let Ok(body) = body else {
                return Ok(plain(StatusCode::PAYLOAD_TOO_LARGE, "the request is too large\n"));
            };
            let request = Request::from_parts(head, body.to_bytes());
            Ok(streamable::answer(&service, request).await)
        }
    });
    let mut served = hyper::server::conn::http1::Builder::new();
    served.timer(TokioTimer::new()).header_read_timeout(HEADER_TIMEOUT);
    // A client that is gone needs no answer.
    let _ = served.serve_connection(TokioIo::new(stream), answer).await;
}

/// Why a request goes no further: another path, or not our token.
fn refusal(request: &Parts, expected: &[u8; 32]) -> Option<Answer> {
    let shown = bearer_token(request).map(digest_bytes);
    // Equal hashes say nothing of how far a guess was right.
    if shown.as_ref() != Some(expected) {
        let mut refused = plain(StatusCode::UNAUTHORIZED, "the token is missing or wrong\n");
        refused
            .headers_mut()
            .insert(WWW_AUTHENTICATE, hyper::http::HeaderValue::from_static("Bearer"));
        return Some(refused);
    }
    (request.uri.path() != PATH).then(|| plain(StatusCode::NOT_FOUND, "the server is at /mcp\n"))
}

/// The token of `Authorization: Bearer <token>`, which stands there once.
fn bearer_token(request: &Parts) -> Option<&[u8]> {
    let mut entries = request.headers.get_all(AUTHORIZATION).iter();
    let (Some(entry), None) = (entries.next(), entries.next()) else { return None };
    let (scheme, token) = entry.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim().as_bytes())
}

fn plain(status: StatusCode, text: &'static str) -> Answer {
    let mut answer = Response::new(Full::new(Bytes::from_static(text.as_bytes())).boxed());
    *answer.status_mut() = status;
    let kind = hyper::http::HeaderValue::from_static("text/plain; charset=utf-8");
    answer.headers_mut().insert(CONTENT_TYPE, kind);
    answer
}

/// The token of the environment, or a new one of 128 bits.
fn token() -> Result<String, Failure> {
    match std::env::var(TOKEN_VARIABLE) {
        Ok(token) if token.chars().count() >= MIN_TOKEN_CHARS => Ok(token),
        Ok(token) if !token.is_empty() => {
            let message = format!("{TOKEN_VARIABLE} has fewer than {MIN_TOKEN_CHARS} characters");
            Err(Failure::new(Reason::ArgumentInvalid, message)
                .with_hint(format!("Run `unset {TOKEN_VARIABLE}`: a token is made then")))
        }
        _ => Ok(format!("{:032x}", rand::random::<u128>())),
    }
}

fn digest(text: &str) -> [u8; 32] {
    digest_bytes(text.as_bytes())
}

fn digest_bytes(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}
