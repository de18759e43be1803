//! Reads the message of a call whole before its handler runs: small enough, and in
//! time. What came as JSON becomes the message that its command takes. A call of
//! gRPC on this machine is passed on as it is.
//!
//! It stands behind the authorization: the body of an anonymous caller is not read.

use std::{
    convert::Infallible,
    net::IpAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use browse_proto::{Command, Reason, wire};
use bytes::{BufMut as _, Bytes, BytesMut};
use futures::{FutureExt as _, future::BoxFuture};
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use serde_json::{Map, Value};
use tokio::{sync::Semaphore, time::timeout};
use tonic::{Status, body::Body};
use tower::{Layer, Service, ServiceExt as _};

use super::{PeerAddress, audit::RefusedCall, json::JsonRequest, json_stream::ENVELOPE_HEAD_BYTES};
use crate::{ClientKind, Listener, Permit};
use browse_base::{Error, HINT_KEY, Result};

/// Bytes of one remote call: what an agent types, and a batch of that.
const MAX_BODY_BYTES: usize = 1 << 20;
/// Bytes of one call in JSON on this machine: a message of 64 MiB, which is the
/// limit of gRPC, in base64.
const MAX_LOCAL_BODY_BYTES: usize = 86 << 20;
/// The same for somebody without a token, who has a key to show.
const MAX_ANONYMOUS_BODY_BYTES: usize = 4 << 10;
/// Large bodies of remote dashboards that are read at a time.
const MAX_LARGE_REMOTE_BODIES: usize = 4;
/// The command whose remote body may be large: a person gives files to a page.
const TAKES_FILES: &str = "control input";
/// Time in which they have to come.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);
/// The same on this machine, where a body is larger.
const LOCAL_BODY_TIMEOUT: Duration = Duration::from_secs(60);

static LARGE_REMOTE_BODIES: Semaphore = Semaphore::const_new(MAX_LARGE_REMOTE_BODIES);

/// Rides with a call, and learns whether its caller has shown a good token: as
/// soon as that is known, for a call may take its time.
#[derive(Clone, Debug, Default)]
pub struct AuthenticatedFlag(Arc<AtomicBool>);

impl AuthenticatedFlag {
    /// Whether one was shown.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Notes that one was shown.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The layer.
#[derive(Clone, Copy, Debug)]
pub struct RequestBodyLayer(Listener);

impl RequestBodyLayer {
    /// The layer of one listener.
    pub fn new(listener: Listener) -> Self {
        Self(listener)
    }
}

/// A service that gets whole messages.
#[derive(Clone, Debug)]
pub struct RequestBodyService<S> {
    is_remote: bool,
    inner: S,
}

impl<S> Layer<S> for RequestBodyLayer {
    type Service = RequestBodyService<S>;

    fn layer(&self, inner: S) -> Self::Service {
        RequestBodyService { is_remote: self.0 == Listener::Tunnel, inner }
    }
}

type BodyResult = std::result::Result<Response<Body>, Infallible>;

impl<S> Service<Request<Body>> for RequestBodyService<S>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>,
    S: Clone + Send + 'static,
    S::Future: Send + 'static,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<'static, BodyResult>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<std::result::Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let json = request.extensions().get::<JsonRequest>().copied();
        let is_remote = self.is_remote;
        if !is_remote && json.is_none() {
            return self.inner.call(request).boxed();
        }
        // The one that is ready is this one, and the next call gets the copy.
        let inner = self.inner.clone();
        let inner = std::mem::replace(&mut self.inner, inner);
        async move {
            let (parts, body) = request.into_parts();
            let permit = parts.extensions.get::<Permit>().cloned();
            let kind = permit.as_ref().map(|permit| permit.capability().kind);
            let known = kind.is_some_and(|kind| kind != ClientKind::Anonymous);
            let peer = parts.extensions.get::<PeerAddress>().map(|peer| peer.0);
            if known && let Some(line) = parts.extensions.get::<AuthenticatedFlag>() {
                line.set();
            }
            let may_be_large = is_remote
                && kind == Some(ClientKind::Dashboard)
                && permit.as_ref().is_some_and(|permit| permit.command().name == TAKES_FILES);
            let _large = match may_be_large {
                true => LARGE_REMOTE_BODIES.acquire().await.ok(),
                false => None,
            };
            let (most, time) = match is_remote {
                false => (MAX_LOCAL_BODY_BYTES, LOCAL_BODY_TIMEOUT),
                true if may_be_large => (MAX_LOCAL_BODY_BYTES, LOCAL_BODY_TIMEOUT),
                true if known => (MAX_BODY_BYTES, BODY_TIMEOUT),
                true => (MAX_ANONYMOUS_BODY_BYTES, BODY_TIMEOUT),
            };
            let fits = match (json, permit.as_ref()) {
                (Some(json), Some(permit)) => json.check(permit.command()),
                _ => Ok(()),
            };
            let taken = match fits {
                Ok(()) => read_body(body, most, time).await,
                Err(error) => Err(error),
            };
            let taken = taken.and_then(|bytes| match (json, permit.as_ref()) {
                (Some(JsonRequest::Unary), Some(permit)) => {
                    encode_json_message(permit.command(), &bytes)
                }
                (Some(JsonRequest::Stream), Some(permit)) => {
                    encode_json_message(permit.command(), envelope_content(&bytes)?)
                }
                // Methods that are not in the contract, such as the health check.
                (Some(_), None) => Ok(grpc_frame(&[])),
                (None, _) => check_single_message(bytes),
            });
            let response = match taken {
                Ok(bytes) => {
                    let request = Request::from_parts(parts, Body::new(Full::new(bytes)));
                    inner.oneshot(request).await?
                }
                Err(error) => refused_response(error, permit.as_ref(), peer),
            };
            Ok(response)
        }
        .boxed()
    }
}

