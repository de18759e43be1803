//! Records what a sampled call of a fleet does, for its trace: the phases of its command, and the
//! requests that its pages send meanwhile. The listener of a pod makes a recorder for a call that
//! the gateway samples, and for no other; what it reads is there anyway.

use std::{
    borrow::Cow,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use browse_base::now_ms;
use browse_fleet::{CallSpans, MAX_PHASES, MAX_REQUESTS, PhaseSpan, RequestSpan, known_method};
use browse_proto::v1::NetworkEntry;
use browse_sessions::Tab;
use url::Url;

/// The recorder of one call.
pub struct SpanRecorder {
    started: Instant,
    started_ms: u64,
    /// Whether the origins of requests are recorded, too.
    with_origins: bool,
    state: Mutex<Recorded>,
}

#[derive(Default)]
struct Recorded {
    /// Whether the call is of a command that answers once.
    is_unary: bool,
    phases: Vec<PhaseSpan>,
    /// Tabs that the call uses, each with the number of its first request.
    tabs: Vec<(Arc<Tab>, u64)>,
}

/// Records a phase when it is dropped.
pub(super) struct PhaseTimer {
    recorder: Arc<SpanRecorder>,
    name: Cow<'static, str>,
    started: Instant,
}

impl SpanRecorder {
    /// A recorder for a call that begins now.
    pub fn start(with_origins: bool) -> Arc<Self> {
        Arc::new(Self {
            started: Instant::now(),
            started_ms: now_ms(),
            with_origins,
            state: Mutex::default(),
        })
    }

    /// What was recorded; none for a stream, which goes on after its response has begun.
    pub fn finish(&self) -> Option<CallSpans> {
        let duration_us = micros(self.started.elapsed());
        let recorded = std::mem::take(&mut *self.lock());
        if !recorded.is_unary {
            return None;
        }
        let mut spans = CallSpans { duration_us, phases: recorded.phases, ..CallSpans::default() };
        for (tab, first) in recorded.tabs {
            // What a person does in it is theirs.
            if tab.page().is_private() {
                continue;
            }
            let (lines, _) = tab.network().since(first);
            let entries = lines.iter().map(|line| &line.summary);
            for entry in entries.filter(|entry| is_of_network(&entry.url)) {
                match spans.requests.len() < MAX_REQUESTS {
                    true => spans.requests.push(self.request_span(entry)),
                    false => spans.left_out += 1,
                }
            }
        }
        Some(spans)
    }

    /// Notes that the call is of a command that answers once.
    pub(super) fn set_unary(&self) {
        self.lock().is_unary = true;
    }

    /// Records the requests of a tab from now on.
    pub(super) fn watch(&self, tab: &Arc<Tab>) {
        let mut recorded = self.lock();
        if recorded.tabs.iter().all(|(known, _)| known.id() != tab.id()) {
            recorded.tabs.push((Arc::clone(tab), tab.network().next_number()));
        }
    }

    /// Records a phase that lasts until the timer is dropped.
    pub(super) fn begin_phase(self: &Arc<Self>, name: Cow<'static, str>) -> PhaseTimer {
        PhaseTimer { recorder: Arc::clone(self), name, started: Instant::now() }
    }

    fn request_span(&self, entry: &NetworkEntry) -> RequestSpan {
        let status = entry.status.and_then(|status| u16::try_from(status).ok());
        RequestSpan {
            method: known_method(&entry.method).to_owned(),
            kind: entry.r#type.clone(),
            status: status.filter(|status| (100..=599).contains(status)),
            start_us: entry.time_ms.saturating_sub(self.started_ms).saturating_mul(1000),
            duration_us: entry.duration_ms.map(|time| (time.max(0.0) * 1000.0) as u64),
            is_failed: entry.failure.is_some(),
            origin: if self.with_origins { origin(&entry.url) } else { None },
        }
    }

    fn lock(&self) -> MutexGuard<'_, Recorded> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for PhaseTimer {
    fn drop(&mut self) {
        let start = self.started.saturating_duration_since(self.recorder.started);
        let phase = PhaseSpan {
            name: std::mem::take(&mut self.name).into_owned(),
            start_us: micros(start),
            duration_us: micros(self.started.elapsed()),
        };
        let mut recorded = self.recorder.lock();
        if recorded.phases.len() < MAX_PHASES {
            recorded.phases.push(phase);
        }
    }
}

/// Whether a request leaves the browser: `data:` and `blob:` do not.
fn is_of_network(url: &str) -> bool {
    url.starts_with("http") || url.starts_with("ws")
}

/// Scheme and host, with the port where it is not the usual one.
fn origin(url: &str) -> Option<String> {
    let origin = Url::parse(url).ok()?.origin();
    origin.is_tuple().then(|| origin.ascii_serialization())
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(url: &str, time_ms: u64) -> NetworkEntry {
        NetworkEntry {
            method: "POST".to_owned(),
            url: url.to_owned(),
            r#type: "fetch".to_owned(),
            status: Some(204),
            duration_ms: Some(12.5),
            time_ms,
            ..NetworkEntry::default()
        }
    }

    #[test]
    fn phases_are_recorded_when_they_end_also_when_the_call_is_cut() {
        let recorder = SpanRecorder::start(false);
        assert_eq!(recorder.finish(), None, "a stream has none");
        recorder.set_unary();
        drop(recorder.begin_phase("tab".into()));
        drop(recorder.begin_phase("step click".to_owned().into()));
        let spans = recorder.finish().expect("it answers once");
        let names: Vec<_> = spans.phases.iter().map(|phase| phase.name.as_str()).collect();
        assert_eq!(names, ["tab", "step click"]);
        let ends = spans.phases.iter().map(|phase| phase.start_us + phase.duration_us);
        assert!(ends.max().expect("two") <= spans.duration_us, "{spans:?}");
    }

    #[test]
    fn a_request_has_an_origin_when_it_is_asked_for_and_never_a_path() {
        let url = "https://a.example:8443/secret?token=1#x";
        let plain = SpanRecorder::start(false);
        let request = plain.request_span(&entry(url, plain.started_ms + 40));
        assert_eq!((request.method.as_str(), request.status), ("POST", Some(204)));
        assert_eq!((request.start_us, request.duration_us), (40_000, Some(12_500)));
        assert_eq!(request.origin, None);
        let with_origins = SpanRecorder::start(true);
        let request = with_origins.request_span(&entry(url, 0));
        assert_eq!(request.origin.as_deref(), Some("https://a.example:8443"));
        assert_eq!(request.start_us, 0, "it began before the call");
        assert!(is_of_network("wss://a.example") && !is_of_network("data:text/plain,secret"));
    }
}
