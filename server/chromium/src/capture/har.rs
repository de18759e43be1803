//! Records a tab's requests in full, while somebody asked for that: headers,
//! what was sent, and the bodies of text. Bounded in every direction. Nothing
//! here is redacted yet; whoever hands it out does that.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::body::ResponseBody;
use crate::connection::envelope::RawEvent;

/// Requests that are kept; later ones are counted only.
const MAX_ENTRIES: usize = 5_000;
/// Bytes of all bodies together.
const MAX_TOTAL_BODY_BYTES: usize = 16 << 20;
/// Bytes of one body.
const MAX_BODY_BYTES: u64 = 256 << 10;
/// Characters of what is sent with a request.
const MAX_POST_DATA_CHARS: usize = 64 << 10;
/// Characters of an address.
const MAX_URL_CHARS: usize = 8_000;
/// Bytes of the headers of one message.
const MAX_HEADER_BYTES: usize = 16 << 10;
/// Headers as names and values.
pub type HarHeaders = Vec<(String, String)>;

/// One request and what came of it.
#[derive(Debug, Clone, Default)]
pub struct HarExchange {
    /// Milliseconds since 1970.
    pub started: f64,
    /// Milliseconds it took, once it ended.
    pub duration: Option<f64>,
    /// `GET` and so on.
    pub method: String,
    /// Where it went.
    pub url: String,
    /// `Document`, `Script` and so on.
    pub kind: String,
    /// What was sent.
    pub request_headers: HarHeaders,
    /// Body that was sent, cut.
    pub post_data: Option<String>,
    /// What came back.
    pub response: Option<HarExchangeResponse>,
    /// Why it failed.
    pub failure: Option<String>,
}

/// The answer to a request.
#[derive(Debug, Clone, Default)]
pub struct HarExchangeResponse {
    /// HTTP status.
    pub status: u16,
    /// Its words.
    pub status_text: String,
    /// Such as `h2`.
    pub protocol: String,
    /// Headers.
    pub headers: HarHeaders,
    /// Content type without parameters.
    pub mime_type: String,
    /// Address of the server, without port.
    pub remote_address: String,
    /// Bytes on the wire, headers included.
    pub wire_bytes: u64,
    /// Bytes of the body, unpacked.
    pub body_bytes: u64,
    /// The body, when it is not too large.
    pub body: Option<String>,
    /// Whether the body is binary, and so base64.
    pub is_base64: bool,
    /// Milliseconds from the request to its parts, as Chromium has them.
    pub timing: ResourceTiming,
}

/// When the parts of a request happened, in milliseconds since it began; -1
/// where they did not.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[allow(missing_docs)]
pub struct ResourceTiming {
    pub dns_start: f64,
    pub dns_end: f64,
    pub connect_start: f64,
    pub connect_end: f64,
    pub ssl_start: f64,
    pub ssl_end: f64,
    pub send_start: f64,
    pub send_end: f64,
    pub receive_headers_end: f64,
}

/// What was recorded.
#[derive(Debug, Default)]
pub struct HarRecording {
    /// Oldest first.
    pub exchanges: Vec<HarExchange>,
    /// Requests beyond those that are kept.
    pub dropped: u64,
}

/// A recording under way.
#[derive(Debug, Default)]
pub(crate) struct HarRecorder {
    recording: HarRecording,
    /// Place of each open request, by Chromium's id.
    open: HashMap<String, OpenExchange>,
    /// Headers that came before what they belong to.
    early_headers: HashMap<String, HarHeaders>,
    total_body_bytes: usize,
    /// Bodies that were asked for and have not come.
    pending_bodies: usize,
}

