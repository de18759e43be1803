//! Notes the calls of a session whose skill is recorded, or whose steps are traced: the one
//! hook in the dispatcher. What an element is called is found out before the call acts on
//! it, for afterwards it may be gone.

mod traced_step;

use std::time::Duration;

use browse_proto::{Command, Sends, StepRole, render, wire};
use serde_json::{Map, Value, json};
use tokio::time::{Instant, timeout_at};

use self::traced_step::EndedStep;
use super::{CallContext, downloads::download_of_last_action, step_trace::StepTrace};
use crate::skills::{
    program::SecretRef,
    record::{
        MAX_READS, MAX_STEPS, PageLocation, RecordedStep, TextField, is_secret_free, secret_kind,
    },
};
use browse_base::{Error, Result};
use browse_chromium::{AnsweredBy, Dialog, DialogAnswer, OpenPageDialog};
use browse_engine::{ElementLocator, Target};
use browse_net::without_query;

/// Time that finding a name for an element may take.
const LOCATOR_TIMEOUT: Duration = Duration::from_secs(2);

/// Time that looking at a field after the call may take.
const FIELD_STATE_TIMEOUT: Duration = Duration::from_millis(500);

/// Time that keeping the page may take.
const PAGE_HTML_TIMEOUT: Duration = Duration::from_secs(3);

/// Largest request that is kept, in bytes.
const MAX_REQUEST_BYTES: usize = 256 << 10;

/// Largest answer that is kept, in bytes.
const MAX_ANSWER_BYTES: usize = 1 << 20;

/// A call that is being noted.
pub struct CallRecorder {
    session: String,
    /// Its place in the recording of a skill.
    number: Option<usize>,
    trace: Option<StepTrace>,
    step: RecordedStep,
    /// The field `text` as it was given.
    typed_text: Option<String>,
    /// The question that was open when it began.
    question: Option<OpenPageDialog>,
    /// The last dialog of the tab when it began.
    dialogs: u64,
    started: std::time::Instant,
}

impl CallRecorder {
    /// Begins to note a call, when its session is traced, or recorded for its caller.
    pub fn begin(cx: &CallContext, request: &impl prost::Message) -> Option<Self> {
        let (session, number) = Self::place_in_recording(cx).unzip();
        let trace = StepTrace::begin(cx);
        if number.is_none() && trace.is_none() {
            return None;
        }
        let session = session.unwrap_or_default();
        let command = cx.command();
        // What is not a field of a page is not kept: code, cookies, files.
        let large = request.encoded_len() > MAX_REQUEST_BYTES;
        let sends_document = command
            .request
            .fields
            .iter()
            .any(|field| matches!(field.sends, Some(Sends::Files | Sends::Document)));
        let fields = match command.step_role {
            StepRole::Denied => Map::new(),
            _ if large || sends_document => Map::new(),
            _ => wire::decode(command.request, &request.encode_to_vec()).unwrap_or_default(),
        };
        let step = RecordedStep {
            unrepeatable_reason: unrepeatable_reason(command, large),
            ..RecordedStep::new(command, fields)
        };
        let (text, question, dialogs, begun) = (None, None, 0, std::time::Instant::now());
        Some(Self {
            session,
            number,
            trace,
            step,
            typed_text: text,
            question,
            dialogs,
            started: begun,
        })
    }

    /// Where the call will stand in the recording of a skill, with its session.
    fn place_in_recording(cx: &CallContext) -> Option<(String, usize)> {
        let recordings = cx.daemon().skills().recordings();
        if recordings.is_idle() || cx.command().step_role == StepRole::Inspect {
            return None;
        }
        let of = cx.session().ok()?;
        let session = of.name().to_owned();
        let number = recordings.update(&session, cx.client(), |recording| {
            recording.attribute_sends(of.state_changing_requests());
            if recording.steps.len() < MAX_STEPS {
                recording.steps.push(None);
                return Some(recording.steps.len() - 1);
            }
            recording.dropped_steps += 1;
            None
        })??;
        Some((session, number))
    }

    /// Finds lasting names for the elements of the call, and looks at the page, before it acts.
    pub async fn resolve_targets(&mut self, cx: &CallContext) {
        self.name_targets(cx).await;
        if let Some(trace) = &mut self.trace {
            // Before it is typed: another call may look at the page meanwhile.
            if let Some(text) = self.typed_text.as_deref().filter(|_| self.step.secret.is_some()) {
                trace.add_secret(text);
            }
            trace.look_before(cx).await;
        }
    }

