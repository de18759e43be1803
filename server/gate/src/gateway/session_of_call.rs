//! Which session a call is for. Most say so in a header, two in their message: that is read, and
//! small bodies are kept, so that a call whose pod cannot be reached can be sent again.

use std::time::Duration;

use browse_base::{Error, HINT_KEY, Result};
use browse_fleet::DEVTOOLS_PATH;
use browse_proto::{Command, Reason, metadata};
use bytes::{Buf as _, Bytes};
use futures::{StreamExt as _, stream};
use http::{HeaderMap, Method, Request, Uri, header, request::Parts};
use http_body::{Body as _, Frame};
use http_body_util::{BodyExt as _, BodyStream, Full, StreamBody};
use serde_json::Value;
use tokio::time::timeout;
use tonic::body::Body;

/// Bytes of a body that is kept.
const MAX_KEPT_BYTES: u64 = 256 << 10;

/// Time in which a body that is kept has to come.
const BODY_TIMEOUT: Duration = Duration::from_secs(60);

/// Longest name of a session, in characters.
const MAX_NAME_CHARS: usize = 64;

/// Bytes before a message of gRPC: whether it is compressed, and its length.
const FRAME_BYTES: usize = 5;

/// A call whose session is known.
pub struct CallBody {
    parts: Parts,
    content: Content,
    session: Option<String>,
    is_upgrade: bool,
}

enum Content {
    /// The whole body.
    Kept(Bytes),
    /// A body that is passed on as it comes.
    Streamed(Body),
}

impl CallBody {
    /// Reads what is to be known of a call.
    ///
    /// # Errors
    /// The body broke off; the name of the session is not one, cannot be read, or stands there
    /// twice.
    pub async fn read(command: &Command, request: Request<Body>) -> Result<Self> {
        let (parts, body) = request.into_parts();
        let names_session = matches!(command.name, "session new" | "session close");
        let is_large = body.size_hint().lower() > MAX_KEPT_BYTES;
        let content = match is_large && !names_session {
            true => Content::Streamed(body),
            false => timeout(BODY_TIMEOUT, read_content(body))
                .await
                .map_err(|_| Error::new(Reason::RequestSlow, "the body did not come in time"))??,
        };
        if names_session && matches!(content, Content::Streamed(_)) {
            return Err(Error::new(Reason::RequestInvalid, "the message is too large"));
        }
        // Also where the message names it: the pod reads both.
        let of_header = session_header(&parts.headers)?.map(str::to_owned);
        let session = match (&content, names_session) {
            (Content::Kept(bytes), true) => Some(name_in(&parts.headers, bytes)?),
            _ => of_header,
        };
        if let Some(name) = &session {
            check_name(name)?;
        }
        Ok(Self { parts, content, session, is_upgrade: false })
    }

    /// The request of a client of the DevTools protocol for a WebSocket, in the session that its
    /// path names, else in that of its header.
    ///
    /// # Errors
    /// The name of the session is not one.
    pub fn for_client(request: Request<Body>, named: Option<String>) -> Result<Self> {
        let (mut parts, _) = request.into_parts();
        parts.uri = Uri::from_static(DEVTOOLS_PATH);
        let of_header = header_text(&parts.headers, metadata::SESSION).map(str::to_owned);
        let session = named.or(of_header);
        if let Some(name) = &session {
            check_name(name)?;
        }
        Ok(Self { parts, content: Content::Kept(Bytes::new()), session, is_upgrade: true })
    }

    /// A call of gRPC whose message has no fields, with these headers.
    pub fn without_fields(headers: HeaderMap, path: Uri) -> Self {
        let (mut parts, ()) = Request::new(()).into_parts();
        (parts.method, parts.uri, parts.headers) = (Method::POST, path, headers);
        let content = Content::Kept(Bytes::from_static(&[0; FRAME_BYTES]));
        Self { parts, content, session: None, is_upgrade: false }
    }

    /// Whether it asks for a WebSocket.
    pub fn is_upgrade(&self) -> bool {
        self.is_upgrade
    }

    /// The session that it names.
    pub fn session(&self) -> Option<&str> {
        self.session.as_deref()
    }

    /// Its headers.
    pub fn headers(&self) -> &HeaderMap {
        &self.parts.headers
    }

    /// The request for a pod, and whether it can be made again.
    pub fn next_request(&mut self) -> (Request<Body>, bool) {
        let (body, is_kept) = match &mut self.content {
            Content::Kept(bytes) => (Body::new(Full::new(bytes.clone())), true),
            Content::Streamed(body) => (std::mem::take(body), false),
        };
        let mut request = Request::new(body);
        *request.method_mut() = self.parts.method.clone();
        *request.uri_mut() = self.parts.uri.clone();
        *request.headers_mut() = self.parts.headers.clone();
        (request, is_kept)
    }
}

/// Reads a body that is small; passes on what is larger than that.
async fn read_content(mut body: Body) -> Result<Content> {
    let mut read = Vec::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| Error::new(Reason::RequestInvalid, error.to_string()))?;
        // A request has no trailers that a pod reads.
        let Ok(data) = frame.into_data() else { continue };
        read.extend_from_slice(&data);
        if read.len() as u64 > MAX_KEPT_BYTES {
            let begin = Frame::data(Bytes::from(read));
            let rest = BodyStream::new(body);
            let all = stream::once(async { Ok(begin) }).chain(rest);
            return Ok(Content::Streamed(Body::new(StreamBody::new(all))));
        }
    }
    Ok(Content::Kept(read.into()))
}