#[derive(Debug)]
struct OpenExchange {
    index: usize,
    /// Chromium's monotonic clock, in seconds.
    began_at: f64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct HarRequestSent {
    request_id: String,
    request: HarRequest,
    #[serde(default)]
    timestamp: f64,
    #[serde(default)]
    wall_time: f64,
    #[serde(default, rename = "type")]
    kind: String,
    #[serde(default)]
    redirect_response: Option<HarResponse>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct HarRequest {
    url: String,
    #[serde(default)]
    method: String,
    #[serde(default)]
    headers: Map<String, Value>,
    #[serde(default)]
    post_data: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct HarResponseReceived {
    request_id: String,
    response: HarResponse,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct HarResponse {
    status: u16,
    status_text: String,
    headers: Map<String, Value>,
    mime_type: String,
    protocol: String,
    #[serde(rename = "remoteIPAddress")]
    remote_address: String,
    encoded_data_length: f64,
    timing: Option<ResourceTiming>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct HarExtraInfo {
    request_id: String,
    headers: Map<String, Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct HarDataReceived {
    request_id: String,
    data_length: f64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct HarLoadingEnded {
    request_id: String,
    #[serde(default)]
    timestamp: f64,
    #[serde(default)]
    encoded_data_length: f64,
    #[serde(default)]
    error_text: Option<String>,
}

/// A body that is to be asked for.
pub(crate) struct BodyRequest {
    pub id: String,
    pub index: usize,
}

impl HarRecorder {
    /// What was recorded.
    pub(crate) fn into_recording(self) -> HarRecording {
        self.recording
    }

    /// Whether bodies were asked for and have not come.
    pub(crate) fn awaits_bodies(&self) -> bool {
        self.pending_bodies > 0
    }

    /// Notes a `Network` event; the body that is to be asked for.
    pub(crate) fn on_event(&mut self, name: &str, event: &RawEvent<'_>) -> Option<BodyRequest> {
        match name {
            "requestWillBeSent" => self.on_request_sent(event.params()?),
            "requestWillBeSentExtraInfo" => {
                let extra: HarExtraInfo = event.params()?;
                let exchange = self.open_exchange(&extra.request_id)?;
                exchange.request_headers = har_headers(&extra.headers);
            }
            "responseReceivedExtraInfo" => {
                let extra: HarExtraInfo = event.params()?;
                if self.early_headers.len() > MAX_ENTRIES {
                    self.early_headers.clear();
                }
                self.early_headers.insert(extra.request_id, har_headers(&extra.headers));
            }
            "responseReceived" => {
                let HarResponseReceived { request_id, response } = event.params()?;
                self.on_response_received(&request_id, response);
            }
            "dataReceived" => {
                let data: HarDataReceived = event.params()?;
                let answer = self.open_exchange(&data.request_id)?.response.as_mut()?;
                answer.body_bytes += data.data_length as u64;
            }
            "loadingFinished" | "loadingFailed" => return self.on_loading_ended(&event.params()?),
            _ => {}
        }
        None
    }

    fn open_exchange(&mut self, id: &str) -> Option<&mut HarExchange> {
        let at = self.open.get(id)?.index;
        self.recording.exchanges.get_mut(at)
    }

    fn on_request_sent(&mut self, sent: HarRequestSent) {
        if let Some(redirect) = sent.redirect_response {
            self.on_response_received(&sent.request_id, redirect);
            self.finish_exchange(&sent.request_id, sent.timestamp);
        }
        self.open.remove(&sent.request_id);
        if self.recording.exchanges.len() >= MAX_ENTRIES
            || self.total_body_bytes > 2 * MAX_TOTAL_BODY_BYTES
        {
            self.recording.dropped += 1;
            return;
        }
        let exchange = HarExchange {
            started: sent.wall_time * 1000.0,
            method: sent.request.method,
            url: sent.request.url.chars().take(MAX_URL_CHARS).collect(),
            kind: sent.kind,
            request_headers: har_headers(&sent.request.headers),
            post_data: sent
                .request
                .post_data
                .map(|text| text.chars().take(MAX_POST_DATA_CHARS).collect()),
            ..HarExchange::default()
        };
        self.total_body_bytes +=
            exchange.url.len() + exchange.post_data.as_ref().map_or(0, String::len);
        let at = self.recording.exchanges.len();
        self.open.insert(sent.request_id, OpenExchange { index: at, began_at: sent.timestamp });
        self.recording.exchanges.push(exchange);
    }

    fn on_response_received(&mut self, id: &str, response: HarResponse) {
        let early = self.early_headers.remove(id);
        let Some(exchange) = self.open_exchange(id) else { return };
        exchange.response = Some(HarExchangeResponse {
            status: response.status,
            status_text: response.status_text,
            protocol: response.protocol,
            headers: early.unwrap_or_else(|| har_headers(&response.headers)),
            mime_type: response.mime_type,
            remote_address: response.remote_address,
            wire_bytes: response.encoded_data_length as u64,
            timing: response.timing.unwrap_or_default(),
            ..HarExchangeResponse::default()
        });
        let added = exchange.response.iter().flat_map(|answer| &answer.headers);
        self.total_body_bytes += added.map(|(name, value)| name.len() + value.len()).sum::<usize>();
    }

    fn finish_exchange(&mut self, id: &str, now: f64) -> Option<usize> {
        let OpenExchange { index: at, began_at: began } = self.open.remove(id)?;
        let exchange = self.recording.exchanges.get_mut(at)?;
        exchange.duration = Some((now - began) * 1000.0).filter(|took| took.is_finite());
        Some(at)
    }

    fn on_loading_ended(&mut self, ended: &HarLoadingEnded) -> Option<BodyRequest> {
        let at = self.finish_exchange(&ended.request_id, ended.timestamp)?;
        let exchange = self.recording.exchanges.get_mut(at)?;
        exchange.failure = ended.error_text.clone();
        let answer = exchange.response.as_mut()?;
        answer.wire_bytes = answer.wire_bytes.max(ended.encoded_data_length as u64);
        let fits = answer.body_bytes <= MAX_BODY_BYTES
            && self.total_body_bytes + answer.body_bytes as usize <= MAX_TOTAL_BODY_BYTES;
        let wanted = ended.error_text.is_none() && fits;
        if !wanted {
            return None;
        }
        self.pending_bodies += 1;
        Some(BodyRequest { id: ended.request_id.clone(), index: at })
    }

    /// Stores a body that was asked for.
    pub(crate) fn store_body(&mut self, at: usize, body: Option<ResponseBody>) {
        self.pending_bodies = self.pending_bodies.saturating_sub(1);
        let Some(body) = body else { return };
        // Base64 is a third longer than the bytes.
        let most = if body.is_base64 { MAX_BODY_BYTES * 4 / 3 + 4 } else { MAX_BODY_BYTES };
        if body.text.len() as u64 > most
            || self.total_body_bytes + body.text.len() > MAX_TOTAL_BODY_BYTES
        {
            return;
        }
        let answer = self.recording.exchanges.get_mut(at).and_then(|entry| entry.response.as_mut());
        if let Some(answer) = answer {
            self.total_body_bytes += body.text.len();
            answer.is_base64 = body.is_base64;
            answer.body = Some(body.text);
        }
    }
}

fn har_headers(map: &Map<String, Value>) -> HarHeaders {
    let mut bytes = 0;
    let mut headers = HarHeaders::new();
    for (name, value) in map {
        let value = value.as_str().unwrap_or_default();
        bytes += name.len() + value.len();
        if bytes > MAX_HEADER_BYTES {
            break;
        }
        // Chromium joins what came several times by line feeds.
        for value in value.split('\n') {
            headers.push((name.clone(), value.to_owned()));
        }
    }
    headers
}
