//! How a call ended, read from the response that passes through: the status of gRPC in headers or
//! trailers, the last frame of gRPC-Web and of streams of the Connect protocol, or an error in JSON.
//!
//! A pod writes these, and a page may have taken it over: nothing in them ends up in logs or traces
//! but a known reason and a number.

use browse_base::Error;
use browse_proto::{Reason, wire};
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, header};
use serde_json::Value;

/// Bytes of an error that are read.
const MAX_ERROR_BYTES: usize = 64 << 10;

/// Bytes before a frame: its flags, and its length.
const FRAME_HEAD_BYTES: usize = 5;

/// Flags of the last frame.
const END_OF_GRPC_WEB: u8 = 0x80;
const END_OF_CONNECT: u8 = 0x02;

/// Codes of gRPC.
const OK: i32 = 0;
const CANCELLED: i32 = 1;
const UNKNOWN: i32 = 2;
const UNAVAILABLE: i32 = 14;

/// What a call without an error has as its reason.
const REASON_OK: &str = "ok";

/// The codes of gRPC by their names in the Connect protocol.
const CONNECT_CODES: [(&str, i32); 16] = [
    ("canceled", CANCELLED),
    ("unknown", UNKNOWN),
    ("invalid_argument", 3),
    ("deadline_exceeded", 4),
    ("not_found", 5),
    ("already_exists", 6),
    ("permission_denied", 7),
    ("resource_exhausted", 8),
    ("failed_precondition", 9),
    ("aborted", 10),
    ("out_of_range", 11),
    ("unimplemented", 12),
    ("internal", 13),
    ("unavailable", UNAVAILABLE),
    ("data_loss", 15),
    ("unauthenticated", 16),
];

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GrpcOutcome {
    /// The code of gRPC.
    pub code: i32,
    /// The reason, `ok` without an error; none when the response has none.
    pub reason: Option<&'static str>,
}

/// Reads how a call ends.
pub enum OutcomeReader {
    /// The headers have it.
    Known(GrpcOutcome),
    /// It ends well unless trailers report something else.
    Trailers(GrpcOutcome),
    /// The last frame has it.
    Frames(FrameReader),
    /// The body is an error in JSON, which this is the beginning of.
    Error(StatusCode, Vec<u8>),
}

/// Follows frames, and keeps the last one.
pub struct FrameReader {
    end_flag: u8,
    head: Vec<u8>,
    left: usize,
    is_end: bool,
    end: Vec<u8>,
}

impl GrpcOutcome {
    /// The caller went away, or its connection broke.
    pub const CANCELLED: Self = Self { code: CANCELLED, reason: None };

    /// The connection to the pod broke while it answered.
    pub const BROKEN: Self = Self { code: UNAVAILABLE, reason: None };

    const OK: Self = Self { code: OK, reason: Some(REASON_OK) };

    /// An error of the gateway.
    pub fn of_error(error: &Error) -> Self {
        let rule = error.reason().rule();
        Self { code: rule.code as i32, reason: Some(rule.name) }
    }

    /// The status of gRPC in headers or trailers.
    fn of_grpc(headers: &HeaderMap) -> Option<Self> {
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let code = text("grpc-status")?.parse().unwrap_or(UNKNOWN);
        if code == OK {
            return Some(Self::OK);
        }
        let details = text("grpc-status-details-bin").and_then(wire::base64::decode_lenient);
        let info = details.and_then(|details| wire::error_info(&details));
        Some(Self { code, reason: info.and_then(|info| known_reason(&info.reason)) })
    }

    /// An error of the Connect protocol.
    fn of_connect(error: &Value) -> Option<Self> {
        let name = error["code"].as_str()?;
        let code = CONNECT_CODES.into_iter().find(|(known, _)| *known == name);
        let reason = error["details"][0]["debug"]["reason"].as_str().and_then(known_reason);
        Some(Self { code: code.map_or(UNKNOWN, |(_, code)| code), reason })
    }

    /// A response of HTTP without more.
    fn of_status(status: StatusCode) -> Self {
        let code = match status.as_u16() {
            200..=299 => return Self::OK,
            400 => 3,
            401 => 16,
            403 => 7,
            404 => 5,
            408 | 504 => 4,
            409 => 10,
            413 | 429 => 8,
            405 | 415 | 501 => 12,
            502 | 503 => UNAVAILABLE,
            500 => 13,
            _ => UNKNOWN,
        };
        Self { code, reason: None }
    }

    /// Whether a server counts it as its own failure. Source: the semantic conventions of
    /// OpenTelemetry for gRPC.
    pub fn is_server_error(self) -> bool {
        matches!(self.code, 2 | 4 | 12 | 13 | 14 | 15)
    }
}

fn known_reason(name: &str) -> Option<&'static str> {
    Reason::by_name(name).map(Reason::name)
}