fn refused_response(error: Error, permit: Option<&Permit>, peer: Option<IpAddr>) -> Response<Body> {
    let client = permit.map(|permit| permit.capability().client.clone());
    let path = permit.map(|permit| permit.command().path.to_owned()).unwrap_or_default();
    let refusal = RefusedCall { reason: error.reason(), client, path, peer };
    let mut response = Status::from(error).into_http::<Body>();
    response.extensions_mut().insert(refusal);
    response
}

async fn read_body(body: Body, most: usize, time: Duration) -> Result<Bytes> {
    let whole = timeout(time, Limited::new(body, most).collect()).await;
    let whole = whole.map_err(|_| {
        let message = format!("the body did not come within {} s", time.as_secs());
        Error::new(Reason::RequestSlow, message)
    })?;
    let whole = whole.map_err(|error| match error.downcast_ref::<LengthLimitError>() {
        Some(_) => {
            let message = "the body is too large";
            Error::new(Reason::TooLarge, message).with("limit", format!("{} KiB", most >> 10))
        }
        None => Error::new(Reason::RequestInvalid, "the body broke off"),
    })?;
    Ok(whole.to_bytes())
}

/// Refuses what follows the one message of a call: nobody would read it.
fn check_single_message(body: Bytes) -> Result<Bytes> {
    let length: Option<[u8; 4]> = body.get(1..5).and_then(|bytes| bytes.try_into().ok());
    let end = length.map(|bytes| u64::from(u32::from_be_bytes(bytes)) + 5);
    if end.is_some_and(|end| body.len() as u64 > end) {
        let message = "the message cannot be read: something follows it";
        let error = Error::new(Reason::ArgumentInvalid, message);
        return Err(error.with(HINT_KEY, "Send one message, in one frame"));
    }
    Ok(body)
}

/// The one message of a request for a stream.
fn envelope_content(body: &[u8]) -> Result<&[u8]> {
    let invalid = |message: &str| {
        let error = Error::new(Reason::ArgumentInvalid, message);
        error.with(HINT_KEY, "Send a zero byte, four bytes of length (big-endian), and the JSON")
    };
    let (head, content) = body
        .split_first_chunk::<ENVELOPE_HEAD_BYTES>()
        .ok_or_else(|| invalid("the body is not an enveloped message"))?;
    if head[0] != 0 {
        return Err(invalid("compressed messages and other flags are not supported"));
    }
    let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize;
    match content.len() == length {
        true => Ok(content),
        false => Err(invalid("the body is not one enveloped message")),
    }
}

/// The frame of gRPC for a body of JSON.
fn encode_json_message(command: &Command, body: &[u8]) -> Result<Bytes> {
    let invalid = |message: String| {
        Error::new(Reason::ArgumentInvalid, message).with("command", command.name)
    };
    let fields = match body.trim_ascii() {
        b"" => Map::new(),
        body => match serde_json::from_slice(body) {
            Ok(Value::Object(fields)) => fields,
            Ok(_) => return Err(invalid("the body is not a JSON object".to_owned())),
            Err(error) => return Err(invalid(format!("the body is not valid JSON: {error}"))),
        },
    };
    let encoded = wire::encode(command.request, &fields);
    let encoded = encoded.map_err(|error| invalid(error.to_string()))?;
    Ok(grpc_frame(&encoded))
}

/// One message as it travels: a flag that it is not compressed, its length,
/// its bytes.
fn grpc_frame(message: &[u8]) -> Bytes {
    let mut frame = BytesMut::with_capacity(message.len() + 5);
    frame.put_u8(0);
    frame.put_u32(u32::try_from(message.len()).unwrap_or(u32::MAX));
    frame.put_slice(message);
    frame.freeze()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encode(body: &str) -> Result<Bytes, String> {
        let command = Command::by_name("snapshot").expect("it is in the contract");
        encode_json_message(command, body.as_bytes()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_request_for_a_stream_is_one_envelope() {
        assert_eq!(envelope_content(b"\0\0\0\0\x02{}").expect("it is one"), b"{}");
        for bad in [&b""[..], b"{}", b"\0\0\0\0\x02{", b"\0\0\0\0\x01{}", b"\x01\0\0\0\x02{}"] {
            assert!(envelope_content(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn json_becomes_the_message_of_its_command() {
        assert_eq!(encode("").expect("nothing is not an argument").as_ref(), [0; 5]);
        assert_eq!(encode(" {} ").expect("neither is this").as_ref(), [0; 5]);
        let frame = encode(r#"{"interactive": true}"#).expect("it has this field");
        assert_eq!(frame.len(), 5 + usize::from(frame[4]));
        for bad in ["[]", "1", "{", "nonsense", r#"{"no": 1}"#, r#"{"interactive": 1}"#] {
            assert!(encode(bad).is_err(), "{bad}");
        }
        let deep = format!("{}1{}", "[".repeat(10_000), "]".repeat(10_000));
        assert!(encode(&format!("{{\"interactive\": {deep}}}")).is_err());
    }
}
