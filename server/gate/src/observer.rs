//! What is made of the calls of a gateway beside metrics: an access log, and traces.

use std::sync::Arc;

use browse_base::Result;

use crate::{
    metrics::Metrics,
    traces::{CallTrace, Exporter, IncomingTrace, Sampler, Span, TraceSettings},
};

/// Observes calls.
pub struct Observer {
    has_access_log: bool,
    traces: Option<Traces>,
}

struct Traces {
    exporter: Exporter,
    sampler: Sampler,
    names_tenants: bool,
    names_hosts: bool,
}

impl Observer {
    /// Starts the export of traces, if there are settings of it; `instance` names the replica.
    ///
    /// # Errors
    /// `SETTING_INVALID`.
    pub fn start(
        traces: Option<&TraceSettings>,
        has_access_log: bool,
        instance: &str,
        metrics: Arc<Metrics>,
    ) -> Result<Arc<Self>> {
        let start = |settings: &TraceSettings| -> Result<Traces> {
            Ok(Traces {
                exporter: Exporter::start(settings, instance, metrics)?,
                sampler: Sampler::new(settings.sample),
                names_tenants: settings.tenant,
                names_hosts: settings.hosts,
            })
        };
        let traces = traces.map(start).transpose()?;
        Ok(Arc::new(Self { has_access_log, traces }))
    }

    /// Exports the spans that wait, for a few seconds at most.
    pub async fn finish(&self) {
        if let Some(traces) = &self.traces {
            traces.exporter.finish().await;
        }
    }

    /// Whether each call is logged.
    pub(crate) fn has_access_log(&self) -> bool {
        self.has_access_log
    }

    /// Whether tenants are named in traces.
    pub(crate) fn names_tenants(&self) -> bool {
        self.traces.as_ref().is_some_and(|traces| traces.names_tenants)
    }

    /// Whether hosts that pages send requests to are named in traces.
    pub(crate) fn names_hosts(&self) -> bool {
        self.traces.as_ref().is_some_and(|traces| traces.names_hosts)
    }

    /// The trace of a call of an authenticated caller; none when the call is in none.
    pub(crate) fn trace_of(&self, incoming: Option<&IncomingTrace>) -> Option<CallTrace> {
        match incoming {
            Some(incoming) => incoming.take_up(self.traces.is_some()),
            None => self.begin_trace(),
        }
    }

    /// A trace that begins with a call, when it is sampled.
    pub(crate) fn begin_trace(&self) -> Option<CallTrace> {
        self.traces.as_ref()?.sampler.begin_trace()
    }

    /// Exports the spans of a call.
    pub(crate) fn export(&self, spans: Vec<Span>) {
        if let Some(traces) = &self.traces {
            traces.exporter.export(spans);
        }
    }
}
