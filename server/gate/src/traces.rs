//! Traces of calls: which are sampled, their spans, and how they come to a collector.
//!
//! Spans go by OTLP over HTTP, in JSON: <https://opentelemetry.io/docs/specs/otlp/#otlphttp>. That
//! needs no crate beyond those of the gateway. An export never holds up a call: spans wait in a
//! bounded queue, and are dropped when it is full.

mod collector;
mod document;
mod endpoint;
mod exporter;
mod sampling;
mod settings;
mod span;
mod trace_state;

pub use exporter::Exporter;
pub use sampling::{CallTrace, IncomingTrace, Sampler, new_span_id};
pub use settings::TraceSettings;
pub use span::{AttributeValue, Program, Span, SpanKind};
