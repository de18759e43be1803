//! Requests of Streamable HTTP whose callers are known, and their answers.
//!
//! Each request is answered without a session of the protocol: what an agent goes on in is named by
//! the handle in its arguments, or by the program that serves it.

use std::{convert::Infallible, sync::Arc};

use http_body_util::{BodyExt as _, Full, combinators::BoxBody};
use hyper::{
    Method, Request, Response, StatusCode,
    body::Bytes,
    header::{CONTENT_TYPE, HeaderValue},
};
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
};
use serde_json::Value;

use crate::{message_check::problem, server::BrowseServer};

/// Bytes that a request may have.
pub const MAX_REQUEST_BYTES: usize = 16 << 20;

/// A response of the server.
pub type Answer = Response<BoxBody<Bytes, Infallible>>;

/// What answers requests of the protocol.
pub type McpService = StreamableHttpService<BrowseServer, NeverSessionManager>;

/// The service of `server`; `config` has the hosts and origins of its clients.
pub fn service(server: BrowseServer, config: StreamableHttpServerConfig) -> McpService {
    let config = config
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(MAX_REQUEST_BYTES);
    StreamableHttpService::new(move || Ok(server.clone()), Arc::default(), config)
}

/// Answers a request. Dropping it ends the calls that it makes.
pub async fn answer(service: &McpService, request: Request<Bytes>) -> Answer {
    if *request.method() == Method::POST
        && let Some(answer) = problem(request.body())
    {
        return malformed(&answer);
    }
    service.handle(request.map(Full::new)).await
}

/// The answer to a call that is not one. What has no id may not reach the caller that sent it, so
/// it is an error of the request as well.
fn malformed(answer: &Value) -> Answer {
    let bytes = Bytes::from(answer.to_string());
    let mut response = Response::new(Full::new(bytes).boxed());
    if answer.get("id").is_none_or(Value::is_null) {
        *response.status_mut() = StatusCode::BAD_REQUEST;
    }
    let kind = HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}
