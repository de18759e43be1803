//! Records a tab's requests in full, while somebody asked for that: headers,
//! what was sent, and the bodies of text. Bounded in every direction. Nothing
//! here is redacted yet; whoever hands it out does that.

use std::collections::HashMap;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::body::ResponseBody;
use crate::chromium::connection::envelope::RawEvent;
use crate::chromium::connection::session::Session;
use crate::chromium::error::Result;
use crate::chromium::page::page::Page;

/// Requests that are kept; later ones are counted only.
const MOST_ENTRIES: usize = 5_000;
/// Bytes of all bodies together.
const MOST_BYTES: usize = 16 << 20;
/// Bytes of one body.
const MOST_BODY: u64 = 256 << 10;
/// Characters of what is sent with a request.
const MOST_SENT: usize = 64 << 10;
/// Characters of an address.
const MOST_URL: usize = 8_000;
/// Bytes of the headers of one message.
const MOST_HEADERS: usize = 16 << 10;
/// How long the end waits for bodies that are under way.
const PATIENCE: Duration = Duration::from_millis(500);

/// Headers as names and values.
pub type Headers = Vec<(String, String)>;

/// One request and what came of it.
#[derive(Debug, Clone, Default)]
pub struct Exchange {
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
    pub request_headers: Headers,
    /// Body that was sent, cut.
    pub sent: Option<String>,
    /// What came back.
    pub answer: Option<ExchangeAnswer>,
    /// Why it failed.
    pub failure: Option<String>,
}

/// The answer to a request.
#[derive(Debug, Clone, Default)]
pub struct ExchangeAnswer {
    /// HTTP status.
    pub status: u16,
    /// Its words.
    pub status_text: String,
    /// Such as `h2`.
    pub protocol: String,
    /// Headers.
    pub headers: Headers,
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
    pub timing: Timing,
}

/// When the parts of a request happened, in milliseconds since it began; -1
/// where they did not.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[allow(missing_docs)]
pub struct Timing {
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
pub struct Recording {
    /// Oldest first.
    pub exchanges: Vec<Exchange>,
    /// Requests beyond those that are kept.
    pub dropped: u64,
}

/// A recording under way.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    recording: Recording,
    /// Place of each open request, by Chromium's id.
    open: HashMap<String, Open>,
    /// Headers that came before what they belong to.
    early: HashMap<String, Headers>,
    bytes: usize,
    /// Bodies that were asked for and have not come.
    awaited: usize,
}