impl OutcomeReader {
    /// Reads the beginning of a response.
    pub fn new<B>(response: &Response<B>) -> Self {
        let headers = response.headers();
        if let Some(outcome) = GrpcOutcome::of_grpc(headers) {
            return Self::Known(outcome);
        }
        let kind = headers.get(header::CONTENT_TYPE).map_or(&b""[..], HeaderValue::as_bytes);
        let status = response.status();
        if kind.starts_with(b"application/grpc-web-text") {
            return Self::Trailers(GrpcOutcome { code: UNKNOWN, reason: None });
        }
        if kind.starts_with(b"application/grpc-web") {
            return Self::Frames(FrameReader::new(END_OF_GRPC_WEB));
        }
        if kind.starts_with(b"application/grpc") {
            return Self::Trailers(GrpcOutcome { code: UNKNOWN, reason: None });
        }
        if kind.starts_with(b"application/connect+json") {
            return Self::Frames(FrameReader::new(END_OF_CONNECT));
        }
        match status.is_success() {
            true => Self::Trailers(GrpcOutcome::OK),
            false => Self::Error(status, Vec::new()),
        }
    }

    /// Reads a part of the body.
    pub fn read_data(&mut self, data: &[u8]) {
        match self {
            Self::Known(_) | Self::Trailers(_) => {}
            Self::Frames(frames) => frames.read(data),
            Self::Error(_, text) => {
                let room = MAX_ERROR_BYTES.saturating_sub(text.len());
                text.extend_from_slice(&data[..data.len().min(room)]);
            }
        }
    }

    /// Reads the trailers.
    pub fn read_trailers(&mut self, trailers: &HeaderMap) {
        if let Some(outcome) = GrpcOutcome::of_grpc(trailers) {
            *self = Self::Known(outcome);
        }
    }

    /// How the call has ended, before the end of the body; none while that is open.
    pub fn known(&self) -> Option<GrpcOutcome> {
        match self {
            Self::Known(outcome) => Some(*outcome),
            Self::Error(status, _) => Some(self.error_outcome(*status)),
            Self::Trailers(_) | Self::Frames(_) => None,
        }
    }

    /// How the call has ended, after the end of the body.
    pub fn outcome(&self) -> GrpcOutcome {
        match self {
            Self::Known(outcome) | Self::Trailers(outcome) => *outcome,
            Self::Frames(frames) => {
                frames.outcome().unwrap_or(GrpcOutcome { code: UNKNOWN, reason: None })
            }
            Self::Error(status, _) => self.error_outcome(*status),
        }
    }

    fn error_outcome(&self, status: StatusCode) -> GrpcOutcome {
        let Self::Error(_, text) = self else { return GrpcOutcome::of_status(status) };
        let document: Value = serde_json::from_slice(text).unwrap_or_default();
        GrpcOutcome::of_connect(&document).unwrap_or_else(|| GrpcOutcome::of_status(status))
    }
}

impl FrameReader {
    fn new(end_flag: u8) -> Self {
        Self { end_flag, head: Vec::new(), left: 0, is_end: false, end: Vec::new() }
    }

    fn read(&mut self, mut data: &[u8]) {
        while !data.is_empty() {
            if self.left > 0 {
                let (part, rest) = data.split_at(self.left.min(data.len()));
                if self.is_end && self.end.len() + part.len() <= MAX_ERROR_BYTES {
                    self.end.extend_from_slice(part);
                }
                self.left -= part.len();
                data = rest;
                continue;
            }
            let missing = FRAME_HEAD_BYTES - self.head.len();
            let (part, rest) = data.split_at(missing.min(data.len()));
            self.head.extend_from_slice(part);
            data = rest;
            if let [flags, a, b, c, d] = self.head[..] {
                self.is_end = flags & self.end_flag != 0;
                self.left = usize::try_from(u32::from_be_bytes([a, b, c, d])).unwrap_or(usize::MAX);
                self.head.clear();
            }
        }
    }

    fn outcome(&self) -> Option<GrpcOutcome> {
        if !self.is_end || self.left > 0 {
            return None;
        }
        if self.end_flag == END_OF_GRPC_WEB {
            return GrpcOutcome::of_grpc(&header_lines(&self.end));
        }
        let document: Value = serde_json::from_slice(&self.end).ok()?;
        match document.get("error") {
            Some(error) => GrpcOutcome::of_connect(error),
            None => Some(GrpcOutcome::OK),
        }
    }
}

/// The trailers in the last frame of gRPC-Web: lines as those of HTTP/1.1.
fn header_lines(text: &[u8]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for line in text.split(|byte| *byte == b'\n') {
        let mut parts = line.trim_ascii().splitn(2, |byte| *byte == b':');
        let (Some(name), Some(value)) = (parts.next(), parts.next()) else { continue };
        let pair = (HeaderName::from_bytes(name), HeaderValue::from_bytes(value.trim_ascii()));
        if let (Ok(name), Ok(value)) = pair {
            headers.insert(name, value);
        }
    }
    headers
}

#[cfg(test)]
mod tests;
