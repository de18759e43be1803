//! The JSON form of the Connect protocol: `application/json` for a call with one
//! answer, `application/connect+json` for a stream. It stands outermost and turns
//! such a call into one of gRPC, whose answer it turns back; everything between
//! sees one kind of call.
//! Protocol: <https://connectrpc.com/docs/protocol>.

use std::{
    convert::Infallible,
    sync::Arc,
    task::{Context, Poll},
};

use browse_proto::{Command, Reason, metadata};
use bytes::Bytes;
use futures::{FutureExt as _, future::BoxFuture};
use http::{
    HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, Version, header,
};
use http_body_util::{BodyExt as _, Full};
use prost::Message;
use tonic::{Status, body::Body};
use tower::{Layer, Service};

use super::{
    audit::{RefusedCall, RefusedCallHandler},
    authorize::PeerAddress,
    http_response::{self, ResponseFormat},
    json_notices::MetadataNotices,
    json_stream,
};
use browse_base::{Error, HINT_KEY, Result, quote};

/// Marks a call that came as JSON, and says how its body is framed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonRequest {
    /// The body is the message.
    Unary,
    /// The body is one enveloped message; the answer is a stream of them.
    Stream,
}

impl JsonRequest {
    /// Whether this is the form of `command`.
    pub fn fits(self, command: &Command) -> bool {
        command.streaming == (self == Self::Stream)
    }

    /// Refuses a call of `command` in the other form.
    ///
    /// # Errors
    /// `REQUEST_INVALID`.
    pub fn check(self, command: &Command) -> Result<()> {
        let (message, hint) = match command.streaming {
            _ if self.fits(command) => return Ok(()),
            true => (
                "the response of this method is a stream",
                "Send one enveloped message with `content-type: application/connect+json`",
            ),
            false => (
                "the response of this method is not a stream",
                "Send the message with `content-type: application/json`",
            ),
        };
        Err(Error::new(Reason::RequestInvalid, message).with(HINT_KEY, hint))
    }
}

/// The content type of a stream.
pub const STREAM_TYPE: &str = "application/connect+json";

const GRPC_STATUS: HeaderName = HeaderName::from_static("grpc-status");

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
    /// Reports to `refusals` what is not a call at all.
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
        let command = Command::by_path(request.uri().path());
        let kind = match check_request(&request) {
            Ok(kind) => kind,
            Err(refusal) => {
                self.report(&request, &refusal.error);
                return async move { Ok(refusal.into_response(form)) }.boxed();
            }
        };
        // It is refused where the body is read: an anonymous caller learns less.
        let is_mismatched = command.is_some_and(|command| !kind.fits(command));
        rewrite_as_grpc(&mut request, kind);
        let answer = self.inner.call(request);
        async move {
            let response = answer.await?;
            if kind == JsonRequest::Stream && !is_mismatched {
                return Ok(json_stream::into_stream_response(response, command));
            }
            let mut response = into_http_response(response, command, form).await;
            if is_mismatched && response.status() == StatusCode::METHOD_NOT_ALLOWED {
                set_unsupported_media_type(&mut response);
            }
            Ok(response)
        }
        .boxed()
    }
}

impl<S> JsonService<S> {
    fn report(&self, request: &Request<Body>, error: &Error) {
        let peer = request.extensions().get::<PeerAddress>().map(|peer| peer.0);
        let path = request.uri().path().to_owned();
        (self.refusals)(&RefusedCall { reason: error.reason(), client: None, path, peer });
    }
}

/// Why a request is not a call.
struct RequestRefusal {
    error: Error,
    /// Whether it is for its content type.
    is_media_type: bool,
}

impl From<Error> for RequestRefusal {
    fn from(error: Error) -> Self {
        Self { error, is_media_type: false }
    }
}

impl RequestRefusal {
    fn media_type(message: &str, hint: &str) -> Self {
        let error = Error::new(Reason::RequestInvalid, message).with(HINT_KEY, hint);
        Self { error, is_media_type: true }
    }

