//! The metrics of the gateway as Prometheus reads them.
//! Format: <https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format>.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

/// Upper bounds of the buckets of waits, in seconds.
const WAIT_BUCKETS: [f64; 10] = [0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 15.0, 60.0, 300.0];

/// The counts since the gateway started.
#[derive(Default)]
pub struct Metrics {
    queue_depth: AtomicUsize,
    claims_ok: AtomicU64,
    claims_failed: AtomicU64,
    waits: Mutex<Waits>,
    requests: Mutex<BTreeMap<u16, u64>>,
    upstream_errors: Mutex<BTreeMap<&'static str, u64>>,
    spans_exported: AtomicU64,
    spans_dropped: AtomicU64,
    spans_failed: AtomicU64,
}

/// What became of spans.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpanResult {
    /// The collector has taken them.
    Exported,
    /// The queue was full.
    Dropped,
    /// The collector did not take them.
    Failed,
}

#[derive(Default)]
struct Waits {
    buckets: [u64; WAIT_BUCKETS.len()],
    count: u64,
    seconds: f64,
}

/// What the cluster is like now.
#[derive(Clone, Copy, Debug, Default)]
pub struct FleetCounts {
    /// Warm pods that are ready.
    pub warm: usize,
    /// Pods with a tenant.
    pub claimed: usize,
    /// Sessions that have a pod.
    pub sessions: usize,
    /// Clients of the DevTools protocol that are connected.
    pub clients: usize,
    /// Whether this replica hands out places.
    pub leads: bool,
    /// Whether the cluster answers.
    pub is_available: bool,
}

impl Metrics {
    /// Notes how many callers wait.
    pub fn set_queue_depth(&self, depth: usize) {
        self.queue_depth.store(depth, Ordering::Relaxed);
    }

    /// Counts a place that was given or refused after `waited`.
    pub fn record_claim(&self, waited: Duration, is_given: bool) {
        let count = if is_given { &self.claims_ok } else { &self.claims_failed };
        count.fetch_add(1, Ordering::Relaxed);
        let mut waits = self.waits.lock().unwrap_or_else(PoisonError::into_inner);
        let seconds = waited.as_secs_f64();
        waits.count += 1;
        waits.seconds += seconds;
        for (count, bound) in waits.buckets.iter_mut().zip(WAIT_BUCKETS) {
            *count += u64::from(seconds <= bound);
        }
    }

    /// Counts a request by the code of HTTP that it was answered with.
    pub fn record_request(&self, code: u16) {
        *self.requests.lock().unwrap_or_else(PoisonError::into_inner).entry(code).or_default() += 1;
    }

    /// Counts a call that a pod did not answer.
    pub fn record_upstream_error(&self, cause: &'static str) {
        let mut errors = self.upstream_errors.lock().unwrap_or_else(PoisonError::into_inner);
        *errors.entry(cause).or_default() += 1;
    }

    /// Counts spans by what became of them.
    pub fn record_spans(&self, result: SpanResult, count: u64) {
        let total = match result {
            SpanResult::Exported => &self.spans_exported,
            SpanResult::Dropped => &self.spans_dropped,
            SpanResult::Failed => &self.spans_failed,
        };
        total.fetch_add(count, Ordering::Relaxed);
    }

    /// All metrics, with those of the cluster.
    pub fn text(&self, fleet: FleetCounts) -> String {
        let mut out = String::new();
        let gauges = [
            (
                "browse_session_queue_depth",
                "Callers that wait for a place.",
                self.queue_depth.load(Ordering::Relaxed),
            ),
            ("browse_pool_ready", "Warm pods that are ready.", fleet.warm),
            ("browse_pool_claimed", "Pods with a tenant.", fleet.claimed),
            ("browse_gate_sessions", "Sessions that have a pod.", fleet.sessions),
            (
                "browse_gate_devtools_clients",
                "Clients of the DevTools protocol that are connected.",
                fleet.clients,
            ),
            ("browse_gate_leader", "Whether this replica hands out places.", fleet.leads.into()),
            (
                "browse_gate_cluster_available",
                "Whether the API of the cluster answers.",
                fleet.is_available.into(),
            ),
        ];
        for (name, help, value) in gauges {
            head(&mut out, name, "gauge", help);
            let _ = writeln!(out, "{name} {value}");
        }
        head(&mut out, "browse_pool_claims_total", "counter", "Places that were asked for.");
        for (result, count) in [("ok", &self.claims_ok), ("failed", &self.claims_failed)] {
            let count = count.load(Ordering::Relaxed);
            let _ = writeln!(out, "browse_pool_claims_total{{result=\"{result}\"}} {count}");
        }
        self.waits.lock().unwrap_or_else(PoisonError::into_inner).write(&mut out);
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        head(&mut out, "browse_gate_requests_total", "counter", "Requests by code of HTTP.");
        for (code, count) in requests.iter() {
            let _ = writeln!(out, "browse_gate_requests_total{{code=\"{code}\"}} {count}");
        }
        let errors = self.upstream_errors.lock().unwrap_or_else(PoisonError::into_inner);
        let name = "browse_gate_upstream_errors_total";
        head(&mut out, name, "counter", "Calls that a pod did not answer.");
        for (cause, count) in errors.iter() {
            let _ = writeln!(out, "{name}{{cause=\"{cause}\"}} {count}");
        }
        head(
            &mut out,
            "browse_gate_spans_total",
            "counter",
            "Spans of traces by what became of them.",
        );
        for (result, count) in [
            ("exported", &self.spans_exported),
            ("dropped", &self.spans_dropped),
            ("failed", &self.spans_failed),
        ] {
            let count = count.load(Ordering::Relaxed);
            let _ = writeln!(out, "browse_gate_spans_total{{result=\"{result}\"}} {count}");
        }
        out
    }
}

impl Waits {
    fn write(&self, out: &mut String) {
        let name = "browse_session_queue_wait_seconds";
        head(out, name, "histogram", "Time until a place was given or refused.");
        for (count, bound) in self.buckets.iter().zip(WAIT_BUCKETS) {
            let _ = writeln!(out, "{name}_bucket{{le=\"{bound}\"}} {count}");
        }
        let Self { count, seconds, .. } = self;
        let _ = writeln!(
            out,
            "{name}_bucket{{le=\"+Inf\"}} {count}\n{name}_sum {seconds}\n{name}_count {count}"
        );
    }
}

fn head(out: &mut String, name: &str, kind: &str, help: &str) {
    let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_counted_is_printed() {
        let metrics = Metrics::default();
        metrics.record_claim(Duration::from_millis(30), true);
        metrics.record_claim(Duration::from_secs(2), false);
        metrics.record_request(200);
        metrics.record_upstream_error("connect");
        metrics.set_queue_depth(7);
        metrics.record_spans(SpanResult::Dropped, 3);
        let text = metrics.text(FleetCounts { warm: 3, leads: true, ..FleetCounts::default() });
        for line in [
            "browse_session_queue_depth 7",
            "browse_pool_ready 3",
            "browse_gate_leader 1",
            "browse_pool_claims_total{result=\"ok\"} 1",
            "browse_session_queue_wait_seconds_bucket{le=\"0.025\"} 0",
            "browse_session_queue_wait_seconds_bucket{le=\"0.05\"} 1",
            "browse_session_queue_wait_seconds_count 2",
            "browse_gate_requests_total{code=\"200\"} 1",
            "browse_gate_upstream_errors_total{cause=\"connect\"} 1",
            "browse_gate_spans_total{result=\"exported\"} 0",
            "browse_gate_spans_total{result=\"dropped\"} 3",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
    }
}
