//! Passes on the requests of a page, and records them in full while somebody asked
//! for that.

use std::time::Duration;

use super::event::Event;
use super::page::Page;
use crate::capture::body::{ResponseBody, fetch_page_file, fetch_response_body};
use crate::capture::har::{BodyRequest, HarRecorder, HarRecording};
use crate::capture::network::{NetworkChange, ObservedRequest};
use crate::connection::envelope::RawEvent;
use crate::connection::session::CdpSession;
use crate::error::Result;
use crate::ids::FrameId;

/// How long the end waits for bodies that are under way.
const BODY_TIMEOUT: Duration = Duration::from_millis(500);

impl Page {
    /// Begins to record; false when it does already.
    pub fn start_har(&self) -> bool {
        let mut recorder = self.har_recorder.lock();
        let idle = recorder.is_none();
        if idle {
            *recorder = Some(HarRecorder::default());
        }
        idle
    }

    /// Ends the recording, once the bodies that are under way have come or half
    /// a second is over.
    pub async fn stop_har(&self) -> Option<HarRecording> {
        let mut changed = self.changes();
        let all_here = async {
            while self.har_recorder.lock().as_ref().is_some_and(HarRecorder::awaits_bodies) {
                if changed.changed().await.is_err() {
                    return;
                }
            }
        };
        let _ = tokio::time::timeout(BODY_TIMEOUT, all_here).await;
        self.take_har()
    }

    /// Ends the recording with what it has.
    pub fn take_har(&self) -> Option<HarRecording> {
        self.har_recorder.lock().take().map(HarRecorder::into_recording)
    }

    /// The body of the answer to the request that Chromium calls `key`.
    pub async fn response_body(&self, key: &str) -> Result<ResponseBody> {
        fetch_response_body(self.session(), key).await
    }

    /// A file that the document of `frame` loaded from `url`, while Chromium still has it.
    pub async fn page_file(&self, frame: &FrameId, url: &str) -> Result<ResponseBody> {
        let session = self.frame(frame)?.session;
        fetch_page_file(&session, frame, url).await
    }
}

/// Applies a `Network` event to the open requests of a page, and to its recording.
pub(crate) fn on_network_event(
    page: &Page,
    session: &CdpSession,
    name: &str,
    event: &RawEvent<'_>,
) {
    record_har(page, session, name, event);
    let change = page.open_requests.lock().on_event(name, event);
    let Some(NetworkChange { reports, stream }) = change else { return };
    update_action_requests(page, &reports, stream.as_deref());
    for request in reports {
        page.shared.sink.event(Event::Network(page.target_id().clone(), Box::new(request)));
    }
}

/// Tells who waits for the requests that an action began.
fn update_action_requests(page: &Page, reports: &[ObservedRequest], stream: Option<&str>) {
    if reports.is_empty() && stream.is_none() {
        return;
    }
    let mut state = page.state.lock();
    let mut news = stream.is_some_and(|id| state.action_requests.remove(id));
    for request in reports {
        news |= state.action_requests.record(request);
    }
    drop(state);
    if news {
        page.notify();
    }
}

/// Notes a `Network` event, while there is a recording.
fn record_har(page: &Page, session: &CdpSession, name: &str, event: &RawEvent<'_>) {
    if page.is_private() {
        return;
    }
    let mut lock = page.har_recorder.lock();
    let Some(recorder) = lock.as_mut() else { return };
    if let Some(BodyRequest { id, index: at }) = recorder.on_event(name, event) {
        drop(lock);
        fetch_body(page, session, id, at);
    }
}

fn fetch_body(page: &Page, session: &CdpSession, id: String, at: usize) {
    let waiting = page.weak();
    let params = serde_json::json!({ "requestId": id });
    session.call_then("Network.getResponseBody", &params, move |answer: Result<ResponseBody>| {
        let Some(page) = waiting.upgrade() else { return };
        if let Some(recorder) = page.har_recorder.lock().as_mut() {
            recorder.store_body(at, answer.ok());
        }
        page.notify();
    });
}
