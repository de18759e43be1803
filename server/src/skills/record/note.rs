//! Notes the calls of a session that is recorded: the one hook in the
//! dispatcher. What an element is called is found out before the call acts on
//! it, for afterwards it may be gone.

use std::time::Duration;

use browse_proto::{Command, render, wire};
use serde_json::{Map, Value, json};
use tokio::time::{Instant, timeout_at};

use super::recordings::{MOST_READS, MOST_STEPS};
use super::secrecy::{is_clean, secrecy};
use super::step::{Role, Secret, Spot, Step, TARGETS, TextField, role};
use crate::chromium::{AnsweredBy, Dialog, DialogAnswer, Question};
use crate::engine::{Footing, Target};
use crate::error::{Error, Result};
use crate::{browser::capture, dispatch::Context, records::without_query, secrets};

/// Time that finding a name for an element may take.
const NAMING: Duration = Duration::from_secs(2);

/// Time that looking at a field after the call may take.
const LOOKING: Duration = Duration::from_millis(500);

/// Time that keeping the page may take.
const KEEPING: Duration = Duration::from_secs(3);

/// Largest request that is kept, in bytes.
const MOST_REQUEST: usize = 256 << 10;

/// Largest answer that is kept, in bytes.
const MOST_BYTES: usize = 1 << 20;

/// A call that is being noted.
pub struct Note {
    session: String,
    number: usize,
    step: Step,
    /// The field `text` as it was given.
    text: Option<String>,
    /// The question that was open when it began.
    question: Option<Question>,
    /// The last dialog of the tab when it began.
    dialogs: u64,
    begun: std::time::Instant,
}

impl Note {
    /// Begins to note a call, when its session is recorded for its caller.
    pub fn begin(cx: &Context, request: &impl prost::Message) -> Option<Self> {
        let recordings = cx.daemon().skills().recordings();
        if recordings.is_idle() || role(cx.command()) == Role::Look {
            return None;
        }
        let of = cx.session().ok()?;
        let session = of.name().to_owned();
        let number = recordings.change(&session, cx.client(), |recording| {
            recording.attribute(of.sends());
            if recording.steps.len() < MOST_STEPS {
                recording.steps.push(None);
                return Some(recording.steps.len() - 1);
            }
            recording.lost += 1;
            None
        })??;
        let command = cx.command();
        // What is no field of a page is not kept: code, cookies, files.
        let large = request.encoded_len() > MOST_REQUEST;
        let fields = match role(command) {
            Role::Denied => Map::new(),
            _ if large => Map::new(),
            _ if matches!(command.name, "upload" | "load-html") => Map::new(),
            _ => wire::decode(command.request, &request.encode_to_vec()).unwrap_or_default(),
        };
        let step = Step { unfit: unfit(command.name, large), ..Step::new(command, fields) };
        let (text, question, dialogs, begun) = (None, None, 0, std::time::Instant::now());
        Some(Self { session, number, step, text, question, dialogs, begun })
    }

    /// Finds lasting names for the elements of the call, before it acts.
    pub async fn look(&mut self, cx: &Context) {
        let Some(tab) = cx.tab_if_any() else { return };
        (self.step.tab, self.step.before) = (tab.id(), spot(cx));
        self.adopt_late_file(cx);
        self.question = tab.page().question();
        self.dialogs = tab.dialogs().last();
        self.keep_secret_answer();
        // Of a frame that has gone the call itself tells.
        if self.step.role() == Role::Denied || cx.engine().has_lost_frame() {
            return;
        }
        let limit = (Instant::now() + NAMING).min(cx.deadline());
        let typing = matches!(self.step.command.name, "type" | "press");
        for (name, place) in targets(&self.step.fields) {
            let Ok(target) = place.parse::<Target>() else { continue };
            let reading = self.step.role() == Role::Read || self.step.command.name == "expect";
            let footing = timeout_at(limit, cx.engine().footing(Some(&target), reading)).await;
            // A target that is not there fails the call, or is waited for.
            let Ok(Ok(footing)) = footing else { continue };
            self.name(&name, &place, &target, &footing);
            if matches!(name.as_str(), "target" | "source") {
                self.stand_on(footing);
            } else {
                self.step.frame = footing.place;
            }
        }
        if typing {
            let footing = timeout_at(limit, cx.engine().footing(None, false)).await;
            if let Ok(Ok(footing)) = footing {
                self.stand_on(footing);
            }
        }
    }

