//! What the recorder of a call hands to the trace of its session: the arguments without secrets.

use browse_base::Error;
use serde_json::{Map, Value};

use super::CallRecorder;
use crate::dispatch::{CallContext, step_trace::StepTrace};

/// Text of a call that failed, for a field that is not known, is looked for in pages when it has so
/// many characters.
const MIN_UNKNOWN_SECRET_CHARS: usize = 6;

/// A step of a trace that has ended.
pub struct EndedStep {
    trace: StepTrace,
    arguments: Map<String, Value>,
    element: Option<String>,
}

impl EndedStep {
    /// Writes it, with what was found in the answer.
    pub async fn write(self, cx: &CallContext) {
        self.trace.write(self.arguments, self.element, cx.findings_so_far()).await;
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
        Some(EndedStep { trace, arguments, element: self.step.label.clone() })
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
    async fn traced_arguments(&mut self, cx: &CallContext, has_failed: bool) -> Map<String, Value> {
        let types = matches!(self.step.command.name, "fill" | "type" | "press");
        if types && !self.is_field_known() && !has_failed && self.number.is_none() {
            // It was not there before the call. (A recording knows only what was.)
            self.name_targets(cx).await;
        }
        let mut arguments = self.step.fields.clone();
        let is_unknown = match self.step.command.name {
            "dialog-accept" => self.question.is_none(),
            _ => types && !self.is_field_known(),
        };
        let is_password = self.step.element.as_ref().is_some_and(|[.., kind]| kind == "password");
        for name in ["text", "key"] {
            let Some(Value::String(text)) = arguments.get(name) else { continue };
            // `Shift+H` is text, and a named key such as Enter is not.
            let is_text = name == "text"
                || text.rsplit('+').next().is_some_and(|last| last.chars().count() <= 1);
            if !is_text || !(is_unknown || is_password) {
                continue;
            }
            // A short one is part of many words.
            if let Some(trace) = &self.trace
                && (!has_failed || text.chars().count() >= MIN_UNKNOWN_SECRET_CHARS)
            {
                trace.add_secret(text);
            }
            arguments.insert(name.to_owned(), Value::Null);
        }
        arguments
    }
}
