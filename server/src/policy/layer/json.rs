//! Plain HTTP for callers that have no gRPC: `POST` with JSON in, JSON or text
//! out. It stands outermost and turns such a call into one of gRPC, whose
//! answer it turns back; everything between sees one kind of call.

use std::{
    convert::Infallible,
    sync::Arc,
    task::{Context, Poll},
};

use browse_proto::{Command, Reason, metadata, render::Untrusted};
use bytes::Bytes;
use futures::{FutureExt as _, future::BoxFuture};
use http::{HeaderMap, HeaderValue, Method, Request, Response, Version, header};
use http_body_util::BodyExt as _;
use percent_encoding::percent_decode_str;
use tonic::{Status, body::Body};
use tower::{Layer, Service};

use super::{
    audit::{RefusedCall, RefusedCallHandler},
    authorize::PeerAddress,
    http_response::{self, ResponseFormat},
};
use crate::error::{Error, HINT_KEY, Result, quote};

/// Says of a call that it came as JSON.
#[derive(Clone, Copy, Debug)]
pub struct JsonRequest;

/// The layer.
#[derive(Clone)]
pub struct JsonLayer(RefusedCallHandler);

/// A service that also understands JSON.
#[derive(Clone)]
pub struct JsonService<S> {
    refusals: RefusedCallHandler,
    inner: S,
}

impl JsonLayer {
    /// Tells `refusals` of what is no call at all.
    pub fn new(refusals: RefusedCallHandler) -> Self {
        Self(refusals)
    }
}

impl<S> Layer<S> for JsonLayer {
    type Service = JsonService<S>;

    fn layer(&self, inner: S) -> Self::Service {
        JsonService { refusals: Arc::clone(&self.0), inner }
    }
}

type JsonResult = std::result::Result<Response<Body>, Infallible>;

impl<S> Service<Request<Body>> for JsonService<S>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>,
    S::Future: Send + 'static,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<'static, JsonResult>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<std::result::Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        if is_grpc(request.headers()) {
            return self.inner.call(request).boxed();
        }
        let form = ResponseFormat::from_accept(request.headers());
        if let Err(error) = check_request(&request) {
            let peer = request.extensions().get::<PeerAddress>().map(|peer| peer.0);
            let path = request.uri().path().to_owned();
            (self.refusals)(&RefusedCall { reason: error.reason(), client: None, path, peer });
            let status = Status::from(error);
            return async move { Ok(http_response::error_response(&status, form)) }.boxed();
        }
        let command = Command::by_path(request.uri().path());
        rewrite_as_grpc(&mut request);
        let answer = self.inner.call(request);
        async move { Ok(into_http_response(answer.await?, command, form).await) }.boxed()
    }
}

fn is_grpc(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).map(HeaderValue::as_bytes).unwrap_or_default();
    kind.to_ascii_lowercase().starts_with(b"application/grpc")
}

/// Refuses what is no call. A page cannot send JSON without being asked first
/// whether it may, and nobody answers that it may.
fn check_request(request: &Request<Body>) -> Result<()> {
    if request.method() != Method::POST {
        let message = format!("`{}` is no way to call", quote(request.method().as_str()));
        return Err(Error::new(Reason::RequestInvalid, message));
    }
    let mut kinds = request.headers().get_all(header::CONTENT_TYPE).iter();
    let kind = kinds.next().and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let (kind, parameters) = kind.split_once(';').unwrap_or((kind, ""));
    if kinds.next().is_some() || !kind.trim().eq_ignore_ascii_case("application/json") {
        let message = "the body is not said to be `application/json`";
        return Err(Error::new(Reason::RequestInvalid, message));
    }
    let mut others =
        parameters.split(';').filter_map(charset_parameter).filter(|name| !is_utf8(name));
    if let Some(other) = others.next() {
        let message = format!("the body is said to be in `{}`: JSON is UTF-8", quote(other));
        let error = Error::new(Reason::ArgumentInvalid, message);
        return Err(error.with(HINT_KEY, "Send UTF-8, with `content-type: application/json` alone"));
    }
    Ok(())
}

/// The charset that a parameter of a content type names.
fn charset_parameter(parameter: &str) -> Option<&str> {
    let (name, value) = parameter.split_once('=')?;
    name.trim().eq_ignore_ascii_case("charset").then(|| value.trim().trim_matches('"'))
}

fn is_utf8(charset: &str) -> bool {
    // What is ASCII is UTF-8, too.
    ["utf-8", "utf8", "us-ascii"].iter().any(|name| charset.eq_ignore_ascii_case(name))
}

/// Makes a call of gRPC of it; its body follows where it is read.
fn rewrite_as_grpc(request: &mut Request<Body>) {
    *request.version_mut() = Version::HTTP_2;
    request.extensions_mut().insert(JsonRequest);
    let headers = request.headers_mut();
    headers.remove(header::CONTENT_LENGTH);
    headers.remove("grpc-encoding");
    headers.remove("grpc-accept-encoding");
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/grpc"));
    headers.insert(header::TE, HeaderValue::from_static("trailers"));
}

/// The answer to a call, in the form that its caller asked for.
async fn into_http_response(
    response: Response<Body>,
    command: Option<&'static Command>,
    form: ResponseFormat,
) -> Response<Body> {
    let (parts, body) = response.into_parts();
    let mut reply = match (Status::from_header_map(&parts.headers), command) {
        (Some(status), _) if status.code() != tonic::Code::Ok => {
            http_response::error_response(&status, form)
        }
        (_, Some(command)) => match read_message(body).await {
            Ok(message) => http_response::success_response(
                command,
                &message,
                untrusted_of_headers(&parts.headers),
                form,
            ),
            Err(status) => http_response::error_response(&status, form),
        },
        (_, None) => {
            http_response::error_response(&Status::unimplemented("there is no such method"), form)
        }
    };
    if let Some(notice) = parts.headers.get(metadata::NOTICE) {
        reply.headers_mut().insert(metadata::NOTICE, notice.clone());
    }
    reply
}

pub(super) fn untrusted_of_headers(headers: &HeaderMap) -> Option<Untrusted> {
    let entry = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let warnings = entry(metadata::WARNINGS)
        .map(|lines| percent_decode_str(lines).decode_utf8_lossy().into_owned());
    let untrusted = Untrusted::parse(entry(metadata::UNTRUSTED)?)?;
    Some(untrusted.with(warnings.as_deref(), entry(metadata::UNSEEN)))
}

/// The one message of an answer, or the status that stands in its place.
async fn read_message(body: Body) -> std::result::Result<Bytes, Status> {
    let whole = body.collect().await?;
    let status = whole.trailers().and_then(Status::from_header_map);
    if let Some(status) = status.filter(|status| status.code() != tonic::Code::Ok) {
        return Err(status);
    }
    let bytes = whole.to_bytes();
    match bytes.first() {
        Some(0) if bytes.len() >= 5 => Ok(bytes.slice(5..)),
        _ => Err(Status::from(Error::new(Reason::Bug, "the answer cannot be read"))),
    }
}
