//! An answer for callers without gRPC: the documents and texts that the command
//! line prints.

use browse_proto::{
    Command, Kind, Reason,
    render::{self, Untrusted},
    wire,
};
use http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use http_body_util::Full;
use serde_json::{Map, Value, json};
use tonic::{Code, Status, body::Body};

use crate::error::{Error, HINT_KEY};

/// What a caller wants to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResponseFormat {
    /// The document that `--json` prints.
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
    untrusted: Option<Untrusted>,
    form: ResponseFormat,
) -> Response<Body> {
    let response = match wire::decode(command.response, message) {
        Ok(response) => response,
        Err(error) => {
            let error = Error::new(Reason::Bug, format!("the answer cannot be read: {error}"));
            return error_response(&Status::from(error), form);
        }
    };
    let untrusted = untrusted.as_ref();
    match (form, command.save) {
        (ResponseFormat::Json, _) => {
            let result = render::result_json(command, &response);
            json_response(StatusCode::OK, render::document_json(&result, untrusted))
        }
        (ResponseFormat::Text, None) => {
            let text = render::answer_text(command, &response, untrusted);
            text_response(StatusCode::OK, text)
        }
        (ResponseFormat::Bytes, Some(index)) => bytes_response(command, index, message),
        (ResponseFormat::Text, Some(_)) => {
            wrong_format(command, "bytes: ask for `accept: image/*` or JSON")
        }
        (ResponseFormat::Bytes, None) => {
            wrong_format(command, "text: ask for `accept: text/plain` or JSON")
        }
    }
}

fn wrong_format(command: &Command, what: &str) -> Response<Body> {
    let message = format!("`{}` answers with {what}", command.name);
    error_response(&Status::from(Error::new(Reason::RequestInvalid, message)), ResponseFormat::Json)
}

fn bytes_response(command: &Command, index: usize, message: &[u8]) -> Response<Body> {
    let field = &command.response.fields[index];
    let plain = matches!(field.kind, Kind::Bytes) && !field.repeated;
    match wire::bytes_field(message, field.number) {
        Ok(content) if plain => {
            build_response(StatusCode::OK, "application/octet-stream", content.to_vec())
        }
        _ => wrong_format(command, "several files: ask for JSON"),
    }
}

/// The answer to a call that failed.
pub fn error_response(status: &Status, form: ResponseFormat) -> Response<Body> {
    let told = ErrorDocument::from_status(status);
    let code = http_status(status.code(), told.reason);
    let mut reply = match form {
        ResponseFormat::Text => text_response(code, told.to_text()),
        ResponseFormat::Json | ResponseFormat::Bytes => json_response(code, told.to_json()),
    };
    if let Some(wait) = told.retry_after() {
        reply.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(wait));
    }
    if told.reason == Reason::RequestInvalid {
        reply.headers_mut().insert(header::ALLOW, HeaderValue::from_static("POST"));
    }
    reply
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
        let untrusted = super::json::untrusted_of_headers(status.metadata().as_ref());
        Self {
            reason,
            message: status.message().to_owned(),
            hint,
            metadata,
            page_quotes: page,
            untrusted,
        }
    }

    fn to_json(&self) -> String {
        let Self { reason, message, hint, metadata, page_quotes: page, untrusted } = self;
        let mut error = json!({
            "reason": reason.name(), "message": message, "hint": hint, "metadata": metadata,
        });
        if !page.is_empty() {
            error["page"] = render::quotes_json(page);
            if let Some(untrusted) = untrusted {
                error["untrusted"] = untrusted.json();
            }
        }
        json!({ "error": error }).to_string()
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
        if self.reason != Reason::RateLimited {
            return None;
        }
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
        (Code::FailedPrecondition, _) => StatusCode::UNPROCESSABLE_ENTITY,
        (Code::ResourceExhausted, _) => StatusCode::TOO_MANY_REQUESTS,
        (Code::Unimplemented, _) => StatusCode::NOT_FOUND,
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
        let told = ErrorDocument::from_status(&Status::from(Error::new(
            Reason::RefStale,
            "it\x1b is gone",
        )));
        assert!(told.to_text().starts_with("error: it  is gone\nhint: "), "{}", told.to_text());
        assert!(told.to_json().contains("\"reason\":\"REF_STALE\""));
    }
}
