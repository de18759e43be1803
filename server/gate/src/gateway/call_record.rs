//! What is known of one call, for the access log and for its trace. It is written when the record is
//! dropped, which is at the end of the response, however the call ends.

use std::{
    sync::Arc,
    time::{Duration, Instant, SystemTime},
};

use browse_base::{Error, Result, hex};
use browse_fleet::{
    CallSpans, SPAN_HOSTS_HEADER, SPANS_HEADER, SessionKey, SpanId, Tenant, TraceParent,
};
use browse_proto::{Command, metadata};
use http::{HeaderMap, HeaderValue, Request, Response, StatusCode, header};
use http_body::Body as _;
use hyper::body::Incoming;
use sha2::{Digest as _, Sha256};
use tonic::body::Body;

use super::{
    forward::is_success,
    observed_body::ObservedBody,
    outcome::{GrpcOutcome, OutcomeReader},
    pod_spans::{SentCall, pod_spans},
};
use crate::{
    cluster::PodRecord,
    observer::Observer,
    peer::PeerError,
    traces::{AttributeValue, CallTrace, IncomingTrace, Program, Span, SpanKind, new_span_id},
};

/// Spans of one call.
const MAX_SPANS: usize = 160;

/// Bytes of the hash of a session in the access log.
const SESSION_HASH_BYTES: usize = 8;

/// The record of one call.
pub struct CallRecord {
    observer: Arc<Observer>,
    command: Option<&'static Command>,
    /// What is called where that is not a command.
    endpoint: Option<&'static str>,
    /// `rpc.system` of OpenTelemetry.
    protocol: &'static str,
    started: Instant,
    started_at: SystemTime,
    incoming: Option<IncomingTrace>,
    trace: Option<CallTrace>,
    tenant: Option<Tenant>,
    session: Option<SessionKey>,
    pod: Option<String>,
    status: Option<StatusCode>,
    outcome: Option<GrpcOutcome>,
    /// A send that is under way.
    sending: Option<Sending>,
    /// Spans below that of the call.
    spans: Vec<Span>,
}

struct Sending {
    id: SpanId,
    started: Instant,
    pod: String,
}

impl CallRecord {
    /// Begins the record of a call.
    pub fn begin(observer: &Arc<Observer>, request: &Request<Body>) -> Self {
        let headers = request.headers();
        let kind = headers.get(header::CONTENT_TYPE).map_or(&b""[..], HeaderValue::as_bytes);
        Self {
            observer: Arc::clone(observer),
            command: Command::by_path(request.uri().path()),
            endpoint: None,
            protocol: match kind.starts_with(b"application/grpc") {
                true => "grpc",
                false => "connect_rpc",
            },
            started: Instant::now(),
            started_at: SystemTime::now(),
            incoming: IncomingTrace::read(headers),
            trace: None,
            tenant: None,
            session: None,
            pod: None,
            status: None,
            outcome: None,
            sending: None,
            spans: Vec::new(),
        }
    }

    /// Notes what is called by a path that is not that of a command. The calls that come of it have
    /// records of their own, and places in the trace of the caller.
    pub fn set_endpoint(&mut self, name: &'static str) {
        self.endpoint = Some(name);
    }

    /// Notes the command of a request that does not name it by its path.
    pub fn set_command(&mut self, command: &'static Command) {
        self.command = Some(command);
    }

    /// Notes that the caller is authenticated. From now on its call may be in its own trace.
    pub fn set_tenant(&mut self, tenant: &Tenant) {
        self.tenant = Some(tenant.clone());
        if self.endpoint.is_none() {
            self.trace = self.observer.trace_of(self.incoming.as_ref());
        }
    }

    /// Notes the session of the call.
    pub fn set_session(&mut self, session: &SessionKey) {
        self.session = Some(session.clone());
    }

    /// Notes that the gateway answers with an error.
    pub fn set_error(&mut self, error: &Error) {
        self.outcome = Some(GrpcOutcome::of_error(error));
    }

    /// Notes how the call has ended.
    pub fn set_outcome(&mut self, outcome: GrpcOutcome) {
        self.outcome = Some(outcome);
    }

