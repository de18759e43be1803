//! The spans of a pod, from what it reports of a sampled call. Its clock is another one: what it
//! reports lies in the middle of the time that the call took from here.

use std::time::{Duration, SystemTime};

use browse_fleet::{CallSpans, PhaseSpan, RequestSpan, SpanId, TraceId};

use crate::traces::{AttributeValue, Program, Span, SpanKind, new_span_id};

/// A call as it was sent to a pod.
pub struct SentCall {
    /// Its trace.
    pub trace_id: TraceId,
    /// The span of the send.
    pub span_id: SpanId,
    /// Service and method.
    pub name: &'static str,
    /// When it was sent.
    pub started: SystemTime,
    /// Time until the response began.
    pub elapsed: Duration,
    /// What is known of the call.
    pub attributes: Vec<(&'static str, AttributeValue)>,
    /// Whether hosts may be named.
    pub names_hosts: bool,
}

/// What spans of a pod have in common.
struct SpanParent<'a> {
    sent: &'a SentCall,
    id: SpanId,
    start: SystemTime,
    duration: Duration,
}

/// The span of the call in its pod, with its phases and the requests of pages below it; none when
/// the system has no random numbers.
pub fn pod_spans(reported: CallSpans, sent: &SentCall) -> Vec<Span> {
    let Some(id) = new_span_id() else { return Vec::new() };
    let duration = Duration::from_micros(reported.duration_us).min(sent.elapsed);
    let start = sent.started + (sent.elapsed - duration) / 2;
    let parent = SpanParent { sent, id, start, duration };
    let mut attributes = sent.attributes.clone();
    if reported.left_out > 0 {
        let count = i64::try_from(reported.left_out).unwrap_or(i64::MAX);
        attributes.push(("browse.requests_left_out", AttributeValue::Number(count)));
    }
    let own = Span {
        program: Program::Pod,
        trace_id: sent.trace_id,
        id,
        parent: Some(sent.span_id),
        has_remote_parent: false,
        state: None,
        name: sent.name.to_owned(),
        kind: SpanKind::Server,
        start,
        end: start + duration,
        attributes,
        is_error: false,
    };
    let phases = reported.phases.iter().filter_map(|phase| parent.phase(phase));
    let requests = reported.requests.iter().filter_map(|request| parent.request(request));
    std::iter::once(own).chain(phases).chain(requests).collect()
}

impl SpanParent<'_> {
    fn phase(&self, phase: &PhaseSpan) -> Option<Span> {
        let end_us = phase.start_us.saturating_add(phase.duration_us);
        self.child(phase.name.clone(), SpanKind::Internal, phase.start_us, Some(end_us))
    }

    /// Attributes by the semantic conventions of OpenTelemetry for clients of HTTP.
    fn request(&self, request: &RequestSpan) -> Option<Span> {
        let end_us = request.duration_us.map(|time| request.start_us.saturating_add(time));
        let method = request.method.as_str();
        // The name of a span with a made-up method is `HTTP`.
        let name = if method == "_OTHER" { "HTTP" } else { method };
        let mut span = self.child(name.to_owned(), SpanKind::Client, request.start_us, end_us)?;
        span.attributes.push(("http.request.method", method.into()));
        span.attributes.push(("browse.resource_type", request.kind.as_str().into()));
        if let Some(status) = request.status {
            span.attributes.push(("http.response.status_code", status.into()));
        }
        if request.is_failed {
            span.attributes.push(("error.type", "_OTHER".into()));
        }
        if end_us.is_none() {
            span.attributes.push(("browse.unfinished", true.into()));
        }
        if let Some(origin) = request.origin.as_deref().filter(|_| self.sent.names_hosts) {
            span.attributes.extend(origin_attributes(origin));
        }
        span.is_error = request.is_failed || request.status.is_some_and(|status| status >= 400);
        Some(span)
    }

    /// A span within that of the pod. One without an end lasts as long as that.
    fn child(
        &self,
        name: String,
        kind: SpanKind,
        start_us: u64,
        end_us: Option<u64>,
    ) -> Option<Span> {
        let at = |micros: u64| self.start + Duration::from_micros(micros).min(self.duration);
        Some(Span {
            program: Program::Pod,
            trace_id: self.sent.trace_id,
            id: new_span_id()?,
            parent: Some(self.id),
            has_remote_parent: false,
            state: None,
            name,
            kind,
            start: at(start_us),
            end: end_us.map_or(self.start + self.duration, at),
            attributes: Vec::new(),
            is_error: false,
        })
    }
}

