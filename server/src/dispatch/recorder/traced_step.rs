//! What the recorder of a call hands to the trace of its session: the arguments without secrets,
//! and what a skill needs to repeat the call.

use browse_base::Error;
use browse_proto::Reason;
use serde_json::{Map, Value};
use zeroize::Zeroizing;

use super::{CallRecorder, TYPED_BY_KEYS};
use crate::{
    dispatch::{CallContext, step_trace::StepTrace},
    skills::{
        program::SecretRef,
        record::{RecordedStep, TracedCall},
    },
};

/// Text of a call that failed, for a field that is not known, is looked for in pages when it has so
/// many characters.
const MIN_UNKNOWN_SECRET_CHARS: usize = 6;

/// A step of a trace that has ended.
pub struct EndedStep {
    trace: StepTrace,
    arguments: TracedArguments,
    element: Option<String>,
    call: Option<TracedCall>,
}

/// The arguments of a call without secrets.
struct TracedArguments {
    fields: Map<String, Value>,
    /// Text for a field that is not known.
    unknown_text: Option<Zeroizing<String>>,
    /// Whether a key went to such a field.
    has_unknown_key: bool,
}

impl EndedStep {
    /// Whether more of it is kept, for a skill.
    pub(super) fn is_recorded(&self) -> bool {
        self.trace.is_recorded()
    }

    /// Adds what a skill needs to repeat the call. `page` is what it read.
    pub(super) fn add_call(&mut self, cx: &CallContext, call: &CallRecorder, page: Option<&str>) {
        self.trace.check_held(cx);
        if !self.is_recorded() {
            return;
        }
        let mut step = RecordedStep { fields: self.arguments.fields.clone(), ..call.step.clone() };
        let typed = call.typed_text.as_ref().filter(|_| step.secret.is_some());
        let mut secret = typed.map(|text| Zeroizing::new(text.clone()));
        // A skill leaves out what failed, unless it led to a question.
        let may_count =
            step.failure_reason.is_none_or(|reason| reason == Reason::DialogOpen.name());
        if let Some(text) = self.arguments.unknown_text.take().filter(|_| may_count) {
            step.secret = Some(SecretRef { index: 0, kind: "secret" });
            secret = Some(text);
        }
        if self.arguments.has_unknown_key {
            step.unrepeatable_reason = Some(TYPED_BY_KEYS.to_owned());
        }
        self.call = Some(TracedCall {
            step,
            secret,
            question: call.question.as_ref().map(|question| question.id),
            late_file: call.late_file.clone(),
            sent_before: self.trace.take_sent_before(),
            page: page.map(str::to_owned),
        });
    }

    /// Writes it, with what was found in the answer.
    pub async fn write(self, cx: &CallContext) {
        let Self { trace, arguments, element, call } = self;
        trace.write(arguments.fields, element, cx.findings_so_far(), call).await;
    }
}

impl CallRecorder {
    /// Looks at the page after the call, for its trace.
    pub(super) async fn take_trace(
        &mut self,
        cx: &CallContext,
        failure: Option<&Error>,
    ) -> Option<EndedStep> {
        self.trace.as_ref()?;
        let arguments = self.traced_arguments(cx, failure.is_some()).await;
        let mut trace = self.trace.take()?;
        if let Some(text) = self.typed_text.as_deref().filter(|_| self.step.secret.is_some()) {
            trace.add_secret(text);
        }
        trace.look_after(cx, failure).await;
        Some(EndedStep { trace, arguments, element: self.step.label.clone(), call: None })
    }

    /// Whether it is known into what kind of field the call types: what stands in a frame
    /// that has the focus is not.
    fn is_field_known(&self) -> bool {
        let tag = self.step.element.as_ref().map(|[tag, ..]| tag.as_str());
        tag.is_some_and(|tag| {
            !matches!(tag, "iframe" | "frame" | "object" | "embed" | "fencedframe")
        })
    }

    /// The arguments for a trace. Text for a field that is not known is taken for a secret.
    async fn traced_arguments(&mut self, cx: &CallContext, has_failed: bool) -> TracedArguments {
        let types = matches!(self.step.command.name, "fill" | "type" | "press");
        if types && !self.is_field_known() && !has_failed && self.number.is_none() {
            // It was not there before the call. (A recording knows only what was.)
            self.name_targets(cx).await;
            // What it held before is not known.
            self.step.field = None;
        }
        let mut arguments = TracedArguments {
            fields: self.step.fields.clone(),
            unknown_text: None,
            has_unknown_key: false,
        };
        let is_unknown = match self.step.command.name {
            "dialog-accept" => self.question.is_none(),
            _ => types && !self.is_field_known(),
        };
        let is_password = self.step.element.as_ref().is_some_and(|[.., kind]| kind == "password");
        if !is_unknown && !is_password {
            return arguments;
        }
        for name in ["text", "key"] {
            let Some(Value::String(text)) = arguments.fields.get(name) else { continue };
            // `Shift+H` is text, and a named key such as Enter is not.
            let is_text = name == "text"
                || text.rsplit('+').next().is_some_and(|last| last.chars().count() <= 1);
            if !is_text || text.is_empty() {
                continue;
            }
            // A short one is part of many words.
            if let Some(trace) = &self.trace
                && (!has_failed || text.chars().count() >= MIN_UNKNOWN_SECRET_CHARS)
            {
                trace.add_secret(text);
            }
            match name {
                "text" => arguments.unknown_text = Some(Zeroizing::new(text.clone())),
                _ => arguments.has_unknown_key = true,
            }
            arguments.fields.insert(name.to_owned(), Value::Null);
        }
        arguments
    }
}