#[derive(Debug)]
struct Open {
    at: usize,
    /// Chromium's monotonic clock, in seconds.
    began: f64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WillBeSent {
    request_id: String,
    request: Request,
    #[serde(default)]
    timestamp: f64,
    #[serde(default)]
    wall_time: f64,
    #[serde(default, rename = "type")]
    kind: String,
    #[serde(default)]
    redirect_response: Option<Response>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Request {
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
struct Received {
    request_id: String,
    response: Response,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Response {
    status: u16,
    status_text: String,
    headers: Map<String, Value>,
    mime_type: String,
    protocol: String,
    #[serde(rename = "remoteIPAddress")]
    remote_address: String,
    encoded_data_length: f64,
    timing: Option<Timing>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Extra {
    request_id: String,
    headers: Map<String, Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Data {
    request_id: String,
    data_length: f64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Ended {
    request_id: String,
    #[serde(default)]
    timestamp: f64,
    #[serde(default)]
    encoded_data_length: f64,
    #[serde(default)]
    error_text: Option<String>,
}

impl Page {
    /// Begins to record; false when it does already.
    pub fn start_recording(&self) -> bool {
        let mut recorder = self.recorder.lock();
        let idle = recorder.is_none();
        if idle {
            *recorder = Some(Recorder::default());
        }
        idle
    }

    /// Ends the recording, once the bodies that are under way have come or half
    /// a second is over.
    pub async fn stop_recording(&self) -> Option<Recording> {
        let mut changed = self.changes();
        let all_here = async {
            while self.recorder.lock().as_ref().is_some_and(|recorder| recorder.awaited > 0) {
                if changed.changed().await.is_err() {
                    return;
                }
            }
        };
        let _ = tokio::time::timeout(PATIENCE, all_here).await;
        self.take_recording()
    }

    /// Ends the recording with what it has.
    pub fn take_recording(&self) -> Option<Recording> {
        self.recorder.lock().take().map(|recorder| recorder.recording)
    }
}

/// Notes a `Network` event, while there is a recording.
pub(crate) fn apply(page: &Page, session: &Session, name: &str, event: &RawEvent<'_>) {
    let mut lock = page.recorder.lock();
    let Some(recorder) = lock.as_mut() else { return };
    if let Some(Body { id, at }) = recorder.event(name, event) {
        recorder.awaited += 1;
        drop(lock);
        fetch_body(page, session, id, at);
    }
}

fn fetch_body(page: &Page, session: &Session, id: String, at: usize) {
    let waiting = page.weak();
    let params = serde_json::json!({ "requestId": id });
    session.call_then("Network.getResponseBody", &params, move |answer: Result<ResponseBody>| {
        let Some(page) = waiting.upgrade() else { return };
        if let Some(recorder) = page.recorder.lock().as_mut() {
            recorder.body(at, answer.ok());
        }
        page.notify();
    });
}

/// A body that is to be asked for.
struct Body {
    id: String,
    at: usize,
}

impl Recorder {
    fn event(&mut self, name: &str, event: &RawEvent<'_>) -> Option<Body> {
        match name {
            "requestWillBeSent" => self.sent(event.params()?),
            "requestWillBeSentExtraInfo" => {
                let extra: Extra = event.params()?;
                let exchange = self.exchange(&extra.request_id)?;
                exchange.request_headers = headers(&extra.headers);
            }
            "responseReceivedExtraInfo" => {
                let extra: Extra = event.params()?;
                if self.early.len() > MOST_ENTRIES {
                    self.early.clear();
                }
                self.early.insert(extra.request_id, headers(&extra.headers));
            }
            "responseReceived" => {
                let Received { request_id, response } = event.params()?;
                self.received(&request_id, response);
            }
            "dataReceived" => {
                let data: Data = event.params()?;
                let answer = self.exchange(&data.request_id)?.answer.as_mut()?;
                answer.body_bytes += data.data_length as u64;
            }
            "loadingFinished" | "loadingFailed" => return self.ended(&event.params()?),
            _ => {}
        }
        None
    }

    fn exchange(&mut self, id: &str) -> Option<&mut Exchange> {
        let at = self.open.get(id)?.at;
        self.recording.exchanges.get_mut(at)
    }

    fn sent(&mut self, sent: WillBeSent) {
        if let Some(redirect) = sent.redirect_response {
            self.received(&sent.request_id, redirect);
            self.finish(&sent.request_id, sent.timestamp);
        }
        self.open.remove(&sent.request_id);
        if self.recording.exchanges.len() >= MOST_ENTRIES || self.bytes > 2 * MOST_BYTES {
            self.recording.dropped += 1;
            return;
        }
        let exchange = Exchange {
            started: sent.wall_time * 1000.0,
            method: sent.request.method,
            url: sent.request.url.chars().take(MOST_URL).collect(),
            kind: sent.kind,
            request_headers: headers(&sent.request.headers),
            sent: sent.request.post_data.map(|text| text.chars().take(MOST_SENT).collect()),
            ..Exchange::default()
        };
        self.bytes += exchange.url.len() + exchange.sent.as_ref().map_or(0, String::len);
        let at = self.recording.exchanges.len();
        self.open.insert(sent.request_id, Open { at, began: sent.timestamp });
        self.recording.exchanges.push(exchange);
    }

    fn received(&mut self, id: &str, response: Response) {
        let early = self.early.remove(id);
        let Some(exchange) = self.exchange(id) else { return };
        exchange.answer = Some(ExchangeAnswer {
            status: response.status,
            status_text: response.status_text,
            protocol: response.protocol,
            headers: early.unwrap_or_else(|| headers(&response.headers)),
            mime_type: response.mime_type,
            remote_address: response.remote_address,
            wire_bytes: response.encoded_data_length as u64,
            timing: response.timing.unwrap_or_default(),
            ..ExchangeAnswer::default()
        });
        let added = exchange.answer.iter().flat_map(|answer| &answer.headers);
        self.bytes += added.map(|(name, value)| name.len() + value.len()).sum::<usize>();
    }

    fn finish(&mut self, id: &str, now: f64) -> Option<usize> {
        let Open { at, began } = self.open.remove(id)?;
        let exchange = self.recording.exchanges.get_mut(at)?;
        exchange.duration = Some((now - began) * 1000.0).filter(|took| took.is_finite());
        Some(at)
    }

    fn ended(&mut self, ended: &Ended) -> Option<Body> {
        let at = self.finish(&ended.request_id, ended.timestamp)?;
        let exchange = self.recording.exchanges.get_mut(at)?;
        exchange.failure = ended.error_text.clone();
        let answer = exchange.answer.as_mut()?;
        answer.wire_bytes = answer.wire_bytes.max(ended.encoded_data_length as u64);
        let fits =
            answer.body_bytes <= MOST_BODY && self.bytes + answer.body_bytes as usize <= MOST_BYTES;
        let wanted = ended.error_text.is_none() && fits;
        wanted.then(|| Body { id: ended.request_id.clone(), at })
    }

    fn body(&mut self, at: usize, body: Option<ResponseBody>) {
        self.awaited = self.awaited.saturating_sub(1);
        let Some(body) = body else { return };
        // Base64 is a third longer than the bytes.
        let most = if body.is_base64 { MOST_BODY * 4 / 3 + 4 } else { MOST_BODY };
        if body.text.len() as u64 > most || self.bytes + body.text.len() > MOST_BYTES {
            return;
        }
        let answer = self.recording.exchanges.get_mut(at).and_then(|entry| entry.answer.as_mut());
        if let Some(answer) = answer {
            self.bytes += body.text.len();
            answer.is_base64 = body.is_base64;
            answer.body = Some(body.text);
        }
    }
}

fn headers(map: &Map<String, Value>) -> Headers {
    let mut bytes = 0;
    let mut headers = Headers::new();
    for (name, value) in map {
        let value = value.as_str().unwrap_or_default();
        bytes += name.len() + value.len();
        if bytes > MOST_HEADERS {
            break;
        }
        // Chromium joins what came several times by line feeds.
        for value in value.split('\n') {
            headers.push((name.clone(), value.to_owned()));
        }
    }
    headers
}