    /// A secret that a prompt is answered with is not kept.
    fn keep_secret_answer(&mut self) {
        let text = self.step.fields.get("text").and_then(Value::as_str);
        let Some(text) = text.filter(|_| self.step.command.name == "dialog-accept") else { return };
        let asks = self.question.as_ref().is_some_and(|question| {
            question.message.split_whitespace().any(secrets::is_secret_name)
        });
        if asks || secrets::redact(text) != text {
            self.step.secret = Some(Secret { number: 0, kind: "secret" });
            self.text = Some(text.to_owned());
            self.step.fields.insert("text".to_owned(), Value::Null);
        }
    }

    /// Puts a selector in the place of a ref.
    fn name(&mut self, field: &str, given: &str, target: &Target, footing: &Footing) {
        if target.number().is_none() {
            return;
        }
        let named = footing.targets().map(|target| target.to_string());
        let Some(named) = named.into_iter().find(|text| is_clean(text)) else {
            let message = format!("nothing names the {} that it was about", footing.tag);
            self.step.unfit = Some(message);
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
    fn stand_on(&mut self, footing: Footing) {
        let text = self.step.fields.get("text").and_then(Value::as_str);
        if matches!(self.step.command.name, "fill" | "type")
            && let Some(text) = text
            && let Some(kind) = secrecy(&footing, text)
        {
            self.step.secret = Some(Secret { number: 0, kind });
            self.text = Some(text.to_owned());
            self.step.fields.insert("text".to_owned(), Value::Null);
        }
        let key = self.step.fields.get("key").and_then(Value::as_str).unwrap_or_default();
        if footing.secret && key.chars().count() == 1 {
            self.step.fields.insert("key".to_owned(), Value::Null);
            self.step.unfit = Some("a secret was typed by single keys: use `fill`".to_owned());
        }
        let is_secret = self.step.secret.is_some();
        let named = footing.targets().map(|target| target.to_string()).find(|text| is_clean(text));
        let before = footing.value.filter(|_| !is_secret);
        self.step.field = footing.identity.map(|identity| TextField {
            identity,
            path: footing.path,
            takes_text: footing.text,
            target: named,
            before,
            after: None,
            is_as_typed: false,
        });
        self.step.label = Some(footing.label).filter(|label| !label.is_empty());
        self.step.element = Some([footing.tag, footing.role, footing.kind]);
        self.step.leads = footing.leads;
        self.step.frame = footing.place;
    }

    /// Notes how a call ended that saves a file; what is known of the file goes in
    /// the place of an answer.
    pub async fn end_saved(mut self, cx: &Context, outcome: Result<Option<Value>, &Error>) {
        self.came_out(cx, outcome.as_ref().err().copied());
        let source = self.step.fields.get("source").and_then(Value::as_str).unwrap_or_default();
        if source.starts_with("@d") {
            self.step.unfit =
                Some("it saves a file that is kept: use `click --download`".to_owned());
        }
        self.step.answer = outcome.ok().flatten();
        let page = if self.step.saves() { keepsake(cx).await } else { None };
        self.put(cx, page);
    }

    /// Notes where the tab is, which questions there were, and whether it failed.
    fn came_out(&mut self, cx: &Context, failure: Option<&Error>) {
        if let Some(tab) = cx.tab_if_any() {
            (self.step.tab, self.step.after) = (tab.id(), spot(cx));
            let open = tab.page().question().filter(|question| question.opened >= self.begun);
            self.step.asked = open.map(|question| question.id);
            let closed = tab.dialogs().after(self.dialogs);
            self.step.dialogs = closed.into_iter().filter_map(|line| given(&line.dialog)).collect();
        }
        self.step.failed = failure.map(|error| error.reason().name());
    }

    /// Notes how the call ended.
    pub async fn end<R: prost::Message>(mut self, cx: &Context, outcome: Result<&R, &Error>) {
        let command = self.step.command;
        self.came_out(cx, outcome.as_ref().err().copied());
        if self.step.failed.is_none() && !self.step.moved() {
            self.look_again(cx).await;
        }
        let response = outcome.ok().map(|response| {
            let fields = wire::decode(command.response, &response.encode_to_vec());
            fields.unwrap_or_default()
        });
        let mut page = None;
        if let Some(response) = &response {
            self.opened(response);
            self.downloaded(response);
            if self.step.saves() {
                page = keepsake(cx).await;
            }
            if self.step.role() == Role::Read {
                self.answered(response);
                page = keepsake(cx).await;
            }
        }
        self.put(cx, page);
    }

    /// Finds out what the field holds now.
    async fn look_again(&mut self, cx: &Context) {
        let step = &mut self.step;
        let (is_read, is_secret) = (step.role() == Role::Read, step.secret.is_some());
        let Some(field) = step.field.as_mut().filter(|_| !is_read) else { return };
        let Some(tab) = cx.tab_if_any() else { return };
        let limit = (Instant::now() + LOOKING).min(cx.deadline());
        let typed = self.text.as_deref().or(step.fields.get("text").and_then(Value::as_str));
        let now = tab.engine().field_now(field.identity, step.frame.as_ref(), typed);
        if let Ok(Ok(now)) = timeout_at(limit, now).await {
            field.after = now.value.filter(|_| !is_secret);
            field.is_as_typed = now.is_as_typed;
        }
    }

    /// The tab that an action opened, or that `newtab` answers with.
    fn opened(&mut self, response: &Map<String, Value>) {
        let receipt = response.get("receipt").and_then(Value::as_object);
        self.step.opened =
            receipt.and_then(|receipt| receipt.get("new_tab")).and_then(Value::as_u64);
        if self.step.command.name == "newtab" {
            let tab = response.get("tab_id").and_then(Value::as_u64);
            let url = response.get("url").and_then(Value::as_str).unwrap_or_default().to_owned();
            self.step.tab = tab.unwrap_or_default();
            self.step.after = Spot { document: format!("tab {}", self.step.tab), url };
        }
    }

    /// A click that made the page send a file saves that file when it is repeated.
    fn downloaded(&mut self, response: &Map<String, Value>) {
        let receipt = response.get("receipt").and_then(Value::as_object);
        let files = receipt.and_then(|receipt| receipt.get("downloads")).and_then(Value::as_array);
        let is_file = |file: &&Value| file["state"] == "complete" || file["state"] == "running";
        let file = files.and_then(|files| files.iter().find(is_file));
        if let Some(file) = file {
            let answer = json!({
                "path": file["name"], "url": file["url"], "mime": file["mime"],
                "bytes": file["bytes"],
            });
            saved(&mut self.step, answer);
        }
    }

    /// A file that came after the answer of a click is of the click all the same.
    fn adopt_late_file(&self, cx: &Context) {
        let Some(file) = capture::file_of_last_action(cx) else { return };
        cx.daemon().skills().recordings().change(&self.session, cx.client(), |recording| {
            let earlier = recording.steps.iter_mut().take(self.number).rev().flatten().next();
            let click = earlier.filter(|step| step.tab == file.tab && step.failed.is_none());
            if let Some(click) = click {
                let answer = json!({
                    "path": file.name, "url": without_query(&file.url), "mime": file.mime,
                    "bytes": file.received,
                });
                saved(click, answer);
            }
        });
    }

    fn answered(&mut self, response: &Map<String, Value>) {
        let text = render::result_json(self.step.command, response);
        if text.len() > MOST_BYTES {
            self.step.unfit = Some("it answered with more than 1 MiB".to_owned());
            return;
        }
        self.step.answer = serde_json::from_str(&text).ok();
    }

    fn put(self, cx: &Context, page: Option<String>) {
        let Self { session, number, mut step, text, question, .. } = self;
        cx.daemon().skills().recordings().change(&session, cx.client(), |recording| {
            if let (Some(secret), Some(text)) = (&mut step.secret, &text) {
                secret.number = recording.secret(text);
            }
            recording.page = page.or(recording.page.take());
            step.sent = recording.sent.remove(&number).unwrap_or_default();
            let step = match question.filter(|_| is_answer(&step) && step.failed.is_none()) {
                Some(question) => match recording.asker(number, step.tab, question.id) {
                    Some(asker) => return asker.take_answer(step),
                    None => step,
                },
                None => step,
            };
            if let Some(place) = recording.steps.get_mut(number) {
                *place = Some(step);
            }
            let answers = recording.steps.iter_mut().flatten().rev().map(|step| &mut step.answer);
            for old in answers.filter(|answer| answer.is_some()).skip(MOST_READS) {
                *old = None;
            }
        });
    }
}

/// Whether a step answers a question of the page.
fn is_answer(step: &Step) -> bool {
    matches!(step.command.name, "dialog-accept" | "dialog-dismiss")
}

/// The answer that a question got from a person or the setting, as a call. What a
/// caller answered, or gave beforehand, is a call already.
fn given(dialog: &Dialog) -> Option<Step> {
    let counts = matches!(dialog.by, AnsweredBy::Person | AnsweredBy::Policy);
    if !counts || !matches!(dialog.kind.as_str(), "confirm" | "prompt") {
        return None;
    }
    let mut fields = Map::new();
    let name = match &dialog.answer {
        DialogAnswer::Dismiss => "dialog-dismiss",
        DialogAnswer::Accept(text) => {
            let text = text.iter().filter(|text| secrets::redact(text) == text.as_str());
            fields.extend(text.map(|text| ("text".to_owned(), Value::from(text.as_str()))));
            "dialog-accept"
        }
    };
    Some(Step::new(Command::by_name(name)?, fields))
}

/// What a script cannot do whatever its arguments are.
fn unfit(command: &str, large: bool) -> Option<String> {
    let why = match command {
        _ if large => "its input has more than 256 KiB",
        "upload" => "it sends a file, and a skill has none",
        "load-html" => "it loads a document that is on no host",
        "archive" | "scrape" | "print-html" => "it writes files",
        _ => return None,
    };
    Some(why.to_owned())
}

/// The texts of a request that name elements, with their fields.
fn targets(fields: &Map<String, Value>) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (name, value) in fields.iter().filter(|(name, _)| TARGETS.contains(&name.as_str())) {
        let texts: Vec<_> = match value {
            Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
            value => value.as_str().into_iter().collect(),
        };
        let targets =
            texts.into_iter().filter(|text| !text.is_empty() && text.parse::<f64>().is_err());
        found.extend(targets.map(|text| (name.clone(), text.to_owned())));
    }
    found
}

fn spot(cx: &Context) -> Spot {
    let Some(tab) = cx.tab_if_any() else { return Spot::default() };
    let frame = tab.page().main_frame();
    Spot { url: frame.url, document: frame.loader.to_string() }
}

/// The page as it may be kept. What comes too late is done without.
async fn keepsake(cx: &Context) -> Option<String> {
    let tab = cx.tab_if_any()?;
    let limit = (Instant::now() + KEEPING).min(cx.deadline());
    timeout_at(limit, tab.engine().keepsake()).await.ok()?.ok()
}

/// Makes a click one that saves the file which it made the page send.
fn saved(click: &mut Step, answer: Value) {
    if click.command.name == "click"
        && let Some(command) = Command::by_name("click --download")
    {
        (click.command, click.answer) = (command, Some(answer));
    }
}
