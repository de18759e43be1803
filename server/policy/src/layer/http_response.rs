//! An answer for callers without gRPC: the message as JSON or as the text that the
//! command line prints, the bytes of a file, or an error of the Connect protocol.

use base64::{Engine as _, engine::general_purpose::STANDARD_NO_PAD};
use browse_proto::{
    Command, FieldType, Reason,
    render::{self, Untrusted},
    wire,
};
use http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use http_body_util::Full;
use prost::Message as _;
use serde_json::{Map, Value, json};
use tonic::{Code, Status, body::Body};
use tonic_types::Status as RichStatus;

use super::json_notices::MetadataNotices;
use browse_base::{ERROR_DOMAIN, Error, HINT_KEY};

/// What a caller wants to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResponseFormat {
    /// The message as JSON.
    Json,
    /// The text that the command line prints.
    Text,
    /// The bytes that a command saves.
    Bytes,
}

impl ResponseFormat {
    /// What the `Accept` header asks for; JSON unless it says.
    pub fn from_accept(headers: &HeaderMap) -> Self {
        let accept = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok());
        for kind in accept.unwrap_or_default().split(',') {
            match kind.split(';').next().unwrap_or_default().trim() {
                "text/plain" | "text/*" => return Self::Text,
                "application/json" | "*/*" => return Self::Json,
                "application/octet-stream" => return Self::Bytes,
                kind if kind.starts_with("image/") => return Self::Bytes,
                _ => {}
            }
        }
        Self::Json
    }
}

/// The answer of `command`.
pub fn success_response(
    command: &'static Command,
    message: &[u8],
    notices: &MetadataNotices,
    form: ResponseFormat,
) -> Response<Body> {
    match (form, command.save) {
        (ResponseFormat::Json, _) => match message_json(command, message, notices) {
            Ok(document) => json_response(StatusCode::OK, document),
            Err(status) => error_response(&status, form),
        },
        (ResponseFormat::Text, None) => match wire::decode(command.response, message) {
            Ok(response) => {
                let untrusted = notices.untrusted.as_ref();
                text_response(StatusCode::OK, render::answer_text(command, &response, untrusted))
            }
            Err(error) => error_response(&unreadable(&error), form),
        },
        (ResponseFormat::Bytes, Some(index)) => bytes_response(command, index, message),
        (ResponseFormat::Text, Some(_)) => {
            wrong_format(command, "bytes: ask for `accept: image/*` or JSON")
        }
        (ResponseFormat::Bytes, None) => {
            wrong_format(command, "text: ask for `accept: text/plain` or JSON")
        }
    }
}

/// One message of `command` as a JSON document, with what its reader is to know.
///
/// # Errors
/// The bytes are not such a message.
pub fn message_json(
    command: &'static Command,
    message: &[u8],
    notices: &MetadataNotices,
) -> Result<String, Status> {
    let before = notices.members();
    let mut out = String::with_capacity(message.len() * 4 / 3 + before.len() + 64);
    out.push('{');
    out.push_str(&before);
    let begin = out.len();
    wire::write_members(&mut out, command.response, message).map_err(|error| unreadable(&error))?;
    if out.len() == begin && out.ends_with(',') {
        out.pop();
    }
    out.push('}');
    Ok(out)
}

fn unreadable(error: &wire::WireError) -> Status {
    Status::from(Error::new(Reason::Bug, format!("the answer cannot be read: {error}")))
}

fn wrong_format(command: &Command, what: &str) -> Response<Body> {
    let message = format!("`{}` answers with {what}", command.name);
    error_response(&Status::from(Error::new(Reason::RequestInvalid, message)), ResponseFormat::Json)
}

fn bytes_response(command: &Command, index: usize, message: &[u8]) -> Response<Body> {
    let field = &command.response.fields[index];
    let plain = matches!(field.kind, FieldType::Bytes) && !field.repeated;
    match wire::bytes_field(message, field.number) {
        Ok(content) if plain => {
            build_response(StatusCode::OK, "application/octet-stream", content.to_vec())
        }
        _ => wrong_format(command, "several files: ask for JSON"),
    }
}

