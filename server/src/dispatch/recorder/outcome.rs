//! What a recorder finds out when a call has ended.

use std::time::Duration;

use browse_proto::{Command, StepRole, render, wire};
use serde_json::{Map, Value, json};
use tokio::time::{Instant, timeout_at};

use super::{CallRecorder, page_location, traced_step::EndedStep};
use crate::dispatch::ResponseMessage;
use crate::{
    dispatch::CallContext,
    skills::record::{PageLocation, RecordedStep},
};
use browse_base::{Error, Result};
use browse_chromium::{AnsweredBy, Dialog, DialogAnswer};

/// Time that looking at a field after the call may take.
const FIELD_STATE_TIMEOUT: Duration = Duration::from_millis(500);

/// Time that keeping the page may take.
const PAGE_HTML_TIMEOUT: Duration = Duration::from_secs(3);

/// Largest answer that is kept, in bytes.
const MAX_ANSWER_BYTES: usize = 1 << 20;

impl CallRecorder {
    /// Notes how a call ended that saves a file; what is known of the file goes in
    /// the place of an answer.
    pub async fn finish_saved(mut self, cx: &CallContext, outcome: Result<Option<Value>, &Error>) {
        let failure = outcome.as_ref().err().copied();
        self.record_outcome(cx, failure);
        let traced = self.take_trace(cx, failure).await;
        let source = self.step.fields.get("source").and_then(Value::as_str).unwrap_or_default();
        if source.starts_with("@d") {
            self.step.unrepeatable_reason =
                Some("it saves a file that is kept: use `click --download`".to_owned());
        }
        self.step.answer = outcome.ok().flatten();
        let page = if self.step.saves_file() { page_html(cx).await } else { None };
        if let Some(mut traced) = traced {
            traced.add_call(cx, &self, page.as_deref());
            traced.write(cx).await;
        }
        self.store(cx, page);
    }

    /// Notes where the tab is, which questions there were, and whether it failed.
    fn record_outcome(&mut self, cx: &CallContext, failure: Option<&Error>) {
        if let Some(tab) = cx.tab_if_any() {
            (self.step.tab, self.step.after) = (tab.id(), page_location(cx));
            let open =
                tab.page().open_dialog().filter(|question| question.opened_at >= self.started);
            self.step.opened_dialog = open.map(|question| question.id);
            let closed = tab.dialogs().after(self.dialogs);
            self.step.dialog_answers =
                closed.into_iter().filter_map(|line| dialog_answer_step(&line.dialog)).collect();
        }
        self.step.failure_reason = failure.map(|error| error.reason().name());
    }

    /// Notes how the call ended. What is answered for a trace is written when it is known what
    /// was found in the answer.
    pub async fn finish(
        mut self,
        cx: &CallContext,
        outcome: Result<&dyn ResponseMessage, &Error>,
    ) -> Option<EndedStep> {
        let failure = outcome.as_ref().err().copied();
        self.record_outcome(cx, failure);
        let mut traced = self.take_trace(cx, failure).await;
        if self.number.is_none() && !traced.as_ref().is_some_and(EndedStep::is_recorded) {
            return traced;
        }
        let page = self.record_response(cx, outcome.ok()).await;
        if let Some(traced) = &mut traced {
            traced.add_call(cx, &self, page.as_deref());
        }
        self.store(cx, page);
        traced
    }

    /// Notes what the call answered and did, and returns the page of one that has a result.
    async fn record_response(
        &mut self,
        cx: &CallContext,
        response: Option<&dyn ResponseMessage>,
    ) -> Option<String> {
        if self.step.failure_reason.is_none() && !self.step.changed_document() {
            self.read_field(cx).await;
        }
        let bytes = response?.encoded();
        let fields = wire::decode(self.step.command.response, &bytes).unwrap_or_default();
        self.record_opened_tab(&fields);
        self.record_download(&fields);
        if self.step.role() == StepRole::Read {
            self.record_answer(&fields);
        }
        match self.step.has_result() {
            true => page_html(cx).await,
            false => None,
        }
    }

