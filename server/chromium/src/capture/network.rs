//! Requests as records. Headers are not kept at all, so no cookie and no
//! authorization can end up in one.

use std::collections::{HashMap, VecDeque};

use serde::Deserialize;

use crate::connection::envelope::RawEvent;
use crate::ids::FrameId;
use crate::url_credentials;

/// Requests of one tab that are followed at a time.
const MAX_OPEN_REQUESTS: usize = 2000;
/// Characters kept of a URL; `data:` URLs can be megabytes.
const MAX_URL_CHARS: usize = 2000;

/// How far a request is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestState {
    /// It was sent.
    Started,
    /// The answer is complete.
    Finished,
    /// It ended with an error, such as `net::ERR_CONNECTION_REFUSED`.
    Failed(String),
}

/// One request. Reported when it starts and, whole, when it ends.
#[derive(Debug, Clone, PartialEq)]
pub struct ObservedRequest {
    /// Chromium's id; a redirect continues under the same id.
    pub id: String,
    /// The frame that asked, where one did.
    pub frame: Option<FrameId>,
    /// `GET` and so on.
    pub method: String,
    /// Cut at 2,000 characters.
    pub url: String,
    /// `Document`, `Script`, `Image`, `Fetch`, `WebSocket` and so on.
    pub kind: String,
    /// HTTP status, once there is one.
    pub status: Option<u16>,
    /// Content type without parameters.
    pub mime_type: Option<String>,
    /// Bytes on the wire, headers included.
    pub size: u64,
    /// Whether it came from a cache.
    pub from_cache: bool,
    /// Milliseconds since 1970.
    pub started: f64,
    /// Milliseconds from start to end, once it ended.
    pub duration: Option<f64>,
    /// How far it is.
    pub state: RequestState,
}

/// The open requests of one tab.
#[derive(Default)]
pub(crate) struct OpenRequests {
    requests: HashMap<String, OpenRequest>,
    /// Oldest first; ids that ended meanwhile are skipped.
    order: VecDeque<String>,
}

