//! What a sampled call of a fleet records for its trace.

use std::sync::Arc;

use tonic::Extensions;

use super::CallContext;
use crate::dispatch::call_spans::{PhaseTimer, SpanRecorder};

/// The recorder of a call, and whether this is one of its steps.
#[derive(Clone)]
pub(super) struct SpanScope {
    recorder: Arc<SpanRecorder>,
    is_step: bool,
}

impl SpanScope {
    /// The same for a step of the call.
    pub(super) fn of_step(&self) -> Self {
        Self { is_step: true, ..self.clone() }
    }
}

impl CallContext {
    /// Records the call when its listener has made a recorder for it.
    pub(in crate::dispatch) fn record_spans(&mut self, extensions: &Extensions) {
        let recorder = extensions.get::<Arc<SpanRecorder>>().cloned();
        self.spans = recorder.map(|recorder| {
            recorder.set_unary();
            SpanScope { recorder, is_step: false }
        });
    }

    /// Records a phase of the call, until the timer is dropped. Steps are phases themselves.
    pub(in crate::dispatch) fn begin_phase(&self, name: &'static str) -> Option<PhaseTimer> {
        let scope = self.spans.as_ref().filter(|scope| !scope.is_step)?;
        Some(scope.recorder.begin_phase(name.into()))
    }

    /// Records a step of the call, until the timer is dropped.
    pub(in crate::dispatch) fn begin_step_phase(&self) -> Option<PhaseTimer> {
        let scope = self.spans.as_ref().filter(|scope| scope.is_step)?;
        let name = self.command().name;
        Some(scope.recorder.begin_phase(format!("step {name}").into()))
    }

    /// Records the requests that the tab of the call sends from now on.
    pub(in crate::dispatch) fn watch_requests(&self) {
        if let (Some(scope), Some(tab)) = (&self.spans, self.tab_if_any()) {
            scope.recorder.watch(tab);
        }
    }
}
