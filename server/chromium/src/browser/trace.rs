//! Traces of the whole browser: what its processes did, and when.

use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::browser::Browser;
use crate::connection::call::CdpCall;
use crate::connection::envelope::RawEvent;
use crate::connection::params::NoParams;
use crate::error::{Error, Result};

/// Memory that Chromium gives a trace before it records no more, in KiB.
const TRACE_BUFFER_KIB: u64 = 32 << 10;
/// Bytes asked for at a time.
const READ_CHUNK_BYTES: u64 = 1 << 20;
/// Time for a trace that nobody wants to end.
const ABANDON_TIMEOUT: Duration = Duration::from_secs(15);
/// Bytes of JSON that are taken.
const MAX_TRACE_BYTES: usize = 56 << 20;

/// A trace that was recorded.
#[derive(Debug)]
pub struct RecordedTrace {
    /// JSON in Chromium's trace format.
    pub json: Vec<u8>,
    /// Whether its end is missing.
    pub is_truncated: bool,
}

/// Whether there is a trace, and who waits for its end.
#[derive(Default)]
pub(crate) enum TracingState {
    #[default]
    Idle,
    Running,
    /// Until whoever ends it is done; the sender goes with the news.
    Ending(Option<oneshot::Sender<TracingComplete>>),
}

/// `Tracing.tracingComplete`.
#[derive(Deserialize)]
pub(crate) struct TracingComplete {
    stream: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TraceReadResult {
    data: String,
    #[serde(default)]
    base64_encoded: bool,
    eof: bool,
}

impl Browser {
    /// Begins a trace of these categories; false when there is one already.
    pub async fn start_trace(&self, categories: &[String]) -> Result<bool> {
        {
            let mut tracing = self.registry().tracing.lock();
            if !matches!(*tracing, TracingState::Idle) {
                return Ok(false);
            }
            *tracing = TracingState::Running;
        }
        let params = json!({
            "transferMode": "ReturnAsStream",
            "traceConfig": {
                "recordMode": "recordUntilFull",
                "includedCategories": categories,
                "excludedCategories": ["*"],
                "traceBufferSizeInKb": TRACE_BUFFER_KIB,
            },
        });
        let given_up = AbandonTraceOnDrop(Some(self));
        let started: CdpCall<IgnoredAny> =
            self.connection().call_method(None, "Tracing.start", &params);
        let started = started.await;
        given_up.disarm();
        if started.is_err() {
            *self.registry().tracing.lock() = TracingState::Idle;
        }
        started.map(|_| true)
    }

    /// Ends a trace that nobody wants: its start was given up, since a process
    /// that hangs does not say that it records.
    pub fn abandon_trace(&self) {
        let (sender, ended) = oneshot::channel();
        *self.registry().tracing.lock() = TracingState::Ending(Some(sender));
        let end: CdpCall<IgnoredAny> =
            self.connection().call_method(None, "Tracing.end", &NoParams);
        let (connection, registry) = (self.connection().clone(), Arc::downgrade(self.registry()));
        tokio::spawn(async move {
            let complete = async { end.await.ok().and(ended.await.ok()) };
            let complete = timeout(ABANDON_TIMEOUT, complete).await.ok().flatten();
            if let Some(handle) = complete.and_then(|complete| complete.stream) {
                let params = json!({ "handle": handle });
                connection.call_method::<IgnoredAny>(None, "IO.close", &params).ignore();
            }
            if let Some(registry) = registry.upgrade() {
                *registry.tracing.lock() = TracingState::Idle;
            }
        });
    }

    /// Ends the trace and answers it; none when there is none.
    pub async fn stop_trace(&self) -> Result<Option<RecordedTrace>> {
        let ended = {
            let mut tracing = self.registry().tracing.lock();
            if !matches!(*tracing, TracingState::Running) {
                return Ok(None);
            }
            let (sender, receiver) = oneshot::channel();
            *tracing = TracingState::Ending(Some(sender));
            receiver
        };
        // Whatever comes of it, the next one may begin.
        let _idle = TracingIdleOnDrop(self);
        let end: CdpCall<IgnoredAny> =
            self.connection().call_method(None, "Tracing.end", &NoParams);
        end.await?;
        let complete = ended.await.map_err(|_| browser_gone_error())?;
        let handle = complete.stream.ok_or_else(|| Error::Protocol {
            method: "Tracing.end".to_owned(),
            message: "there is no stream".to_owned(),
        })?;
        let trace = self.read_trace(&handle).await;
        let params = json!({ "handle": handle });
        self.connection().call_method::<IgnoredAny>(None, "IO.close", &params).ignore();
        trace.map(Some)
    }

    async fn read_trace(&self, handle: &str) -> Result<RecordedTrace> {
        let mut json = Vec::new();
        loop {
            let params = json!({ "handle": handle, "size": READ_CHUNK_BYTES });
            let read: CdpCall<TraceReadResult> =
                self.connection().call_method(None, "IO.read", &params);
            let read = read.await?;
            if read.base64_encoded {
                return Err(Error::Protocol {
                    method: "IO.read".to_owned(),
                    message: "the trace is not text".to_owned(),
                });
            }
            json.extend_from_slice(read.data.as_bytes());
            if json.len() > MAX_TRACE_BYTES {
                truncate_events(&mut json);
                return Ok(RecordedTrace { json, is_truncated: true });
            }
            if read.eof {
                return Ok(RecordedTrace { json, is_truncated: false });
            }
        }
    }
}

/// Ends a trace whose start is given up, when it is dropped before its answer.
struct AbandonTraceOnDrop<'a>(Option<&'a Browser>);

impl AbandonTraceOnDrop<'_> {
    fn disarm(mut self) {
        self.0 = None;
    }
}

impl Drop for AbandonTraceOnDrop<'_> {
    fn drop(&mut self) {
        if let Some(browser) = self.0 {
            browser.abandon_trace();
        }
    }
}

/// Ends the state of a trace when it goes.
struct TracingIdleOnDrop<'a>(&'a Browser);

impl Drop for TracingIdleOnDrop<'_> {
    fn drop(&mut self) {
        *self.0.registry().tracing.lock() = TracingState::Idle;
    }
}

fn browser_gone_error() -> Error {
    Error::BrowserGone { reason: "its connection was shut down".to_owned() }
}

/// `Tracing.tracingComplete`: hands the stream to whoever waits for it.
pub(super) fn on_tracing_complete(tracing: &mut TracingState, event: &RawEvent<'_>) {
    let Some(complete) = event.params::<TracingComplete>() else { return };
    if let TracingState::Ending(waiting) = tracing
        && let Some(sender) = waiting.take()
    {
        let _ = sender.send(complete);
    }
}

/// Cuts the list of events after the last whole one: Chromium writes one event
/// a line, each but the last with a comma.
fn truncate_events(json: &mut Vec<u8>) {
    let end = memchr::memmem::rfind(json, b"},\n").map_or(0, |at| at + 1);
    json.truncate(end);
    json.extend_from_slice(b"\n]}");
}

#[cfg(test)]
mod tests {
    use super::truncate_events;

    #[test]
    fn what_is_cut_stays_json() {
        let mut json = b"{\"traceEvents\":[{\"a\":1},\n{\"b\":{\"c\":2}},\n{\"d\":\"},".to_vec();
        truncate_events(&mut json);
        let value: serde_json::Value = serde_json::from_slice(&json).expect("JSON");
        assert_eq!(value["traceEvents"].as_array().map(Vec::len), Some(2));
    }
}
