//! HAR files: what a tab asked the network for, without its secrets.
//!
//! Source: "HTTP Archive (HAR) format", version 1.2.

use std::time::{Duration, SystemTime};

use browse_proto::{Reason, v1, wire::base64};
use serde_json::{Value, json};
use url::Url;

use crate::dispatch::CallContext;
use browse_base::{Error, Result};
use browse_chromium::{HarExchange, HarExchangeResponse, HarRecording, ResourceTiming};
use browse_secrets::{REDACTED, is_secret, redact, redact_header};

/// Bytes that a file may have.
const MAX_HAR_BYTES: usize = 60 << 20;

/// Begins to record the requests of the tab.
pub async fn start_har(cx: &CallContext, _: v1::StartHarRequest) -> Result<v1::StartHarResponse> {
    if !cx.page().start_har() {
        let message = format!("the requests of tab {} are recorded already", cx.tab().id());
        return Err(Error::new(Reason::RecordingRunning, message).with("tab", cx.tab().id()));
    }
    cx.tab().take_recorded_requests();
    Ok(v1::StartHarResponse { tab: cx.tab().id() })
}

/// Ends the recording and answers the file.
pub async fn stop_har(cx: &CallContext, _: v1::StopHarRequest) -> Result<v1::StopHarResponse> {
    let recording = cx.page().stop_har().await.or_else(|| cx.tab().take_recorded_requests());
    let recording = recording.ok_or_else(|| {
        let message = format!("the requests of tab {} are not recorded", cx.tab().id());
        Error::new(Reason::RecordingNotRunning, message).with("tab", cx.tab().id())
    })?;
    let browser = cx.browser().await?.info().product.clone();
    let (entries, dropped) = (recording.exchanges.len() as u64, recording.dropped);
    let title = cx.tab().url();
    let write = move || {
        let whole = serde_json::to_vec(&har_log(&recording, &browser, &title, true));
        match whole {
            Ok(bytes) if bytes.len() > MAX_HAR_BYTES => {
                let less = har_log(&recording, &browser, &title, false);
                serde_json::to_vec(&less)
                    .map(|bytes| (bytes, "; without bodies: they are too much"))
            }
            whole => whole.map(|bytes| (bytes, "")),
        }
    };
    let written = tokio::task::spawn_blocking(write).await;
    let written = written.map_err(|error| Error::new(Reason::Bug, error.to_string()))?;
    let (har, less) = written.map_err(|error| Error::new(Reason::Bug, error.to_string()))?;
    let beyond = match dropped {
        0 => String::new(),
        dropped => format!(", and {dropped} more that were too many"),
    };
    Ok(v1::StopHarResponse {
        har,
        mime: "application/json".to_owned(),
        entries,
        dropped,
        note: format!("{entries} requests{beyond}{less}"),
    })
}

fn har_log(recording: &HarRecording, browser: &str, title: &str, bodies: bool) -> Value {
    let (name, version) = browser.split_once('/').unwrap_or((browser, ""));
    let began = recording.exchanges.first().map_or(0.0, |exchange| exchange.started);
    let entries: Vec<_> =
        recording.exchanges.iter().map(|exchange| entry(exchange, bodies)).collect();
    json!({ "log": {
        "version": "1.2",
        "creator": { "name": "browse", "version": env!("CARGO_PKG_VERSION") },
        "browser": { "name": name, "version": version },
        "pages": [{
            "startedDateTime": format_time(began),
            "id": "page_1",
            "title": redact(title),
            "pageTimings": {},
        }],
        "entries": entries,
        "comment": "credentials, cookies and what looks like a secret are redacted",
    }})
}

fn entry(exchange: &HarExchange, bodies: bool) -> Value {
    let answer = exchange.response.clone().unwrap_or_default();
    let total = exchange.duration.unwrap_or(0.0).max(0.0);
    let mut entry = json!({
        "pageref": "page_1",
        "startedDateTime": format_time(exchange.started),
        "time": round(total),
        "request": request(exchange, &answer),
        "response": response(exchange, &answer, bodies),
        "cache": {},
        "timings": timings(&answer.timing, total),
        "_resourceType": exchange.kind.to_lowercase(),
    });
    if !answer.remote_address.is_empty() {
        entry["serverIPAddress"] = json!(answer.remote_address);
    }
    entry
}

