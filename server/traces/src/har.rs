//! The requests of a trace as an HTTP Archive, without headers and bodies.
//!
//! Source: "HTTP Archive (HAR) format", version 1.2.

use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use super::step::{TraceHeader, TracedRequest, TracedStep};

/// The whole file.
pub(crate) fn log(header: &TraceHeader, steps: &[TracedStep]) -> Value {
    let (name, version) = header.browser.split_once('/').unwrap_or((&header.browser, ""));
    let pages: Vec<_> = steps.iter().filter(|step| !step.requests.is_empty()).map(page).collect();
    let entries: Vec<_> = steps
        .iter()
        .flat_map(|step| step.requests.iter().map(|request| (page_id(step), request)))
        .map(|(page, request)| {
            let mut entry = entry(request);
            entry["pageref"] = json!(page);
            entry
        })
        .collect();
    json!({ "log": {
        "version": "1.2",
        "creator": { "name": "browse", "version": env!("CARGO_PKG_VERSION") },
        "browser": { "name": name, "version": version },
        "pages": pages,
        "entries": entries,
        "comment": "without headers and bodies; what looks like a secret is redacted",
    }})
}

/// A page of the archive is a step.
fn page(step: &TracedStep) -> Value {
    json!({
        "startedDateTime": format_time(step.time_ms),
        "id": page_id(step),
        "title": format!("{} {}", step.command, step.url),
        "pageTimings": {},
    })
}

fn page_id(step: &TracedStep) -> String {
    format!("step_{}", step.number)
}

/// A request as an entry; `pageref` is the caller's to add.
pub(crate) fn entry(request: &TracedRequest) -> Value {
    let total = request.duration_ms.unwrap_or(0.0).max(0.0);
    let mut response = json!({
        "status": request.status.unwrap_or(0),
        "statusText": "",
        "httpVersion": "",
        "cookies": [],
        "headers": [],
        "content": { "size": request.size, "mimeType": request.mime },
        "redirectURL": "",
        "headersSize": -1,
        "bodySize": request.size,
    });
    if !request.failure.is_empty() {
        response["_failureText"] = json!(request.failure);
    }
    json!({
        "startedDateTime": format_time(request.time_ms),
        "time": total,
        "request": {
            "method": request.method,
            "url": request.url,
            "httpVersion": "",
            "cookies": [],
            "headers": [],
            "queryString": [],
            "headersSize": -1,
            "bodySize": -1,
        },
        "response": response,
        "cache": {},
        "timings": { "send": 0, "wait": total, "receive": 0 },
        "_resourceType": request.kind,
    })
}

/// A time in RFC 3339; one after the year 9999, which has no such form, as its end.
pub fn format_time(milliseconds: u64) -> String {
    let milliseconds = milliseconds.min(253_402_300_799_000);
    let time = SystemTime::UNIX_EPOCH + Duration::from_millis(milliseconds);
    humantime::format_rfc3339_millis(time).to_string()
}
