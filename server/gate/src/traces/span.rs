//! One span.

use std::time::SystemTime;

use browse_fleet::{SpanId, TraceId};

/// A span. Times are those of the clock of the gateway.
#[derive(Clone, Debug)]
pub struct Span {
    /// Whose work it is.
    pub program: Program,
    /// Its trace.
    pub trace_id: TraceId,
    /// Its id.
    pub id: SpanId,
    /// The span that it is a part of; none for the first of a trace.
    pub parent: Option<SpanId>,
    /// Whether that is of another program than the gateway and its pods.
    pub has_remote_parent: bool,
    /// The `tracestate` of the caller.
    pub state: Option<String>,
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: SpanKind,
    /// When it began.
    pub start: SystemTime,
    /// When it ended.
    pub end: SystemTime,
    /// What is known of it.
    pub attributes: Vec<(&'static str, AttributeValue)>,
    /// Whether it failed.
    pub is_error: bool,
}

/// Whose work a span is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    /// The gateway.
    Gate,
    /// The daemon of a pod.
    Pod,
}

/// The kind of a span. The numbers are those of `SpanKind` in OTLP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpanKind {
    /// A part of the work of one program.
    Internal = 1,
    /// A call that was answered.
    Server = 2,
    /// A call that was made.
    Client = 3,
}

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum AttributeValue {
    /// A text.
    Text(String),
    /// A whole number.
    Number(i64),
    /// Whether something holds.
    Flag(bool),
}

impl From<&str> for AttributeValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for AttributeValue {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<u16> for AttributeValue {
    fn from(number: u16) -> Self {
        Self::Number(number.into())
    }
}

impl From<i32> for AttributeValue {
    fn from(number: i32) -> Self {
        Self::Number(number.into())
    }
}

impl From<bool> for AttributeValue {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}
