//! Laws over the registry: what gRPC says of an answer in metadata, JSON says in the
//! body, whatever the command; and an error is the same in both.

use std::{convert::Infallible, sync::Arc};

use browse_base::Error;
use browse_policy::{
    Authority, Listener,
    layer::{LayerConfig, OriginCheck, with_gate},
};
use browse_proto::{Command, Field, FieldType, MessageType, Reason, metadata, wire};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Request, Response, header};
use http_body_util::{BodyExt as _, Full, StreamBody};
use hyper::body::Frame;
use serde_json::{Map, Value, json};
use tonic::{Status, body::Body};
use tower::{ServiceExt as _, service_fn};

const NOTICE: &str = "saved; look again";
const WARNING: &str = "it asks for a password";

/// A response of `message` whose texts are `text`, where `wants` says so.
fn filled(
    message: &'static MessageType,
    wants: fn(&Field) -> bool,
    level: usize,
) -> Map<String, Value> {
    let mut fields = Map::new();
    for field in message.fields {
        let value = match &field.kind {
            FieldType::String if wants(field) => json!("text"),
            FieldType::Bytes if wants(field) => json!(wire::base64::encode(b"text")),
            FieldType::Message(of) if level < 6 => Value::Object(filled(of, wants, level + 1)),
            _ => continue,
        };
        let value = if field.repeated { json!([value]) } else { value };
        fields.insert(field.name.to_owned(), value);
    }
    fields
}

fn frame_of(message: &[u8]) -> Bytes {
    let length = u32::try_from(message.len()).expect("it is short").to_be_bytes();
    [&[0], &length[..], message].concat().into()
}