struct OpenRequest {
    request: ObservedRequest,
    /// Chromium's monotonic clock, in seconds.
    began_at: f64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RequestSentEvent {
    request_id: String,
    request: RequestSentParams,
    #[serde(default)]
    timestamp: f64,
    #[serde(default)]
    wall_time: f64,
    #[serde(default, rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    frame_id: Option<FrameId>,
    #[serde(default)]
    redirect_response: Option<ResponseParams>,
}

#[derive(Deserialize)]
struct RequestSentParams {
    url: String,
    #[serde(default)]
    method: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ResponseReceivedEvent {
    request_id: String,
    #[serde(default)]
    response: ResponseParams,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct ResponseParams {
    status: u16,
    mime_type: String,
    encoded_data_length: f64,
    from_disk_cache: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LoadingEndedEvent {
    request_id: String,
    #[serde(default)]
    timestamp: f64,
    #[serde(default)]
    encoded_data_length: f64,
    #[serde(default)]
    error_text: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WebSocketCreatedEvent {
    request_id: String,
    url: String,
}

/// What a `Network` event changed.
pub(crate) struct NetworkChange {
    /// Requests that started or ended.
    pub reports: Vec<ObservedRequest>,
    /// The request whose answer turned out to be a stream without end.
    pub stream: Option<String>,
}

impl OpenRequests {
    /// Applies a `Network` event.
    pub(crate) fn on_event(&mut self, name: &str, event: &RawEvent<'_>) -> Option<NetworkChange> {
        let (mut reports, mut stream) = (Vec::new(), None);
        match name {
            "requestWillBeSent" => {
                let sent: RequestSentEvent = event.params()?;
                self.on_request_sent(sent, &mut reports);
            }
            "responseReceived" | "webSocketHandshakeResponseReceived" => {
                let received: ResponseReceivedEvent = event.params()?;
                self.on_response_received(&received);
                stream = received.response.is_stream().then_some(received.request_id);
            }
            "requestServedFromCache" => {
                let served: LoadingEndedEvent = event.params()?;
                self.requests.get_mut(&served.request_id)?.request.from_cache = true;
            }
            "loadingFinished" | "loadingFailed" | "webSocketClosed" => {
                let ended: LoadingEndedEvent = event.params()?;
                self.on_loading_ended(&ended, &mut reports);
            }
            "webSocketCreated" => self.on_web_socket_created(event.params()?, &mut reports),
            _ => return None,
        }
        Some(NetworkChange { reports, stream })
    }

    fn on_request_sent(&mut self, sent: RequestSentEvent, reports: &mut Vec<ObservedRequest>) {
        if let Some(redirect) = sent.redirect_response
            && let Some(mut open) = self.requests.remove(&sent.request_id)
        {
            open.set_response(&redirect);
            reports.push(open.finish(sent.timestamp, RequestState::Finished));
        }
        let request = ObservedRequest {
            id: sent.request_id,
            frame: sent.frame_id,
            method: sent.request.method,
            url: truncate_url(&sent.request.url),
            kind: sent.kind.unwrap_or_else(|| "Other".to_owned()),
            status: None,
            mime_type: None,
            size: 0,
            from_cache: false,
            started: sent.wall_time * 1000.0,
            duration: None,
            state: RequestState::Started,
        };
        self.insert(request, sent.timestamp, reports);
    }

    fn on_web_socket_created(
        &mut self,
        created: WebSocketCreatedEvent,
        reports: &mut Vec<ObservedRequest>,
    ) {
        let now = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
        let request = ObservedRequest {
            id: created.request_id,
            frame: None,
            method: "GET".to_owned(),
            url: truncate_url(&created.url),
            kind: "WebSocket".to_owned(),
            status: None,
            mime_type: None,
            size: 0,
            from_cache: false,
            started: now.as_secs_f64() * 1000.0,
            duration: None,
            state: RequestState::Started,
        };
        // Its clock is only learnt when it ends.
        self.insert(request, f64::NAN, reports);
    }

    fn insert(&mut self, request: ObservedRequest, began: f64, reports: &mut Vec<ObservedRequest>) {
        reports.push(request.clone());
        self.order.push_back(request.id.clone());
        self.requests.insert(request.id.clone(), OpenRequest { request, began_at: began });
        while self.requests.len() > MAX_OPEN_REQUESTS {
            let Some(oldest) = self.order.pop_front() else {
                break;
            };
            self.requests.remove(&oldest);
        }
        if self.order.len() > 2 * MAX_OPEN_REQUESTS {
            let requests = &self.requests;
            self.order.retain(|id| requests.contains_key(id));
        }
    }

    fn on_response_received(&mut self, received: &ResponseReceivedEvent) {
        if let Some(open) = self.requests.get_mut(&received.request_id) {
            open.set_response(&received.response);
        }
    }

    fn on_loading_ended(&mut self, ended: &LoadingEndedEvent, reports: &mut Vec<ObservedRequest>) {
        let Some(mut open) = self.requests.remove(&ended.request_id) else {
            return;
        };
        open.request.size = open.request.size.max(ended.encoded_data_length as u64);
        let state = match &ended.error_text {
            Some(error) => RequestState::Failed(error.clone()),
            None => RequestState::Finished,
        };
        reports.push(open.finish(ended.timestamp, state));
    }
}

impl ResponseParams {
    /// Whether the answer never ends.
    fn is_stream(&self) -> bool {
        matches!(self.mime_type.as_str(), "text/event-stream" | "multipart/x-mixed-replace")
    }
}

impl OpenRequest {
    fn set_response(&mut self, response: &ResponseParams) {
        self.request.status = Some(response.status);
        self.request.mime_type = Some(response.mime_type.clone()).filter(|kind| !kind.is_empty());
        self.request.size = response.encoded_data_length as u64;
        self.request.from_cache |= response.from_disk_cache;
    }

    fn finish(mut self, at: f64, state: RequestState) -> ObservedRequest {
        let duration = (at - self.began_at) * 1000.0;
        self.request.duration = Some(duration).filter(|duration| duration.is_finite());
        self.request.state = state;
        self.request
    }
}

fn truncate_url(url: &str) -> String {
    url_credentials::strip_credentials(url).chars().take(MAX_URL_CHARS).collect()
}