    /// Does a part of the work of the gateway, with a span of that name.
    ///
    /// # Errors
    /// Those of the work.
    pub async fn time<T>(
        &mut self,
        name: &'static str,
        work: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        let started = Instant::now();
        let done = work.await;
        if self.is_sampled()
            && let Some(id) = new_span_id()
        {
            self.add_span(id, name, SpanKind::Internal, started, done.is_err(), Vec::new());
        }
        done
    }

    /// Begins to send the call to a pod: with a place in the trace that is the gateway's own.
    pub fn begin_send(&mut self, headers: &mut HeaderMap, pod: &PodRecord) {
        self.end_send(None);
        self.pod = Some(pod.name.clone());
        let Some(trace) = &self.trace else { return };
        let Some(id) = new_span_id() else { return };
        let parent =
            TraceParent { trace_id: trace.trace_id, span_id: id, is_sampled: trace.is_sampled };
        let Ok(value) = HeaderValue::try_from(parent.to_string()) else { return };
        headers.insert(metadata::TRACEPARENT, value);
        if trace.is_sampled {
            if self.observer.names_hosts() {
                headers.insert(SPAN_HOSTS_HEADER, HeaderValue::from_static("1"));
            }
            self.sending = Some(Sending { id, started: Instant::now(), pod: pod.name.clone() });
        }
    }

    /// Ends it with what the pod has answered, from which the spans of the pod are taken.
    pub fn take_response(
        &mut self,
        response: &mut std::result::Result<Response<Incoming>, PeerError>,
    ) {
        let spans =
            response.as_mut().ok().and_then(|found| found.headers_mut().remove(SPANS_HEADER));
        let spans = spans.and_then(|spans| CallSpans::parse(spans.to_str().ok()?));
        let is_error = !response.as_ref().is_ok_and(is_success);
        self.end_send(Some((spans, is_error)));
    }

    /// Observes the end of the response.
    pub fn observe(mut self, response: Response<Body>) -> Response<Body> {
        self.status = Some(response.status());
        let is_kept = self.observer.has_access_log() || self.is_sampled();
        // An error of the gateway is known whole.
        if self.outcome.is_some() || !is_kept {
            return response;
        }
        let reader = OutcomeReader::new(&response);
        if response.body().is_end_stream() {
            self.outcome = Some(reader.outcome());
            return response;
        }
        response.map(|body| Body::new(ObservedBody::new(body, reader, self)))
    }

    fn is_sampled(&self) -> bool {
        self.trace.as_ref().is_some_and(|trace| trace.is_sampled)
    }

    /// Ends the send that is under way; without an answer it was cut.
    fn end_send(&mut self, answer: Option<(Option<CallSpans>, bool)>) {
        let Some(Sending { id, started, pod }) = self.sending.take() else { return };
        let (spans, is_error) = answer.unwrap_or((None, true));
        let name = self.method();
        let attributes = self.rpc_attributes(&pod);
        self.add_span(id, name, SpanKind::Client, started, is_error, attributes);
        let trace_id = self.trace.as_ref().map(|trace| trace.trace_id);
        let (Some(spans), Some(trace_id)) = (spans, trace_id) else { return };
        let sent = SentCall {
            trace_id,
            span_id: id,
            name,
            started: self.time_of(started),
            elapsed: started.elapsed(),
            attributes: self.rpc_attributes(&pod),
            names_hosts: self.observer.names_hosts(),
        };
        let room = MAX_SPANS.saturating_sub(self.spans.len());
        self.spans.extend(pod_spans(spans, &sent).into_iter().take(room));
    }