/// The answer to a call that failed.
pub fn error_response(status: &Status, form: ResponseFormat) -> Response<Body> {
    let reported = ErrorDocument::from_status(status);
    let code = http_status(status.code(), reported.reason);
    let mut reply = match form {
        ResponseFormat::Text => text_response(code, reported.to_text()),
        ResponseFormat::Json | ResponseFormat::Bytes => {
            json_response(code, error_json(status).to_string())
        }
    };
    if let Some(wait) = reported.retry_after() {
        reply.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(wait));
    }
    if reported.reason == Reason::RequestInvalid {
        reply.headers_mut().insert(header::ALLOW, HeaderValue::from_static("POST"));
    }
    reply
}

/// The answer to a call that failed, in the form that its headers ask for.
pub fn error_reply(headers: &HeaderMap, error: Error) -> Response<Body> {
    let kind = headers.get(header::CONTENT_TYPE).map_or(&b""[..], HeaderValue::as_bytes);
    let status = Status::from(error);
    match kind.starts_with(b"application/grpc") {
        true => status.into_http(),
        false => error_response(&status, ResponseFormat::from_accept(headers)),
    }
}

/// The answer to a request that failed before it was a call.
pub fn json_error(error: Error) -> Response<Body> {
    error_response(&Status::from(error), ResponseFormat::Json)
}

/// A failed call as an error of the Connect protocol. Each detail has its protobuf
/// form as `value`, and what it says as `debug`.
pub fn error_json(status: &Status) -> Value {
    let reported = ErrorDocument::from_status(status);
    let rich = RichStatus::decode(status.details()).unwrap_or_default();
    let mut details: Vec<_> = rich.details.iter().map(|any| reported.detail(any)).collect();
    if details.is_empty() {
        // Failures of tonic's own making have none.
        let error = Error::new(reported.reason, reported.message.clone());
        let rich = RichStatus::decode(Status::from(error).details()).unwrap_or_default();
        details = rich.details.iter().map(|any| reported.detail(any)).collect();
    }
    let mut error = json!({
        "code": connect_code(status.code()), "message": reported.message, "details": details,
    });
    if let Some(untrusted) = reported.untrusted.filter(|_| !reported.page_quotes.is_empty()) {
        error["untrusted"] = untrusted.json();
    }
    error
}

/// The name of a code in the Connect protocol.
fn connect_code(code: Code) -> &'static str {
    match code {
        Code::Cancelled => "canceled",
        Code::InvalidArgument => "invalid_argument",
        Code::DeadlineExceeded => "deadline_exceeded",
        Code::NotFound => "not_found",
        Code::AlreadyExists => "already_exists",
        Code::PermissionDenied => "permission_denied",
        Code::ResourceExhausted => "resource_exhausted",
        Code::FailedPrecondition => "failed_precondition",
        Code::Aborted => "aborted",
        Code::OutOfRange => "out_of_range",
        Code::Unimplemented => "unimplemented",
        Code::Internal => "internal",
        Code::Unavailable => "unavailable",
        Code::DataLoss => "data_loss",
        Code::Unauthenticated => "unauthenticated",
        Code::Ok | Code::Unknown => "unknown",
    }
}

/// What a status tells.
struct ErrorDocument {
    reason: Reason,
    message: String,
    hint: String,
    metadata: Map<String, Value>,
    /// What a page chose: pairs of what it is and what it says.
    page_quotes: Vec<(String, String)>,
    untrusted: Option<Untrusted>,
}

