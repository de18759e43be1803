//! A stream in JSON: each message of gRPC becomes an enveloped JSON document, and
//! the trailers become the document at the end of the stream.
//! Framing: <https://connectrpc.com/docs/protocol#streaming-rpcs>.

use std::convert::Infallible;

use browse_proto::{Command, Reason, wire};
use bytes::{Buf as _, BufMut as _, Bytes, BytesMut};
use futures::{Stream, stream};
use http::{HeaderMap, HeaderValue, Response, header};
use http_body_util::{BodyExt as _, StreamBody};
use hyper::body::Frame;
use tonic::{Code, Status, body::Body};

use super::{
    http_response, json,
    json_notices::{MetadataNotices, end_metadata},
};
use browse_base::Error;

/// Bytes before a message: a flag and its length.
pub const ENVELOPE_HEAD_BYTES: usize = 5;

/// The flag of the document at the end.
const END_STREAM: u8 = 2;

/// The messages of `response` as enveloped JSON.
pub fn into_stream_response(
    response: Response<Body>,
    command: Option<&'static Command>,
) -> Response<Body> {
    let (parts, body) = response.into_parts();
    let state = StreamState {
        command,
        body,
        buffer: BytesMut::new(),
        notices: MetadataNotices::from_headers(&parts.headers),
        end: Status::from_header_map(&parts.headers).map(|status| (status, HeaderMap::new())),
        is_done: false,
    };
    let mut reply = Response::new(Body::new(StreamBody::new(frames(state))));
    let headers = reply.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(json::STREAM_TYPE));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    for (name, value) in &parts.headers {
        if name.as_str().starts_with("browse-") {
            headers.insert(name.clone(), value.clone());
        }
    }
    reply
}

struct StreamState {
    command: Option<&'static Command>,
    body: Body,
    /// What came and is not a whole message yet.
    buffer: BytesMut,
    /// Those of the headers. Notices and warnings go with the first message.
    notices: MetadataNotices,
    /// How the call ended, and the trailers.
    end: Option<(Status, HeaderMap)>,
    is_done: bool,
}

type FrameResult = Result<Frame<Bytes>, Infallible>;

fn frames(state: StreamState) -> impl Stream<Item = FrameResult> {
    stream::unfold(state, |mut state| async move {
        let frame = state.next().await?;
        Some((Ok(Frame::data(frame)), state))
    })
}

impl StreamState {
    /// The next envelope; none after the end.
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if self.is_done {
                return None;
            }
            if let Some(message) = self.take_message() {
                return Some(match self.message_json(&message) {
                    Ok(json) => envelope(0, json.as_bytes()),
                    Err(status) => self.finish(&status, &HeaderMap::new()),
                });
            }
            if let Some((status, trailers)) = self.end.take() {
                return Some(self.finish(&status, &trailers));
            }
            match self.body.frame().await {
                Some(Ok(frame)) => self.take_frame(frame),
                Some(Err(status)) => self.end = Some((status, HeaderMap::new())),
                None => {
                    let error = Error::new(Reason::Bug, "the stream ended without a status");
                    self.end = Some((Status::from(error), HeaderMap::new()));
                }
            }
        }
    }

    fn take_frame(&mut self, frame: Frame<Bytes>) {
        match frame.into_data() {
            Ok(data) => self.buffer.put(data),
            Err(frame) => {
                let trailers = frame.into_trailers().unwrap_or_default();
                let status = Status::from_header_map(&trailers);
                self.end = Some((status.unwrap_or_else(|| Status::ok("")), trailers));
            }
        }
    }

    /// A message that has come whole.
    fn take_message(&mut self) -> Option<Bytes> {
        let head: [u8; ENVELOPE_HEAD_BYTES] =
            self.buffer.get(..ENVELOPE_HEAD_BYTES)?.try_into().ok()?;
        let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize;
        if self.buffer.len() < ENVELOPE_HEAD_BYTES + length {
            return None;
        }
        self.buffer.advance(ENVELOPE_HEAD_BYTES);
        Some(self.buffer.split_to(length).freeze())
    }

    fn message_json(&mut self, message: &[u8]) -> Result<String, Status> {
        let command = self.command.ok_or_else(json::unknown_method)?;
        let mut notices = self.notices.clone();
        if notices.untrusted.is_some() {
            let is_page = wire::holds_page_content(command.response, message);
            if is_page.is_ok_and(|is_page| !is_page) {
                notices.untrusted = None;
            } else if let Some(untrusted) = &mut self.notices.untrusted {
                untrusted.warnings.clear();
                untrusted.unseen.clear();
            }
        }
        self.notices.notice = None;
        http_response::message_json(command, message, &notices)
    }

    /// The document at the end.
    fn finish(&mut self, status: &Status, trailers: &HeaderMap) -> Bytes {
        self.is_done = true;
        let mut notices = MetadataNotices::from_headers(trailers);
        notices.notice = [self.notices.notice.take(), notices.notice]
            .into_iter()
            .flatten()
            .reduce(|first, second| format!("{first}; {second}"));
        let mut json = format!("{{{}", notices.members());
        if status.code() != Code::Ok {
            json += &format!("\"error\":{},", http_response::error_json(status));
        }
        json += &format!("\"metadata\":{}}}", end_metadata(trailers));
        envelope(END_STREAM, json.as_bytes())
    }
}

fn envelope(flags: u8, content: &[u8]) -> Bytes {
    let mut out = BytesMut::with_capacity(ENVELOPE_HEAD_BYTES + content.len());
    out.put_u8(flags);
    out.put_u32(u32::try_from(content.len()).unwrap_or(u32::MAX));
    out.put_slice(content);
    out.freeze()
}
