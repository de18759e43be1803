//! Traces of the whole browser: what its processes did, and when.

use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::browser::Browser;
use crate::chromium::connection::call::Call;
use crate::chromium::connection::envelope::RawEvent;
use crate::chromium::connection::params::NoParams;
use crate::chromium::error::{Error, Result};

/// Memory that Chromium gives a trace before it records no more, in KiB.
const BUFFER: u64 = 32 << 10;
/// Bytes asked for at a time.
const CHUNK: u64 = 1 << 20;
/// Time for a trace that nobody wants to end.
const ENDING: Duration = Duration::from_secs(15);
/// Bytes of JSON that are taken.
const MOST_BYTES: usize = 56 << 20;

/// A trace that was recorded.
#[derive(Debug)]
pub struct Trace {
    /// JSON in Chromium's trace format.
    pub json: Vec<u8>,
    /// Whether its end is missing.
    pub cut: bool,
}

/// Whether there is a trace, and who waits for its end.
#[derive(Default)]
pub(crate) enum Tracing {
    #[default]
    Idle,
    Running,
    /// Until whoever ends it is done; the sender goes with the news.
    Ending(Option<oneshot::Sender<Complete>>),
}

/// `Tracing.tracingComplete`.
#[derive(Deserialize)]
pub(crate) struct Complete {
    stream: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Read {
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
            if !matches!(*tracing, Tracing::Idle) {
                return Ok(false);
            }
            *tracing = Tracing::Running;
        }
        let params = json!({
            "transferMode": "ReturnAsStream",
            "traceConfig": {
                "recordMode": "recordUntilFull",
                "includedCategories": categories,
                "excludedCategories": ["*"],
                "traceBufferSizeInKb": BUFFER,
            },
        });
        let given_up = GivenUp(Some(self));
        let started: Call<IgnoredAny> =
            self.connection().call_method(None, "Tracing.start", &params);
        let started = started.await;
        given_up.forget();
        if started.is_err() {
            *self.registry().tracing.lock() = Tracing::Idle;
        }
        started.map(|_| true)
    }

    /// Ends a trace that nobody wants: its start was given up, since a process
    /// that hangs does not say that it records.
    fn abandon_trace(&self) {
        let (sender, ended) = oneshot::channel();
        *self.registry().tracing.lock() = Tracing::Ending(Some(sender));
        let end: Call<IgnoredAny> = self.connection().call_method(None, "Tracing.end", &NoParams);
        let (connection, registry) = (self.connection().clone(), Arc::downgrade(self.registry()));
        tokio::spawn(async move {
            let complete = async { end.await.ok().and(ended.await.ok()) };
            let complete = timeout(ENDING, complete).await.ok().flatten();
            if let Some(handle) = complete.and_then(|complete| complete.stream) {
                let params = json!({ "handle": handle });
                connection.call_method::<IgnoredAny>(None, "IO.close", &params).ignore();
            }
            if let Some(registry) = registry.upgrade() {
                *registry.tracing.lock() = Tracing::Idle;
            }
        });
    }

    /// Ends the trace and answers it; none when there is none.
    pub async fn stop_trace(&self) -> Result<Option<Trace>> {
        let ended = {
            let mut tracing = self.registry().tracing.lock();
            if !matches!(*tracing, Tracing::Running) {
                return Ok(None);
            }
            let (sender, receiver) = oneshot::channel();
            *tracing = Tracing::Ending(Some(sender));
            receiver
        };
        // Whatever comes of it, the next one may begin.
        let _idle = Idle(self);
        let end: Call<IgnoredAny> = self.connection().call_method(None, "Tracing.end", &NoParams);
        end.await?;
        let complete = ended.await.map_err(|_| gone())?;
        let handle = complete.stream.ok_or_else(|| Error::Protocol {
            method: "Tracing.end".to_owned(),
            message: "there is no stream".to_owned(),
        })?;
        let trace = self.read(&handle).await;
        let params = json!({ "handle": handle });
        self.connection().call_method::<IgnoredAny>(None, "IO.close", &params).ignore();
        trace.map(Some)
    }

    async fn read(&self, handle: &str) -> Result<Trace> {
        let mut json = Vec::new();
        loop {
            let params = json!({ "handle": handle, "size": CHUNK });
            let read: Call<Read> = self.connection().call_method(None, "IO.read", &params);
            let read = read.await?;
            if read.base64_encoded {
                return Err(Error::Protocol {
                    method: "IO.read".to_owned(),
                    message: "the trace is no text".to_owned(),
                });
            }
            json.extend_from_slice(read.data.as_bytes());
            if json.len() > MOST_BYTES {
                cut(&mut json);
                return Ok(Trace { json, cut: true });
            }
            if read.eof {
                return Ok(Trace { json, cut: false });
            }
        }
    }
}

/// Ends a trace whose start is given up, when it is dropped before its answer.
struct GivenUp<'a>(Option<&'a Browser>);

impl GivenUp<'_> {
    fn forget(mut self) {
        self.0 = None;
    }
}

impl Drop for GivenUp<'_> {
    fn drop(&mut self) {
        if let Some(browser) = self.0 {
            browser.abandon_trace();
        }
    }
}

/// Ends the state of a trace when it goes.
struct Idle<'a>(&'a Browser);

impl Drop for Idle<'_> {
    fn drop(&mut self) {
        *self.0.registry().tracing.lock() = Tracing::Idle;
    }
}

fn gone() -> Error {
    Error::BrowserGone { reason: "its connection was shut down".to_owned() }
}

/// `Tracing.tracingComplete`: hands the stream to whoever waits for it.
pub(super) fn completed(tracing: &mut Tracing, event: &RawEvent<'_>) {
    let Some(complete) = event.params::<Complete>() else { return };
    if let Tracing::Ending(waiting) = tracing
        && let Some(sender) = waiting.take()
    {
        let _ = sender.send(complete);
    }
}

/// Cuts the list of events after the last whole one: Chromium writes one event
/// a line, each but the last with a comma.
fn cut(json: &mut Vec<u8>) {
    let end = memchr::memmem::rfind(json, b"},\n").map_or(0, |at| at + 1);
    json.truncate(end);
    json.extend_from_slice(b"\n]}");
}

#[cfg(test)]
mod tests {
    use super::cut;

    #[test]
    fn what_is_cut_stays_json() {
        let mut json = b"{\"traceEvents\":[{\"a\":1},\n{\"b\":{\"c\":2}},\n{\"d\":\"},".to_vec();
        cut(&mut json);
        let value: serde_json::Value = serde_json::from_slice(&json).expect("JSON");
        assert_eq!(value["traceEvents"].as_array().map(Vec::len), Some(2));
    }
}