fn request(exchange: &HarExchange, answer: &HarExchangeResponse) -> Value {
    let pairs = Url::parse(&exchange.url).ok();
    // The whole query is looked at, since a code is known by its company.
    let bare = |url: &Url| Url::parse(&redact_url(url.as_str())).ok();
    let pairs = pairs.iter().filter_map(bare).collect::<Vec<_>>();
    let pairs = pairs.iter().flat_map(|url| url.query_pairs()).map(|(name, value)| {
        let secret = is_secret(&name, &value);
        let value = if secret { REDACTED.into() } else { redact(&value) };
        json!({ "name": redact(&name), "value": value })
    });
    let mut request = json!({
        "method": exchange.method,
        "url": redact_url(&exchange.url),
        "httpVersion": http_version(answer),
        "cookies": [],
        "headers": headers(&exchange.request_headers),
        "queryString": pairs.collect::<Vec<_>>(),
        "headersSize": -1,
        "bodySize": exchange.post_data.as_ref().map_or(0, String::len),
    });
    if let Some(sent) = &exchange.post_data {
        let is_type = |(name, _): &&(String, String)| name.eq_ignore_ascii_case("content-type");
        let mime = exchange.request_headers.iter().find(is_type).map(|(_, value)| value.as_str());
        request["postData"] = json!({ "mimeType": mime.unwrap_or_default(), "text": redact(sent) });
    }
    request
}

fn response(exchange: &HarExchange, answer: &HarExchangeResponse, bodies: bool) -> Value {
    let is_location = |(name, _): &&(String, String)| name.eq_ignore_ascii_case("location");
    let location = answer.headers.iter().find(is_location).map(|(_, value)| redact_url(value));
    let mut content = json!({ "size": answer.body_bytes, "mimeType": answer.mime_type });
    match &answer.body {
        Some(body) if bodies && answer.is_base64 => {
            set_binary_body(&mut content, body, &answer.mime_type)
        }
        Some(body) if bodies => content["text"] = json!(redact(body)),
        _ => content["comment"] = json!("the body is not kept: it is gone or too large"),
    }
    let mut response = json!({
        "status": answer.status,
        "statusText": answer.status_text,
        "httpVersion": http_version(answer),
        "cookies": [],
        "headers": headers(&answer.headers),
        "content": content,
        "redirectURL": location.unwrap_or_default(),
        "headersSize": -1,
        "bodySize": -1,
        "_transferSize": answer.wire_bytes,
    });
    if let Some(failure) = &exchange.failure {
        response["_error"] = json!(failure);
    }
    response
}

/// A body as base64. Where its type says text, or it is text, the secrets are
/// taken out of that.
fn set_binary_body(content: &mut Value, body: &str, mime: &str) {
    let bytes = base64::decode(body).unwrap_or_default();
    let says_text = ["text/", "json", "xml", "javascript", "form"];
    if says_text.iter().any(|part| mime.contains(part)) || std::str::from_utf8(&bytes).is_ok() {
        content["text"] = json!(redact(&String::from_utf8_lossy(&bytes)));
        return;
    }
    content["text"] = json!(body);
    content["encoding"] = json!("base64");
}

fn headers(headers: &[(String, String)]) -> Vec<Value> {
    let show = |(name, value): &(String, String)| json!({ "name": name, "value": redact_header(name, value) });
    headers.iter().map(show).collect()
}

/// An address without user, password, and the secrets of its query.
fn redact_url(text: &str) -> String {
    let Ok(mut url) = Url::parse(text) else { return redact(text).into_owned() };
    let _ = url.set_username("");
    let _ = url.set_password(None);
    browse_secrets::redact(url.as_str()).into_owned()
}

fn http_version(answer: &HarExchangeResponse) -> &str {
    match answer.protocol.as_str() {
        "h2" => "HTTP/2.0",
        "h3" => "HTTP/3.0",
        "http/1.0" => "HTTP/1.0",
        _ => "HTTP/1.1",
    }
}

fn timings(timing: &ResourceTiming, total: f64) -> Value {
    let span = |from: f64, to: f64| if from >= 0.0 && to >= from { round(to - from) } else { -1.0 };
    let known = timing.receive_headers_end > 0.0;
    if !known {
        return json!({ "send": 0, "wait": round(total), "receive": 0 });
    }
    json!({
        "dns": span(timing.dns_start, timing.dns_end),
        "connect": span(timing.connect_start, timing.connect_end),
        "ssl": span(timing.ssl_start, timing.ssl_end),
        "send": span(timing.send_start, timing.send_end).max(0.0),
        "wait": span(timing.send_end, timing.receive_headers_end).max(0.0),
        "receive": round((total - timing.receive_headers_end).max(0.0)),
    })
}

fn format_time(milliseconds: f64) -> String {
    let since = Duration::from_secs_f64((milliseconds / 1000.0).clamp(0.0, 4e9));
    humantime::format_rfc3339_millis(SystemTime::UNIX_EPOCH + since).to_string()
}

fn round(milliseconds: f64) -> f64 {
    (milliseconds * 1000.0).round() / 1000.0
}