fn origin_attributes(origin: &str) -> Vec<(&'static str, AttributeValue)> {
    let Some((scheme, authority)) = origin.split_once("://") else { return Vec::new() };
    let port = authority.rsplit_once(':').and_then(|(host, port)| {
        // The colons of an IPv6 address stand in brackets.
        (!port.ends_with(']')).then_some((host, port.parse::<u16>().ok()?))
    });
    let host = port.map_or(authority, |(host, _)| host);
    let mut attributes: Vec<(&'static str, AttributeValue)> =
        vec![("url.scheme", scheme.into()), ("server.address", host.into())];
    if let Some((_, port)) = port {
        attributes.push(("server.port", port.into()));
    }
    attributes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(names_hosts: bool) -> SentCall {
        SentCall {
            trace_id: TraceId::new([1; 16]).expect("not zero"),
            span_id: SpanId::new([2; 8]).expect("not zero"),
            name: "browse.v1.BrowserService/Goto",
            started: SystemTime::UNIX_EPOCH + Duration::from_secs(1000),
            elapsed: Duration::from_millis(110),
            attributes: vec![("browse.pod", "pod-1".into())],
            names_hosts,
        }
    }

    fn request() -> RequestSpan {
        RequestSpan {
            method: "GET".to_owned(),
            kind: "document".to_owned(),
            status: Some(404),
            start_us: 10_000,
            duration_us: Some(30_000),
            is_failed: false,
            origin: Some("https://a.example:8443".to_owned()),
        }
    }

    fn offsets(span: &Span) -> (u128, u128) {
        let begin = SystemTime::UNIX_EPOCH + Duration::from_secs(1000);
        let since = |time: SystemTime| time.duration_since(begin).expect("later").as_millis();
        (since(span.start), since(span.end))
    }

    #[test]
    fn spans_of_a_pod_lie_in_the_time_of_its_call() {
        let reported = CallSpans {
            duration_us: 100_000,
            phases: vec![PhaseSpan { name: "handler".into(), start_us: 1_000, duration_us: 9_000 }],
            requests: vec![
                request(),
                RequestSpan { start_us: u64::MAX, duration_us: Some(u64::MAX), ..request() },
                RequestSpan { duration_us: None, ..request() },
            ],
            left_out: 2,
        };
        let spans = pod_spans(reported, &sent(false));
        let found: Vec<_> = spans.iter().map(offsets).collect();
        assert_eq!(found, [(5, 105), (6, 15), (15, 45), (105, 105), (15, 105)]);
        assert_eq!(spans[0].parent, SpanId::new([2; 8]));
        assert!(spans[1..].iter().all(|span| span.parent == Some(spans[0].id)));
        assert!(spans[2].is_error && !spans[1].is_error);
        for (span, name, value) in [
            (&spans[0], "browse.requests_left_out", AttributeValue::Number(2)),
            (&spans[2], "http.response.status_code", AttributeValue::Number(404)),
            (&spans[4], "browse.unfinished", AttributeValue::Flag(true)),
        ] {
            assert!(span.attributes.contains(&(name, value)), "{name}: {span:?}");
        }
        // A pod cannot make its call longer than it was.
        let long = CallSpans { duration_us: u64::MAX, ..CallSpans::default() };
        assert_eq!(offsets(&pod_spans(long, &sent(false))[0]), (0, 110));
    }

    #[test]
    fn hosts_are_named_when_the_settings_ask_for_it() {
        let reported = || CallSpans { requests: vec![request()], ..CallSpans::default() };
        let plain = pod_spans(reported(), &sent(false));
        assert!(plain[1].attributes.iter().all(|(key, _)| *key != "server.address"));
        let named = pod_spans(reported(), &sent(true));
        let text = |text: &str| AttributeValue::from(text);
        for attribute in [
            ("url.scheme", text("https")),
            ("server.address", text("a.example")),
            ("server.port", AttributeValue::Number(8443)),
        ] {
            assert!(named[1].attributes.contains(&attribute), "{attribute:?}");
        }
        for (origin, host, port) in [
            ("https://a.example", "a.example", None),
            ("http://[::1]", "[::1]", None),
            ("http://[::1]:81", "[::1]", Some(81)),
        ] {
            let found = origin_attributes(origin);
            assert_eq!(found[1], ("server.address", text(host)), "{origin}");
            let port = port.map(|port| ("server.port", AttributeValue::Number(port)));
            assert_eq!(found.get(2), port.as_ref(), "{origin}");
        }
    }
}
