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

use crate::error::{Error, HINT};

/// What a caller wants to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The document that `--json` prints.
    Json,
    /// The text that the command line prints.
    Text,
    /// The bytes that a command saves.
    Bytes,
}

impl Form {
    /// What the `Accept` header asks for; JSON unless it says.
    pub fn of(headers: &HeaderMap) -> Self {
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
pub fn success(
    command: &'static Command,
    message: &[u8],
    untrusted: Option<Untrusted>,
    form: Form,
) -> Response<Body> {
    let response = match wire::decode(command.response, message) {
        Ok(response) => response,
        Err(error) => {
            let error = Error::new(Reason::Bug, format!("the answer cannot be read: {error}"));
            return failure(&Status::from(error), form);
        }
    };
    let untrusted = untrusted.as_ref();
    match (form, command.save) {
        (Form::Json, _) => {
            let result = render::result_json(command, &response);
            json_reply(StatusCode::OK, render::document_json(&result, untrusted))
        }
        (Form::Text, None) => {
            let text = render::answer_text(command, &response, untrusted);
            text_reply(StatusCode::OK, text)
        }
        (Form::Bytes, Some(index)) => bytes(command, index, message),
        (Form::Text, Some(_)) => wrong_form(command, "bytes: ask for `accept: image/*` or JSON"),
        (Form::Bytes, None) => wrong_form(command, "text: ask for `accept: text/plain` or JSON"),
    }
}

fn wrong_form(command: &Command, what: &str) -> Response<Body> {
    let message = format!("`{}` answers with {what}", command.name);
    failure(&Status::from(Error::new(Reason::RequestInvalid, message)), Form::Json)
}

fn bytes(command: &Command, index: usize, message: &[u8]) -> Response<Body> {
    let field = &command.response.fields[index];
    let plain = matches!(field.kind, Kind::Bytes) && !field.repeated;
    match wire::bytes(message, field.number) {
        Ok(content) if plain => reply(StatusCode::OK, "application/octet-stream", content.to_vec()),
        _ => wrong_form(command, "several files: ask for JSON"),
    }
}

/// The answer to a call that failed.
pub fn failure(status: &Status, form: Form) -> Response<Body> {
    let told = Told::of(status);
    let code = http_code(status.code(), told.reason);
    let mut reply = match form {
        Form::Text => text_reply(code, told.text()),
        Form::Json | Form::Bytes => json_reply(code, told.document()),
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
struct Told {
    reason: Reason,
    message: String,
    hint: String,
    metadata: Map<String, Value>,
    /// What a page chose: pairs of what it is and what it says.
    page: Vec<(String, String)>,
    untrusted: Option<Untrusted>,
}

impl Told {
    fn of(status: &Status) -> Self {
        let info = wire::error_info(status.details()).unwrap_or_default();
        let reason = Reason::by_name(&info.reason).unwrap_or(match status.code() {
            Code::Unimplemented => Reason::MethodUnknown,
            _ => Reason::Bug,
        });
        let mut values = info.metadata;
        let hint = values.remove(HINT);
        let hint = hint.unwrap_or_else(|| reason.rule().hint_with(|key| values.get(key).cloned()));
        let metadata = values.into_iter().map(|(key, value)| (key, Value::from(value))).collect();
        let page = wire::error_page(status.details());
        let untrusted = super::json::untrusted(status.metadata().as_ref());
        Self { reason, message: status.message().to_owned(), hint, metadata, page, untrusted }
    }

    fn document(&self) -> String {
        let Self { reason, message, hint, metadata, page, untrusted } = self;
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

    fn text(&self) -> String {
        let plain = |text: &str| -> String {
            text.chars().map(|c| if c.is_control() && c != '\n' { ' ' } else { c }).collect()
        };
        let mut text = format!("error: {}\nhint: {}\n", plain(&self.message), plain(&self.hint));
        text += &render::quotes_text(&self.page, self.untrusted.as_ref());
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

fn http_code(code: Code, reason: Reason) -> StatusCode {
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

fn json_reply(code: StatusCode, document: String) -> Response<Body> {
    reply(code, "application/json", (document + "\n").into_bytes())
}

fn text_reply(code: StatusCode, text: String) -> Response<Body> {
    reply(code, "text/plain; charset=utf-8", text.into_bytes())
}

fn reply(code: StatusCode, kind: &'static str, body: Vec<u8>) -> Response<Body> {
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
            Form::of(&headers)
        };
        assert_eq!(Form::of(&HeaderMap::new()), Form::Json);
        for (accept, form) in [
            ("*/*", Form::Json),
            ("text/plain", Form::Text),
            ("text/plain;q=0.9, application/json", Form::Text),
            ("application/json, text/plain", Form::Json),
            ("image/png", Form::Bytes),
            ("text/html", Form::Json),
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
                let answered = http_code(status.code(), *reason).as_u16().to_string();
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
        let reply = failure(&Status::from(error), Form::Json);
        assert_eq!(reply.status(), StatusCode::TOO_MANY_REQUESTS);
        assert_eq!(reply.headers()[header::RETRY_AFTER], "2");
        let told = Told::of(&Status::from(Error::new(Reason::RefStale, "it\x1b is gone")));
        assert!(told.text().starts_with("error: it  is gone\nhint: "), "{}", told.text());
        assert!(told.document().contains("\"reason\":\"REF_STALE\""));
    }
}
