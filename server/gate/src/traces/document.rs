//! Spans as an `ExportTraceServiceRequest` of OTLP, in JSON: ids in hexadecimal, 64-bit numbers as
//! text. Source: <https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding>.

use std::time::SystemTime;

use bytes::Bytes;
use serde_json::{Value, json};

use super::{AttributeValue, Program, Span};

/// The code of a span that failed; 0 leaves it open.
const STATUS_ERROR: u32 = 2;

/// Bits of `flags` above those of `traceparent`: whether it is known that the parent is remote, and
/// that it is.
const FLAG_SAMPLED: u32 = 0x1;
const FLAG_HAS_IS_REMOTE: u32 = 0x100;
const FLAG_IS_REMOTE: u32 = 0x200;

/// The document for these spans; `instance` names the replica of the gateway.
pub fn document(spans: &[Span], instance: &str) -> Bytes {
    let programs = [(Program::Gate, "browse-gate"), (Program::Pod, "browsed")];
    let resources: Vec<Value> = programs
        .into_iter()
        .filter_map(|(program, name)| {
            let own: Vec<Value> =
                spans.iter().filter(|span| span.program == program).map(span_json).collect();
            let mut resource = vec![
                attribute("service.name", &name.into()),
                attribute("service.version", &env!("CARGO_PKG_VERSION").into()),
            ];
            if program == Program::Gate && !instance.is_empty() {
                resource.push(attribute("service.instance.id", &instance.into()));
            }
            (!own.is_empty()).then(|| {
                json!({
                    "resource": { "attributes": resource },
                    "scopeSpans": [{ "scope": { "name": "browse-gate" }, "spans": own }],
                })
            })
        })
        .collect();
    json!({ "resourceSpans": resources }).to_string().into()
}

fn span_json(span: &Span) -> Value {
    let remote = if span.has_remote_parent { FLAG_IS_REMOTE } else { 0 };
    let mut document = json!({
        "traceId": span.trace_id.to_string(),
        "spanId": span.id.to_string(),
        "name": span.name,
        "kind": span.kind as u32,
        "startTimeUnixNano": nanoseconds(span.start),
        "endTimeUnixNano": nanoseconds(span.end),
        "attributes": span
            .attributes
            .iter()
            .map(|(key, value)| attribute(key, value))
            .collect::<Vec<_>>(),
        "flags": FLAG_SAMPLED | FLAG_HAS_IS_REMOTE | remote,
    });
    if let Some(parent) = span.parent {
        document["parentSpanId"] = parent.to_string().into();
    }
    if let Some(state) = &span.state {
        document["traceState"] = state.as_str().into();
    }
    if span.is_error {
        document["status"] = json!({ "code": STATUS_ERROR });
    }
    document
}

fn attribute(key: &str, value: &AttributeValue) -> Value {
    let value = match value {
        AttributeValue::Text(text) => json!({ "stringValue": text }),
        AttributeValue::Number(number) => json!({ "intValue": number.to_string() }),
        AttributeValue::Flag(flag) => json!({ "boolValue": flag }),
    };
    json!({ "key": key, "value": value })
}

fn nanoseconds(time: SystemTime) -> String {
    time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos().to_string()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use browse_fleet::{SpanId, TraceId};

    use super::*;
    use crate::traces::SpanKind;

    fn span(program: Program) -> Span {
        let start = SystemTime::UNIX_EPOCH + Duration::from_millis(1_544_712_660_123);
        Span {
            program,
            trace_id: TraceId::new([0x5b; 16]).expect("not zero"),
            id: SpanId::new([0xee; 8]).expect("not zero"),
            parent: None,
            has_remote_parent: false,
            state: None,
            name: "browse.v1.BrowserService/Goto".to_owned(),
            kind: SpanKind::Server,
            start,
            end: start + Duration::from_micros(1500),
            attributes: vec![
                ("rpc.system", "grpc".into()),
                ("rpc.grpc.status_code", 5.into()),
                ("browse.unfinished", true.into()),
            ],
            is_error: false,
        }
    }

    #[test]
    fn a_document_has_the_form_of_otlp() {
        let child = Span {
            parent: SpanId::new([0xaa; 8]),
            has_remote_parent: true,
            state: Some("a=1".to_owned()),
            kind: SpanKind::Client,
            attributes: Vec::new(),
            is_error: true,
            ..span(Program::Pod)
        };
        let bytes = document(&[span(Program::Gate), child], "browse-gate-0");
        let found: Value = serde_json::from_slice(&bytes).expect("JSON");
        let version = env!("CARGO_PKG_VERSION");
        let text =
            |key: &str, value: &str| json!({ "key": key, "value": { "stringValue": value } });
        let whole = json!({ "resourceSpans": [
            {
                "resource": { "attributes": [
                    text("service.name", "browse-gate"),
                    text("service.version", version),
                    text("service.instance.id", "browse-gate-0"),
                ] },
                "scopeSpans": [{ "scope": { "name": "browse-gate" }, "spans": [{
                    "traceId": "5b".repeat(16),
                    "spanId": "ee".repeat(8),
                    "name": "browse.v1.BrowserService/Goto",
                    "kind": 2,
                    "startTimeUnixNano": "1544712660123000000",
                    "endTimeUnixNano": "1544712660124500000",
                    "attributes": [
                        text("rpc.system", "grpc"),
                        { "key": "rpc.grpc.status_code", "value": { "intValue": "5" } },
                        { "key": "browse.unfinished", "value": { "boolValue": true } },
                    ],
                    "flags": 0x101,
                }] }],
            },
            {
                "resource": { "attributes": [
                    text("service.name", "browsed"),
                    text("service.version", version),
                ] },
                "scopeSpans": [{ "scope": { "name": "browse-gate" }, "spans": [{
                    "traceId": "5b".repeat(16),
                    "spanId": "ee".repeat(8),
                    "parentSpanId": "aa".repeat(8),
                    "traceState": "a=1",
                    "name": "browse.v1.BrowserService/Goto",
                    "kind": 3,
                    "startTimeUnixNano": "1544712660123000000",
                    "endTimeUnixNano": "1544712660124500000",
                    "attributes": [],
                    "flags": 0x301,
                    "status": { "code": 2 },
                }] }],
            },
        ] });
        assert_eq!(found, whole);
    }

    #[test]
    fn a_program_without_spans_is_left_out() {
        let bytes = document(&[span(Program::Pod)], "");
        let found: Value = serde_json::from_slice(&bytes).expect("JSON");
        assert_eq!(found["resourceSpans"].as_array().map(Vec::len), Some(1));
    }
}