impl ErrorDocument {
    fn from_status(status: &Status) -> Self {
        let info = wire::error_info(status.details()).unwrap_or_default();
        let reason = Reason::by_name(&info.reason).unwrap_or(match status.code() {
            Code::Unimplemented => Reason::MethodUnknown,
            _ => Reason::Bug,
        });
        let mut values = info.metadata;
        let hint = values.remove(HINT_KEY);
        let hint = hint.unwrap_or_else(|| reason.rule().hint_with(|key| values.get(key).cloned()));
        let metadata = values.into_iter().map(|(key, value)| (key, Value::from(value))).collect();
        let page = wire::error_page(status.details());
        let untrusted = MetadataNotices::from_headers(status.metadata().as_ref()).untrusted;
        Self {
            reason,
            message: status.message().to_owned(),
            hint,
            metadata,
            page_quotes: page,
            untrusted,
        }
    }

    /// One detail of the status.
    fn detail(&self, any: &prost_types::Any) -> Value {
        let kind = any.type_url.rsplit('/').next().unwrap_or_default();
        let debug = match kind {
            "google.rpc.ErrorInfo" => json!({
                "reason": self.reason.name(), "hint": self.hint, "domain": ERROR_DOMAIN,
                "metadata": self.metadata,
            }),
            "browse.v1.ErrorPage" => json!({ "page": render::quotes_json(&self.page_quotes) }),
            _ => Value::Null,
        };
        json!({ "type": kind, "value": STANDARD_NO_PAD.encode(&any.value), "debug": debug })
    }

    fn to_text(&self) -> String {
        let plain = |text: &str| -> String {
            text.chars().map(|c| if c.is_control() && c != '\n' { ' ' } else { c }).collect()
        };
        let mut text = format!("error: {}\nhint: {}\n", plain(&self.message), plain(&self.hint));
        text += &render::quotes_text(&self.page_quotes, self.untrusted.as_ref());
        text
    }

    /// Whole seconds, rounded up.
    fn retry_after(&self) -> Option<u64> {
        let wait: u64 = self.metadata.get("retry_ms")?.as_str()?.parse().ok()?;
        Some(wait.div_ceil(1000).max(1))
    }
}