    /// Adds a span of the gateway that ends now.
    fn add_span(
        &mut self,
        id: SpanId,
        name: &str,
        kind: SpanKind,
        started: Instant,
        is_error: bool,
        attributes: Vec<(&'static str, AttributeValue)>,
    ) {
        let (start, end) = (self.time_of(started), self.time_of(Instant::now()));
        let Some(trace) = self.trace.as_ref().filter(|_| self.spans.len() < MAX_SPANS) else {
            return;
        };
        let span = Span {
            program: Program::Gate,
            trace_id: trace.trace_id,
            id,
            parent: Some(trace.span_id),
            has_remote_parent: false,
            state: None,
            name: name.to_owned(),
            kind,
            start,
            end,
            attributes,
            is_error,
        };
        self.spans.push(span);
    }

    /// Service and method, such as `browse.v1.BrowserService/Goto`.
    fn method(&self) -> &'static str {
        self.command.map_or("unknown", |command| command.path.trim_start_matches('/'))
    }

    fn rpc_attributes(&self, pod: &str) -> Vec<(&'static str, AttributeValue)> {
        let (service, method) = self.method().split_once('/').unwrap_or_default();
        vec![
            ("rpc.system", self.protocol.into()),
            ("rpc.service", service.into()),
            ("rpc.method", method.into()),
            ("browse.pod", pod.into()),
        ]
    }

    /// The time of the clock at an instant of the call.
    fn time_of(&self, instant: Instant) -> SystemTime {
        self.started_at + instant.saturating_duration_since(self.started)
    }

    /// The span of the call.
    fn root_span(&self, trace: &CallTrace, outcome: GrpcOutcome) -> Span {
        let mut attributes = self.rpc_attributes(self.pod.as_deref().unwrap_or_default());
        attributes.retain(|(_, value)| *value != AttributeValue::Text(String::new()));
        attributes.push(("rpc.grpc.status_code", outcome.code.into()));
        if let Some(reason) = outcome.reason {
            attributes.push(("browse.reason", reason.into()));
        }
        if let Some(status) = self.status {
            attributes.push(("http.response.status_code", status.as_u16().into()));
        }
        if let Some(tenant) = self.tenant.as_ref().filter(|_| self.observer.names_tenants()) {
            attributes.push(("browse.tenant", tenant.as_str().into()));
        }
        Span {
            program: Program::Gate,
            trace_id: trace.trace_id,
            id: trace.span_id,
            parent: trace.parent,
            has_remote_parent: trace.parent.is_some(),
            state: trace.state.clone(),
            name: self.method().to_owned(),
            kind: SpanKind::Server,
            start: self.started_at,
            end: self.time_of(Instant::now()),
            attributes,
            is_error: outcome.is_server_error(),
        }
    }

    fn export(&mut self, outcome: GrpcOutcome) {
        // Anybody can make up a path that is not that of a method.
        if self.command.is_none() {
            return;
        }
        if self.tenant.is_none() {
            // The trace of a caller who is not authenticated is not taken up.
            self.trace = self.observer.begin_trace();
        }
        let Some(trace) = self.trace.as_ref().filter(|trace| trace.is_sampled) else { return };
        let root = self.root_span(trace, outcome);
        let mut spans = std::mem::take(&mut self.spans);
        spans.push(root);
        self.observer.export(spans);
    }

    /// Writes the line of the access log: no token, address or text of a page is in it.
    fn log(&self, outcome: GrpcOutcome, duration: Duration) {
        let trace_id = self.trace.as_ref().map(|trace| trace.trace_id.to_string());
        let session = self.session.as_ref().map(|session| {
            let hash = Sha256::digest(session.to_string());
            hex(&hash[..SESSION_HASH_BYTES])
        });
        tracing::info!(
            target: "access",
            method = self.command.map(|_| self.method()).or(self.endpoint),
            status = self.status.map(|status| u64::from(status.as_u16())),
            code = i64::from(outcome.code),
            reason = outcome.reason,
            duration_ms = (duration.as_secs_f64() * 1e6).round() / 1e3,
            tenant = self.tenant.as_ref().map(Tenant::as_str),
            session,
            pod = self.pod.as_deref(),
            trace_id,
            "call"
        );
    }
}

impl Drop for CallRecord {
    fn drop(&mut self) {
        self.end_send(None);
        let outcome = self.outcome.unwrap_or(GrpcOutcome::CANCELLED);
        self.export(outcome);
        if self.observer.has_access_log() {
            self.log(outcome, self.started.elapsed());
        }
    }
}