    fn into_response(self, form: ResponseFormat) -> Response<Body> {
        let mut response = http_response::error_response(&Status::from(self.error), form);
        if self.is_media_type {
            set_unsupported_media_type(&mut response);
        }
        response
    }
}

fn set_unsupported_media_type(response: &mut Response<Body>) {
    *response.status_mut() = StatusCode::UNSUPPORTED_MEDIA_TYPE;
    response.headers_mut().remove(header::ALLOW);
}

fn is_grpc(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).map(HeaderValue::as_bytes).unwrap_or_default();
    kind.to_ascii_lowercase().starts_with(b"application/grpc")
}

/// Refuses what is not a call. A page cannot send JSON to another origin without
/// a preflight request, and no preflight is answered: `OPTIONS` is not `POST`.
fn check_request(request: &Request<Body>) -> std::result::Result<JsonRequest, RequestRefusal> {
    if request.method() != Method::POST {
        let message = format!("the method `{}` is not supported", quote(request.method().as_str()));
        return Err(Error::new(Reason::RequestInvalid, message).into());
    }
    let headers = request.headers();
    let kind = check_content_type(headers)?;
    for name in ["content-encoding", "connect-content-encoding"] {
        if headers.get(name).is_some_and(|encoding| encoding.as_bytes() != b"identity") {
            let message = format!("`{name}` is not supported: send the body uncompressed");
            return Err(Error::new(Reason::ArgumentInvalid, message).into());
        }
    }
    if headers.get("connect-protocol-version").is_some_and(|version| version.as_bytes() != b"1") {
        let message = "`connect-protocol-version` has to be 1";
        return Err(Error::new(Reason::ArgumentInvalid, message).into());
    }
    Ok(kind)
}

fn check_content_type(headers: &HeaderMap) -> std::result::Result<JsonRequest, RequestRefusal> {
    let mut kinds = headers.get_all(header::CONTENT_TYPE).iter();
    let kind = kinds.next().and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let (kind, parameters) = kind.split_once(';').unwrap_or((kind, ""));
    let kind = match kind.trim() {
        _ if kinds.next().is_some() => None,
        kind if kind.eq_ignore_ascii_case("application/json") => Some(JsonRequest::Unary),
        kind if kind.eq_ignore_ascii_case(STREAM_TYPE) => Some(JsonRequest::Stream),
        _ => None,
    };
    let kind = kind.ok_or_else(|| {
        RequestRefusal::media_type(
            "the content type is not `application/json`",
            "Send `POST` with `content-type: application/json`",
        )
    })?;
    let mut others =
        parameters.split(';').filter_map(charset_parameter).filter(|name| !is_utf8(name));
    if let Some(other) = others.next() {
        let message = format!("the charset is `{}`: JSON is UTF-8", quote(other));
        let error = Error::new(Reason::ArgumentInvalid, message);
        return Err(error
            .with(HINT_KEY, "Send UTF-8, with `content-type: application/json` alone")
            .into());
    }
    Ok(kind)
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

/// Makes a call of gRPC of the head of a unary call in either form, for who calls it with a body of
/// its own. Returns the answer to what is not a call.
pub fn into_grpc(request: &mut Request<Body>) -> Option<Response<Body>> {
    if is_grpc(request.headers()) {
        return None;
    }
    let form = ResponseFormat::from_accept(request.headers());
    match check_request(request) {
        Ok(kind) => {
            rewrite_as_grpc(request, kind);
            None
        }
        Err(refusal) => Some(refusal.into_response(form)),
    }
}

/// A successful answer of gRPC.
pub fn grpc_answer(message: &impl Message) -> Response<Body> {
    let bytes = message.encode_to_vec();
    let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX).to_be_bytes();
    let framed = Bytes::from([&[0_u8][..], &length, &bytes].concat());
    let trailers = HeaderMap::from_iter([(GRPC_STATUS, HeaderValue::from_static("0"))]);
    let body = Full::new(framed).with_trailers(std::future::ready(Some(Ok(trailers))));
    let mut response = Response::new(Body::new(body));
    let kind = HeaderValue::from_static("application/grpc");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}