fn entries(of: &[(&'static str, &str)]) -> HeaderMap {
    let entry = |(name, value): &(&'static str, &str)| {
        (header::HeaderName::from_static(name), HeaderValue::from_str(value).expect("ASCII"))
    };
    of.iter().map(entry).collect()
}

/// The answer to a call of `command` in JSON by root, whose handler answers `response`.
async fn call(
    command: &'static Command,
    response: impl Fn() -> Response<Body> + Clone + Send + Sync + 'static,
) -> Response<Body> {
    let authority = Arc::new(Authority::new().expect("there are random numbers"));
    let bearer = format!("Bearer {}", authority.root_token());
    let gate = LayerConfig {
        listener: Listener::Local,
        authority,
        origin: OriginCheck::Any,
        refusals: Arc::new(|refused| panic!("{refused:?}")),
    };
    let service = service_fn(move |_: Request<Body>| {
        let response = response();
        async move { Ok::<_, Infallible>(response) }
    });
    let (kind, body) = match command.streaming {
        true => ("application/connect+json", &b"\0\0\0\0\x02{}"[..]),
        false => ("application/json", &b"{}"[..]),
    };
    let request = Request::post(command.path)
        .header("content-type", kind)
        .header("authorization", bearer)
        .body(Body::new(Full::from(body)))
        .expect("it is well formed");
    with_gate(gate, service).oneshot(request).await.expect("it is infallible")
}

/// The body of the answer of `command` with these headers and trailers, in JSON.
async fn answered(
    command: &'static Command,
    messages: &[Vec<u8>],
    headers: HeaderMap,
    trailers: HeaderMap,
) -> Bytes {
    let messages: Vec<_> = messages.iter().map(|message| frame_of(message)).collect();
    let response = call(command, move || {
        let mut ended = trailers.clone();
        ended.insert("grpc-status", HeaderValue::from_static("0"));
        let data = messages.iter().cloned().map(|data| Ok::<_, Infallible>(Frame::data(data)));
        let all: Vec<_> = data.chain([Ok(Frame::trailers(ended))]).collect();
        let mut response = Response::new(Body::new(StreamBody::new(futures::stream::iter(all))));
        *response.headers_mut() = headers.clone();
        response
    });
    let response = response.await;
    assert_eq!(response.status(), 200, "{}", command.name);
    response.into_body().collect().await.expect("a body").to_bytes()
}

/// The flags and documents of a stream.
fn documents(mut bytes: &[u8]) -> Vec<(u8, Value)> {
    let mut found = Vec::new();
    while let Some((head, rest)) = bytes.split_first_chunk::<5>() {
        let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize;
        found.push((head[0], serde_json::from_slice(&rest[..length]).expect("JSON")));
        bytes = &rest[length..];
    }
    found
}

#[tokio::test]
async fn what_a_page_wrote_is_marked_in_the_body_of_every_answer() {
    let warnings = "it%20asks%20for%20a%20password";
    let notice = "saved%3B%20look%20again";
    let headers = [
        (metadata::UNTRUSTED, "abc example.com"),
        (metadata::WARNINGS, warnings),
        (metadata::UNSEEN, "colour=2"),
        (metadata::NOTICE, notice),
    ];
    let untrusted = json!({
        "nonce": "abc", "source": "example.com", "warnings": [WARNING], "unseen": {"colour": 2},
    });
    let (mut pages, mut streams) = (0, 0);
    for command in Command::all() {
        let fields = filled(command.response, |field| field.page, 0);
        let page = wire::encode(command.response, &fields).expect("a response");
        let own = wire::encode(command.response, &filled(command.response, |f| !f.page, 0));
        let own = own.expect("a response");
        let is_page = wire::holds_page_content(command.response, &page).expect("a message");
        assert_eq!(is_page, command.response.has_page_content(), "{}", command.name);
        assert!(!wire::holds_page_content(command.response, &own).expect("a message"));
        pages += usize::from(is_page);
        if !command.streaming {
            let body = answered(command, &[page], entries(&headers), HeaderMap::new()).await;
            let body: Value = serde_json::from_slice(&body).expect("JSON");
            assert_eq!(body["untrusted"], untrusted, "{}", command.name);
            assert_eq!(body["notices"], json!([NOTICE]), "{}", command.name);
            continue;
        }
        streams += 1;
        let trailers = [(metadata::UNTRUSTED, "def example.org"), (metadata::NOTICE, notice)];
        let messages = [own, page.clone(), page];
        let body = answered(command, &messages, entries(&headers), entries(&trailers)).await;
        let [first, second, third, end] = &documents(&body)[..] else { panic!("{body:?}") };
        assert_eq!([first.0, second.0, third.0, end.0], [0, 0, 0, 2]);
        // Notices come once, what is trusted is not marked, and each page is.
        assert_eq!(first.1["notices"], json!([NOTICE]), "{}", command.name);
        assert_eq!(first.1.get("untrusted"), None, "{}", command.name);
        if is_page {
            assert_eq!(second.1["untrusted"], untrusted, "{}", command.name);
            let rest = json!({"nonce": "abc", "source": "example.com"});
            assert_eq!(third.1["untrusted"], rest, "{}", command.name);
        }
        assert_eq!(end.1["untrusted"]["nonce"], "def", "{}", command.name);
        assert_eq!(end.1["notices"], json!([NOTICE]), "{}", command.name);
        assert_eq!(end.1["metadata"][metadata::NOTICE], json!([notice]), "{}", command.name);
    }
    assert!(pages > 60 && streams > 8, "{pages} pages, {streams} streams");
}

#[tokio::test]
async fn an_error_says_the_same_in_json_and_in_grpc() {
    let commands = ["text", "watch"].map(|name| Command::by_name(name).expect("a command"));
    for rule in Reason::all() {
        let error = Error::new(rule.reason, "it is so").with("ref", "@e3");
        let status = Status::from(error.with_quote("cover", "dialog"));
        for command in commands {
            let sent = status.clone();
            let response = call(command, move || sent.clone().into_http()).await;
            let is_ok = response.status() == 200;
            assert_eq!(is_ok, command.streaming, "{}", rule.reason.name());
            let body = response.into_body().collect().await.expect("a body").to_bytes();
            let json = match command.streaming {
                true => documents(&body).pop().expect("an end").1["error"].clone(),
                false => serde_json::from_slice(&body).expect("JSON"),
            };
            same_error(&json, &status);
        }
    }
}

fn same_error(json: &Value, status: &Status) {
    let info = wire::error_info(status.details()).expect("an error carries its reason");
    let [first, page] = json["details"].as_array().expect("details").as_slice() else {
        panic!("{json}")
    };
    assert_eq!(first["type"], "google.rpc.ErrorInfo");
    assert_eq!(first["debug"]["reason"], info.reason);
    assert_eq!(first["debug"]["domain"], info.domain);
    assert_eq!(first["debug"]["hint"], info.metadata["hint"]);
    assert_eq!(json["message"], status.message());
    let code = format!("{:?}", status.code()).to_lowercase();
    let name = json["code"].as_str().expect("a code").replace('_', "");
    assert_eq!(name.replace("canceled", "cancelled"), code);
    assert_eq!(page["type"], "browse.v1.ErrorPage");
    assert_eq!(page["debug"]["page"], json!([{"about": "cover", "text": "dialog"}]));
    let nonce = json["untrusted"]["nonce"].as_str().expect("what a page wrote is marked");
    let entry = status.metadata().get(metadata::UNTRUSTED).expect("in gRPC as well");
    assert!(entry.to_str().expect("ASCII").starts_with(nonce), "{json}");
}
