//! Which calls are sampled. A trace that a caller has begun is taken up when the caller is
//! authenticated, and its flag decides; every other call may begin one.

use browse_base::random;
use browse_fleet::{SpanId, TraceId, TraceParent};
use browse_proto::metadata;
use http::HeaderMap;

use super::trace_state;

/// Header beside `traceparent`.
const TRACESTATE: &str = "tracestate";

/// The trace that a caller names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncomingTrace {
    parent: TraceParent,
    state: Option<String>,
}

/// The place of a call in a trace.
#[derive(Clone, Debug)]
pub struct CallTrace {
    /// The trace.
    pub trace_id: TraceId,
    /// The span of the call.
    pub span_id: SpanId,
    /// The span of the caller; none for a trace that begins here.
    pub parent: Option<SpanId>,
    /// The `tracestate` of the caller.
    pub state: Option<String>,
    /// Whether its spans are exported.
    pub is_sampled: bool,
}

/// Samples traces that begin here, by their id.
#[derive(Clone, Copy, Debug)]
pub struct Sampler(u64);

impl IncomingTrace {
    /// Reads the headers of a call; none when `traceparent` is missing, malformed, or there twice.
    pub fn read(headers: &HeaderMap) -> Option<Self> {
        let mut parents = headers.get_all(metadata::TRACEPARENT).iter();
        let parent = TraceParent::parse(parents.next()?.to_str().ok()?)?;
        if parents.next().is_some() {
            return None;
        }
        let state = trace_state::read(headers.get_all(TRACESTATE).iter());
        Some(Self { parent, state })
    }

    /// Takes the trace up; without `can_sample`, it is passed on only.
    pub fn take_up(&self, can_sample: bool) -> Option<CallTrace> {
        Some(CallTrace {
            trace_id: self.parent.trace_id,
            span_id: new_span_id()?,
            parent: Some(self.parent.span_id),
            state: self.state.clone(),
            is_sampled: can_sample && self.parent.is_sampled,
        })
    }
}

impl Sampler {
    /// Samples this part of traces, from 0 to 1.
    pub fn new(part: f64) -> Self {
        Self((part * (1_u64 << 63) as f64) as u64)
    }

    /// A trace that begins with a call, when it is sampled. The decision depends on nothing but the
    /// id, as that of `TraceIdRatioBased` of OpenTelemetry.
    pub fn begin_trace(self) -> Option<CallTrace> {
        let bytes = random::<16>().ok()?;
        let [.., a, b, c, d, e, f, g, h] = bytes;
        if u64::from_be_bytes([a, b, c, d, e, f, g, h]) >> 1 >= self.0 {
            return None;
        }
        Some(CallTrace {
            trace_id: TraceId::new(bytes)?,
            span_id: new_span_id()?,
            parent: None,
            state: None,
            is_sampled: true,
        })
    }
}

/// A new id of a span; none when the system has no random numbers.
pub fn new_span_id() -> Option<SpanId> {
    SpanId::new(random().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    fn read(headers: &[(&'static str, &str)]) -> Option<IncomingTrace> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, value.parse().expect("a header"));
        }
        IncomingTrace::read(&map)
    }

    #[test]
    fn a_trace_is_taken_up_with_a_span_of_its_own() {
        let incoming = read(&[("traceparent", PARENT), ("tracestate", "a=1")]).expect("valid");
        let trace = incoming.take_up(true).expect("random numbers");
        assert_eq!(trace.trace_id.to_string(), "4bf92f3577b34da6a3ce929d0e0e4736");
        assert_eq!(
            trace.parent.map(|parent| parent.to_string()).as_deref(),
            Some("00f067aa0ba902b7")
        );
        assert_ne!(Some(trace.span_id), trace.parent);
        assert_eq!((trace.is_sampled, trace.state.as_deref()), (true, Some("a=1")));
        assert!(!incoming.take_up(false).expect("random numbers").is_sampled);
        let unsampled = read(&[("traceparent", &PARENT.replace("-01", "-00"))]).expect("valid");
        assert!(!unsampled.take_up(true).expect("random numbers").is_sampled);
    }

    #[test]
    fn what_is_malformed_is_not_taken_up() {
        assert_eq!(read(&[]), None);
        assert_eq!(read(&[("tracestate", "a=1")]), None);
        assert_eq!(read(&[("traceparent", "garbage")]), None);
        assert_eq!(read(&[("traceparent", PARENT), ("traceparent", PARENT)]), None);
        // The other header does not spoil it.
        let incoming = read(&[("traceparent", PARENT), ("tracestate", "=")]).expect("valid");
        assert_eq!(incoming.state, None);
    }

    #[test]
    fn a_part_of_the_traces_that_begin_here_is_sampled() {
        let count = |part: f64| {
            let sampler = Sampler::new(part);
            (0..2000).filter(|_| sampler.begin_trace().is_some()).count()
        };
        assert_eq!((count(0.0), count(1.0)), (0, 2000));
        // Ten standard deviations.
        assert!((376..=824).contains(&count(0.3)));
    }
}