    /// Finds lasting names for the elements of the call.
    async fn name_targets(&mut self, cx: &CallContext) {
        let Some(tab) = cx.tab_if_any() else { return };
        (self.step.tab, self.step.before) = (tab.id(), page_location(cx));
        self.attach_late_file(cx);
        self.question = tab.page().open_dialog();
        self.dialogs = tab.dialogs().last_number();
        self.redact_secret_answer();
        // Of a frame that has gone the call itself tells.
        if self.step.role() == StepRole::Denied || cx.engine().has_lost_selected_frame() {
            return;
        }
        let limit = (Instant::now() + LOCATOR_TIMEOUT).min(cx.deadline());
        let typing = matches!(self.step.command.name, "type" | "press");
        for (name, place) in target_fields(self.step.command, &self.step.fields) {
            let Ok(target) = place.parse::<Target>() else { continue };
            let reading = self.step.role() == StepRole::Read || self.step.command.name == "expect";
            let locator =
                timeout_at(limit, cx.engine().element_locator(Some(&target), reading)).await;
            // A target that is not there fails the call, or is waited for.
            let Ok(Ok(locator)) = locator else { continue };
            self.replace_ref(&name, &place, &target, &locator);
            if matches!(name.as_str(), "target" | "source") {
                self.set_element(locator);
            } else {
                self.step.frame = locator.frame;
            }
        }
        if typing {
            let locator = timeout_at(limit, cx.engine().element_locator(None, false)).await;
            if let Ok(Ok(locator)) = locator {
                self.set_element(locator);
            }
        }
    }

    /// A secret that a prompt is answered with is not kept.
    fn redact_secret_answer(&mut self) {
        let text = self.step.fields.get("text").and_then(Value::as_str);
        let Some(text) = text.filter(|_| self.step.command.name == "dialog-accept") else { return };
        let asks = self.question.as_ref().is_some_and(|question| {
            question.message.split_whitespace().any(browse_secrets::is_secret_name)
        });
        if asks || browse_secrets::redact(text) != text {
            self.step.secret = Some(SecretRef { index: 0, kind: "secret" });
            self.typed_text = Some(text.to_owned());
            self.step.fields.insert("text".to_owned(), Value::Null);
        }
    }

    /// Puts a selector in the place of a ref.
    fn replace_ref(&mut self, field: &str, given: &str, target: &Target, locator: &ElementLocator) {
        if target.ref_number().is_none() {
            return;
        }
        let named = locator.targets().map(|target| target.to_string());
        let Some(named) = named.into_iter().find(|text| is_secret_free(text)) else {
            let message = format!("nothing names the {} that it was about", locator.tag);
            self.step.unrepeatable_reason = Some(message);
            return;
        };
        match self.step.fields.get_mut(field) {
            Some(Value::Array(items)) => {
                for item in items.iter_mut().filter(|item| *item == given) {
                    *item = Value::from(named.as_str());
                }
            }
            Some(value) => *value = Value::from(named),
            None => {}
        }
    }

    /// Remembers what the element is, and whether what is typed is a secret.
    fn set_element(&mut self, locator: ElementLocator) {
        let text = self.step.fields.get("text").and_then(Value::as_str);
        if matches!(self.step.command.name, "fill" | "type")
            && let Some(text) = text
            && let Some(kind) = secret_kind(&locator, text)
        {
            self.step.secret = Some(SecretRef { index: 0, kind });
            self.typed_text = Some(text.to_owned());
            self.step.fields.insert("text".to_owned(), Value::Null);
        }
        let key = self.step.fields.get("key").and_then(Value::as_str).unwrap_or_default();
        if locator.secret && key.chars().count() == 1 {
            self.step.fields.insert("key".to_owned(), Value::Null);
            self.step.unrepeatable_reason =
                Some("a secret was typed by single keys: use `fill`".to_owned());
        }
        let is_secret = self.step.secret.is_some();
        let named =
            locator.targets().map(|target| target.to_string()).find(|text| is_secret_free(text));
        let before = locator.value.filter(|_| !is_secret);
        self.step.field = locator.identity.map(|identity| TextField {
            identity,
            path: locator.path,
            takes_text: locator.text,
            target: named,
            before,
            after: None,
            is_as_typed: false,
        });
        self.step.label = Some(locator.label).filter(|label| !label.is_empty());
        self.step.element = Some([locator.tag, locator.role, locator.kind]);
        self.step.link_url = locator.leads;
        self.step.frame = locator.frame;
    }

    /// Notes how a call ended that saves a file; what is known of the file goes in
    /// the place of an answer.
    pub async fn finish_saved(mut self, cx: &CallContext, outcome: Result<Option<Value>, &Error>) {
        let failure = outcome.as_ref().err().copied();
        self.record_outcome(cx, failure);
        if let Some(trace) = self.take_trace(cx, failure).await {
            trace.write(cx).await;
        }
        let source = self.step.fields.get("source").and_then(Value::as_str).unwrap_or_default();
        if source.starts_with("@d") {
            self.step.unrepeatable_reason =
                Some("it saves a file that is kept: use `click --download`".to_owned());
        }
        self.step.answer = outcome.ok().flatten();
        let page = if self.step.saves_file() { page_html(cx).await } else { None };
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
    pub async fn finish<R: prost::Message>(
        mut self,
        cx: &CallContext,
        outcome: Result<&R, &Error>,
    ) -> Option<EndedStep> {
        let command = self.step.command;
        let failure = outcome.as_ref().err().copied();
        self.record_outcome(cx, failure);
        let ended = self.take_trace(cx, failure).await;
        if self.number.is_none() {
            return ended;
        }
        if self.step.failure_reason.is_none() && !self.step.changed_document() {
            self.read_field(cx).await;
        }
        let response = outcome.ok().map(|response| {
            let fields = wire::decode(command.response, &response.encode_to_vec());
            fields.unwrap_or_default()
        });
        let mut page = None;
        if let Some(response) = &response {
            self.record_opened_tab(response);
            self.record_download(response);
            if self.step.saves_file() {
                page = page_html(cx).await;
            }
            if self.step.role() == StepRole::Read {
                self.record_answer(response);
                page = page_html(cx).await;
            }
        }
        self.store(cx, page);
        ended
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
            convert_to_download(&mut self.step, answer);
        }
    }