/// `response`, an answer of gRPC to the unary `command`, in the form that the headers of the call
/// ask for.
pub async fn response_for(
    headers: &HeaderMap,
    command: &'static Command,
    response: Response<Body>,
) -> Response<Body> {
    match is_grpc(headers) {
        true => response,
        false => {
            let form = ResponseFormat::from_accept(headers);
            into_http_response(response, Some(command), form).await
        }
    }
}

/// Makes a call of gRPC of it; its body follows where it is read.
fn rewrite_as_grpc(request: &mut Request<Body>, kind: JsonRequest) {
    *request.version_mut() = Version::HTTP_2;
    request.extensions_mut().insert(kind);
    let headers = request.headers_mut();
    headers.remove(header::CONTENT_LENGTH);
    headers.remove("grpc-encoding");
    headers.remove("grpc-accept-encoding");
    if let Some(timeout) = headers.remove("connect-timeout-ms")
        && !headers.contains_key("grpc-timeout")
    {
        let value = grpc_timeout(&timeout);
        headers.insert("grpc-timeout", value);
    }
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/grpc"));
    headers.insert(header::TE, HeaderValue::from_static("trailers"));
}

/// The same time in the form of gRPC, which has eight digits at most. What is not
/// a number stays as it is: it is refused where timeouts are read.
fn grpc_timeout(milliseconds: &HeaderValue) -> HeaderValue {
    let digits = milliseconds.to_str().ok().filter(|text| {
        (1..=10).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
    });
    let value = match digits.and_then(|text| text.parse::<u64>().ok()) {
        Some(time) if time < 100_000_000 => format!("{time}m"),
        Some(time) => format!("{}S", time.div_ceil(1000)),
        None => return milliseconds.clone(),
    };
    HeaderValue::try_from(value).unwrap_or_else(|_| milliseconds.clone())
}

/// The answer to a call, in the form that its caller asked for.
async fn into_http_response(
    response: Response<Body>,
    command: Option<&'static Command>,
    form: ResponseFormat,
) -> Response<Body> {
    let (parts, body) = response.into_parts();
    let notices = MetadataNotices::from_headers(&parts.headers);
    let mut reply = match (Status::from_header_map(&parts.headers), command) {
        (Some(status), _) if status.code() != tonic::Code::Ok => {
            http_response::error_response(&status, form)
        }
        (_, Some(command)) => match read_message(body).await {
            Ok(message) => http_response::success_response(command, &message, &notices, form),
            Err(status) => http_response::error_response(&status, form),
        },
        (_, None) => http_response::error_response(&unknown_method(), form),
    };
    for name in [metadata::UNTRUSTED, metadata::WARNINGS, metadata::UNSEEN, metadata::NOTICE] {
        if let Some(value) = parts.headers.get(name) {
            reply.headers_mut().insert(name, value.clone());
        }
    }
    reply
}

/// The status for a path that is not in the contract.
pub(super) fn unknown_method() -> Status {
    Status::from(Error::new(Reason::MethodUnknown, "there is no such method"))
}

/// The one message of an answer, or the status that stands in its place.
async fn read_message(body: Body) -> Result<Bytes, Status> {
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

#[cfg(test)]
mod tests {
    use super::{HeaderValue, grpc_timeout};

    #[test]
    fn a_timeout_has_the_form_of_grpc() {
        for (given, expected) in
            [("1", "1m"), ("99999999", "99999999m"), ("9999999999", "10000000S"), ("x", "x")]
        {
            assert_eq!(grpc_timeout(&HeaderValue::from_static(given)), expected);
        }
    }
}