    /// Finds out what the field holds now.
    async fn read_field(&mut self, cx: &CallContext) {
        let step = &mut self.step;
        let (is_read, is_secret) = (step.role() == StepRole::Read, step.secret.is_some());
        let Some(field) = step.field.as_mut().filter(|_| !is_read) else { return };
        let Some(tab) = cx.tab_if_any() else { return };
        let limit = (Instant::now() + FIELD_STATE_TIMEOUT).min(cx.deadline());
        let typed = self.typed_text.as_deref().or(step.fields.get("text").and_then(Value::as_str));
        let now = tab.engine().field_state(field.identity, step.frame.as_ref(), typed);
        if let Ok(Ok(now)) = timeout_at(limit, now).await {
            field.after = now.value.filter(|_| !is_secret);
            field.is_as_typed = now.is_as_typed;
        }
    }

    /// The tab that an action opened, or that `newtab` answers with.
    fn record_opened_tab(&mut self, response: &Map<String, Value>) {
        let receipt = response.get("receipt").and_then(Value::as_object);
        self.step.opened_tab =
            receipt.and_then(|receipt| receipt.get("new_tab")).and_then(Value::as_u64);
        if self.step.command.name == "newtab" {
            let tab = response.get("tab_id").and_then(Value::as_u64);
            let url = response.get("url").and_then(Value::as_str).unwrap_or_default().to_owned();
            self.step.tab = tab.unwrap_or_default();
            self.step.after = PageLocation { document: format!("tab {}", self.step.tab), url };
        }
    }

    /// A click that made the page send a file saves that file when it is repeated.
    fn record_download(&mut self, response: &Map<String, Value>) {
        let receipt = response.get("receipt").and_then(Value::as_object);
        let files = receipt.and_then(|receipt| receipt.get("downloads")).and_then(Value::as_array);
        let is_file = |file: &&Value| file["state"] == "complete" || file["state"] == "running";
        let file = files.and_then(|files| files.iter().find(is_file));
        if let Some(file) = file {
            let answer = json!({
                "path": file["name"], "url": file["url"], "mime": file["mime"],
                "bytes": file["bytes"],
            });
            self.step.convert_to_download(answer);
        }
    }

    fn record_answer(&mut self, response: &Map<String, Value>) {
        let text = render::result_json(self.step.command, response);
        if text.len() > MAX_ANSWER_BYTES {
            self.step.unrepeatable_reason = Some("it answered with more than 1 MiB".to_owned());
            return;
        }
        self.step.answer = serde_json::from_str(&text).ok();
    }
}

/// The answer that a question got from a person or the setting, as a call. What a
/// caller answered, or gave beforehand, is a call already.
fn dialog_answer_step(dialog: &Dialog) -> Option<RecordedStep> {
    let counts = matches!(dialog.answered_by, AnsweredBy::Person | AnsweredBy::Policy);
    if !counts || !matches!(dialog.kind.as_str(), "confirm" | "prompt") {
        return None;
    }
    let mut fields = Map::new();
    let name = match &dialog.answer {
        DialogAnswer::Dismiss => "dialog-dismiss",
        DialogAnswer::Accept(text) => {
            let text = text.iter().filter(|text| browse_secrets::redact(text) == text.as_str());
            fields.extend(text.map(|text| ("text".to_owned(), Value::from(text.as_str()))));
            "dialog-accept"
        }
    };
    Some(RecordedStep::new(Command::by_name(name)?, fields))
}

/// The page as it may be kept. What comes too late is done without.
async fn page_html(cx: &CallContext) -> Option<String> {
    let tab = cx.tab_if_any()?;
    let limit = (Instant::now() + PAGE_HTML_TIMEOUT).min(cx.deadline());
    timeout_at(limit, tab.engine().scrubbed_html()).await.ok()?.ok()
}