    /// A file that came after the answer of a click is of the click all the same.
    fn attach_late_file(&self, cx: &CallContext) {
        let Some(number) = self.number else { return };
        let Some(file) = download_of_last_action(cx) else { return };
        cx.daemon().skills().recordings().update(&self.session, cx.client(), |recording| {
            let earlier = recording.steps.iter_mut().take(number).rev().flatten().next();
            let click =
                earlier.filter(|step| step.tab == file.tab && step.failure_reason.is_none());
            if let Some(click) = click {
                let answer = json!({
                    "path": file.name, "url": without_query(&file.url), "mime": file.mime,
                    "bytes": file.received,
                });
                convert_to_download(click, answer);
            }
        });
    }

    fn record_answer(&mut self, response: &Map<String, Value>) {
        let text = render::result_json(self.step.command, response);
        if text.len() > MAX_ANSWER_BYTES {
            self.step.unrepeatable_reason = Some("it answered with more than 1 MiB".to_owned());
            return;
        }
        self.step.answer = serde_json::from_str(&text).ok();
    }

    fn store(self, cx: &CallContext, page: Option<String>) {
        let Self { session, number: Some(number), mut step, typed_text: text, question, .. } = self
        else {
            return;
        };
        cx.daemon().skills().recordings().update(&session, cx.client(), |recording| {
            if let (Some(secret), Some(text)) = (&mut step.secret, &text) {
                secret.index = recording.secret_number(text);
            }
            recording.page = page.or(recording.page.take());
            step.page_sends = recording.pending_sends.remove(&number).unwrap_or_default();
            let step = match question
                .filter(|_| is_dialog_answer(&step) && step.failure_reason.is_none())
            {
                Some(question) => match recording.step_of_dialog(number, step.tab, question.id) {
                    Some(asker) => return asker.merge_dialog_answer(step),
                    None => step,
                },
                None => step,
            };
            if let Some(place) = recording.steps.get_mut(number) {
                *place = Some(step);
            }
            let answers = recording.steps.iter_mut().flatten().rev().map(|step| &mut step.answer);
            for old in answers.filter(|answer| answer.is_some()).skip(MAX_READS) {
                *old = None;
            }
        });
    }
}

/// Whether a step answers a question of the page.
fn is_dialog_answer(step: &RecordedStep) -> bool {
    matches!(step.command.name, "dialog-accept" | "dialog-dismiss")
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

/// What a script cannot do whatever its arguments are.
fn unrepeatable_reason(command: &Command, large: bool) -> Option<String> {
    match command.unrepeatable {
        _ if large => Some("its input has more than 256 KiB".to_owned()),
        "" => None,
        why => Some(why.to_owned()),
    }
}

/// The texts of a request that name elements, with their fields.
fn target_fields(command: &Command, fields: &Map<String, Value>) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for field in command.request.fields.iter().filter(|field| field.target) {
        let Some(value) = fields.get(field.name) else { continue };
        let texts: Vec<_> = match value {
            Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
            value => value.as_str().into_iter().collect(),
        };
        let targets =
            texts.into_iter().filter(|text| !text.is_empty() && text.parse::<f64>().is_err());
        found.extend(targets.map(|text| (field.name.to_owned(), text.to_owned())));
    }
    found
}

fn page_location(cx: &CallContext) -> PageLocation {
    let Some(tab) = cx.tab_if_any() else { return PageLocation::default() };
    let frame = tab.page().main_frame();
    PageLocation { url: frame.url, document: frame.loader.to_string() }
}

/// The page as it may be kept. What comes too late is done without.
async fn page_html(cx: &CallContext) -> Option<String> {
    let tab = cx.tab_if_any()?;
    let limit = (Instant::now() + PAGE_HTML_TIMEOUT).min(cx.deadline());
    timeout_at(limit, tab.engine().scrubbed_html()).await.ok()?.ok()
}

/// Makes a click one that saves the file which it made the page send.
fn convert_to_download(click: &mut RecordedStep, answer: Value) {
    if click.command.name == "click"
        && let Some(command) = Command::by_name("click --download")
    {
        (click.command, click.answer) = (command, Some(answer));
    }
}