fn header_text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// The session that a header names. One that cannot be read is not taken for one that is not there:
/// the call would go to another session. Of two, a proxy may have read the other one.
fn session_header(headers: &HeaderMap) -> Result<Option<&str>> {
    let invalid = |why: &str| {
        let message = format!("the header `{}` {why}", metadata::SESSION);
        Error::new(Reason::ArgumentInvalid, message)
            .with("command", "session")
            .with(HINT_KEY, "Send it once, with letters, digits, `-`, `_` and `.`")
    };
    let mut values = headers.get_all(metadata::SESSION).iter();
    let Some(value) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return Err(invalid("stands there more than once"));
    }
    value.to_str().map(Some).map_err(|_| invalid("holds what is not text"))
}

/// The field `name` of a message, in gRPC or JSON. Another form is refused: the pod could read
/// another name in it.
fn name_in(headers: &HeaderMap, bytes: &Bytes) -> Result<String> {
    let invalid = |why: &str| Error::new(Reason::RequestInvalid, why.to_owned());
    let kind = header_text(headers, header::CONTENT_TYPE.as_str()).unwrap_or_default();
    match kind.split(';').next().unwrap_or_default().trim_end() {
        "application/json" => {
            let document: Value = serde_json::from_slice(bytes)
                .map_err(|error| invalid(&format!("the body is not JSON: {error}")))?;
            let name = document.get("name").and_then(Value::as_str);
            name.map(str::to_owned).ok_or_else(|| invalid("the message has no `name`"))
        }
        "application/grpc" | "application/grpc+proto" => name_in_frame(bytes.clone())
            .ok_or_else(|| invalid("the body is not one message of gRPC, uncompressed")),
        _ => Err(invalid("send it as `application/json` or `application/grpc`")),
    }
}

/// The first field of the only message of a body. Both messages have their name there.
fn name_in_frame(mut bytes: Bytes) -> Option<String> {
    #[derive(prost::Message)]
    struct Named {
        #[prost(string, tag = "1")]
        name: String,
    }
    if bytes.len() < FRAME_BYTES || bytes.get_u8() != 0 {
        return None;
    }
    let length = usize::try_from(bytes.get_u32()).ok()?;
    if bytes.len() != length {
        return None;
    }
    <Named as prost::Message>::decode(bytes).ok().map(|named| named.name)
}

/// Refuses what the daemon would refuse, before it becomes a key of the fleet.
fn check_name(name: &str) -> Result<()> {
    let is_good = (1..=MAX_NAME_CHARS).contains(&name.chars().count())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
    if is_good {
        return Ok(());
    }
    let shown: String = name.chars().take(80).collect();
    let message = format!("`{}` does not name a session", shown.escape_debug());
    Err(Error::new(Reason::ArgumentInvalid, message).with("command", "session"))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;
    use prost::Message as _;

    use super::*;

    async fn read(
        command: &str,
        kind: &str,
        body: Vec<u8>,
        session: Option<&str>,
    ) -> Result<Option<String>> {
        let command = Command::by_name(command).expect("a command");
        let mut request = Request::post(command.path).header("content-type", kind);
        if let Some(session) = session {
            request = request.header(metadata::SESSION, session);
        }
        let request = request.body(Body::new(Full::from(body))).expect("a request");
        CallBody::read(command, request).await.map(|call| call.session().map(str::to_owned))
    }

    #[tokio::test]
    async fn a_session_is_named_by_a_header_or_by_the_message() {
        let json = |text: &str| text.as_bytes().to_vec();
        let read_json =
            |command, text, session| read(command, "application/json", json(text), session);
        let found = read_json("click", r#"{"target":"@e1"}"#, Some("work")).await;
        assert_eq!(found.expect("a call").as_deref(), Some("work"));
        let found = read_json("session new", r#"{"name":"work"}"#, Some("other")).await;
        assert_eq!(found.expect("a call").as_deref(), Some("work"));
        assert_eq!(read_json("click", "{}", None).await.expect("a call"), None);
        for bad in ["", "a b", "../x", &"x".repeat(65)] {
            assert!(read_json("click", "{}", Some(bad)).await.is_err(), "{bad:?}");
        }
        // What cannot be read is not what is not there.
        for values in [&[&b"w\xf6rk"[..]][..], &["w\u{f6}rk".as_bytes()], &[&b"work"[..], b"other"]]
        {
            for (name, text) in [("click", "{}"), ("session new", r#"{"name":"work"}"#)] {
                let command = Command::by_name(name).expect("a command");
                let request =
                    Request::post(command.path).header("content-type", "application/json");
                let request = values.iter().fold(request, |request, value| {
                    let value = HeaderValue::from_bytes(value).expect("a header");
                    request.header(metadata::SESSION, value)
                });
                let request = request.body(Body::new(Full::from(text))).expect("a request");
                let error = CallBody::read(command, request).await.map(drop).expect_err(name);
                assert_eq!(error.reason(), Reason::ArgumentInvalid, "{name} {values:?}");
            }
        }
        let message = browse_proto::v1::CloseSessionRequest { name: "work".into(), forget: true };
        let message = message.encode_to_vec();
        let mut frame = vec![0, 0, 0, 0, u8::try_from(message.len()).expect("short")];
        frame.extend(message);
        let found = read("session close", "application/grpc", frame, None).await;
        assert_eq!(found.expect("a call").as_deref(), Some("work"));
        let frame = |kind| read("session close", kind, vec![0, 0, 0, 9, 9], Some("work"));
        for kind in
            ["application/grpc", "application/grpc-web-text", "Application/grpc", "text/plain"]
        {
            assert!(frame(kind).await.is_err(), "{kind}");
        }
    }
}