fn http_status(code: Code, reason: Reason) -> StatusCode {
    match (code, reason) {
        (_, Reason::RequestInvalid) => StatusCode::METHOD_NOT_ALLOWED,
        (_, Reason::RequestSlow) => StatusCode::REQUEST_TIMEOUT,
        (_, Reason::TooLarge) => StatusCode::PAYLOAD_TOO_LARGE,
        (Code::Ok, _) => StatusCode::OK,
        (Code::InvalidArgument, _) => StatusCode::BAD_REQUEST,
        (Code::Unauthenticated, _) => StatusCode::UNAUTHORIZED,
        (Code::PermissionDenied, _) => StatusCode::FORBIDDEN,
        (Code::NotFound, _) => StatusCode::NOT_FOUND,
        (Code::AlreadyExists | Code::Aborted, _) => StatusCode::CONFLICT,
        (Code::FailedPrecondition | Code::OutOfRange, _) => StatusCode::BAD_REQUEST,
        (Code::ResourceExhausted, _) => StatusCode::TOO_MANY_REQUESTS,
        (Code::Unimplemented, _) => StatusCode::NOT_IMPLEMENTED,
        (Code::Unavailable, _) => StatusCode::SERVICE_UNAVAILABLE,
        (Code::DeadlineExceeded, _) => StatusCode::GATEWAY_TIMEOUT,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

fn json_response(code: StatusCode, document: String) -> Response<Body> {
    build_response(code, "application/json", (document + "\n").into_bytes())
}

fn text_response(code: StatusCode, text: String) -> Response<Body> {
    build_response(code, "text/plain; charset=utf-8", text.into_bytes())
}

fn build_response(code: StatusCode, kind: &'static str, body: Vec<u8>) -> Response<Body> {
    let mut reply = Response::new(Body::new(Full::new(bytes::Bytes::from(body))));
    *reply.status_mut() = code;
    let headers = reply.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    reply
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_is_asked_for() {
        let of = |accept: &str| {
            let headers = HeaderMap::from_iter([(header::ACCEPT, accept.parse().expect("text"))]);
            ResponseFormat::from_accept(&headers)
        };
        assert_eq!(ResponseFormat::from_accept(&HeaderMap::new()), ResponseFormat::Json);
        for (accept, form) in [
            ("*/*", ResponseFormat::Json),
            ("text/plain", ResponseFormat::Text),
            ("text/plain;q=0.9, application/json", ResponseFormat::Text),
            ("application/json, text/plain", ResponseFormat::Json),
            ("image/png", ResponseFormat::Bytes),
            ("text/html", ResponseFormat::Json),
        ] {
            assert_eq!(of(accept), form, "{accept}");
        }
    }

    #[test]
    fn the_guide_has_every_reason_with_the_code_that_it_is_answered_with() {
        let guide = include_str!("../../../../docs/remote-access.md");
        let rows = guide.lines().filter_map(|line| {
            let mut cells = line.strip_prefix("| ")?.split(" | ");
            let (code, name, advice) = (cells.next()?, cells.next()?, cells.next()?);
            let reason = Reason::by_name(name.strip_prefix('`')?.strip_suffix('`')?)?;
            Some((reason, code, advice))
        });
        let rows: Vec<_> = rows.collect();
        for (reason, code, advice) in &rows {
            assert!(advice.len() > 10, "{reason:?}");
            let status = Status::from(Error::new(*reason, "refused"));
            // The others are of the owner, or of the client alone.
            if *code != "–" {
                let answered = http_status(status.code(), *reason).as_u16().to_string();
                assert_eq!(&answered, code, "{reason:?}");
            }
        }
        let policy = ["TOKEN_MISSING", "TOKEN_INVALID", "TOKEN_REVOKED", "SCOPE_DENIED"];
        let more = ["TUNNEL_DENIED", "HOST_DENIED", "TAB_DENIED", "ORIGIN_DENIED", "TOO_LARGE"];
        let of_pairing = Reason::all().iter().map(|rule| rule.reason).filter(|reason| {
            let number = *reason as i32;
            (390..=402).contains(&number) || (420..=444).contains(&number)
        });
        let named = policy.into_iter().chain(more).filter_map(Reason::by_name);
        for reason in of_pairing.chain(named) {
            let found = rows.iter().filter(|(row, ..)| *row == reason).count();
            assert_eq!(found, 1, "docs/remote-access.md: {}", reason.name());
        }
    }

    #[test]
    fn a_failure_says_what_to_do_and_when() {
        let error = Error::new(Reason::RateLimited, "too many calls").with("retry_ms", 1200);
        let reply = error_response(&Status::from(error), ResponseFormat::Json);
        assert_eq!(reply.status(), StatusCode::TOO_MANY_REQUESTS);
        assert_eq!(reply.headers()[header::RETRY_AFTER], "2");
        let reported = ErrorDocument::from_status(&Status::from(Error::new(
            Reason::RefStale,
            "it\x1b is gone",
        )));
        assert!(
            reported.to_text().starts_with("error: it  is gone\nhint: "),
            "{}",
            reported.to_text()
        );
        let error = error_json(&Status::from(Error::new(Reason::RefStale, "gone")));
        assert_eq!(error["code"], "failed_precondition");
        assert_eq!(error["details"][0]["type"], "google.rpc.ErrorInfo");
        let debug = &error["details"][0]["debug"];
        assert_eq!((&debug["reason"], &debug["domain"]), (&json!("REF_STALE"), &json!("browse")));
        assert!(debug["hint"].as_str().is_some_and(|hint| !hint.is_empty()));
        let bare = error_json(&Status::unimplemented("no"));
        assert_eq!(bare["details"][0]["debug"]["reason"], "METHOD_UNKNOWN");
    }
}
