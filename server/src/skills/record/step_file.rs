//! A step of a recording in a file of a trace, from which a later daemon can make a skill as well.
//!
//! It holds no secret: texts that were typed as one are in memory alone and have a number here,
//! and what else looks like one is taken out. A skill that would need such a text is refused.

use browse_engine::FrameLocator;
use browse_proto::{Command, Reason};
use browse_sessions::StateChangingRequest;
use browse_traces::{ResourceName, Scrubber, TraceWriter, TypedSecrets};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use zeroize::Zeroizing;

use super::{
    hidden_fields::mask_hidden_fields,
    late_file::LateFile,
    step::{PageLocation, RecordedStep, TextField},
};
use crate::skills::program::SecretRef;

/// What the kinds of secrets are called.
const SECRET_KINDS: [&str; 4] = ["password", "code", "card", "secret"];

/// A call that has ended, as it is kept in a trace.
pub struct TracedCall {
    /// The step.
    pub step: RecordedStep,
    /// What was typed, when that was a secret.
    pub secret: Option<Zeroizing<String>>,
    /// The question of the page that was open when it began.
    pub question: Option<u64>,
    /// The file that came late of the click before it.
    pub late_file: Option<LateFile>,
    /// What the pages of the session sent from the begin of the step before it to its own.
    pub sent_before: Vec<StateChangingRequest>,
    /// The page when it was read.
    pub page: Option<String>,
}

/// What the file holds.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct StepFile {
    step: StoredStep,
    /// As that of the call.
    pub question: Option<u64>,
    /// As that of the call.
    pub late_file: Option<LateFile>,
    /// As that of the call.
    pub sent_before: Vec<StateChangingRequest>,
    /// As that of the call.
    pub page: Option<ResourceName>,
}

/// A [`RecordedStep`] with names in the place of what is static.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct StoredStep {
    command: String,
    fields: Map<String, Value>,
    /// Its number and its kind.
    secret: Option<(usize, String)>,
    tab: u64,
    before: PageLocation,
    after: PageLocation,
    failure_reason: Option<String>,
    opened_tab: Option<u64>,
    link_url: Option<String>,
    element: Option<[String; 3]>,
    label: Option<String>,
    frame: Option<FrameLocator>,
    unrepeatable_reason: Option<String>,
    answer: Option<Value>,
    opened_dialog: Option<u64>,
    dialog_answers: Vec<StoredStep>,
    field: Option<TextField>,
}

impl TracedCall {
    /// Writes it into a file of its trace; none when that has no room for it.
    pub fn keep(mut self, writer: &TraceWriter) -> Option<ResourceName> {
        if !writer.has_room() {
            return None;
        }
        let (scrubber, secrets) = (writer.scrubber(), writer.typed_secrets());
        if let (Some(secret), Some(text)) = (&mut self.step.secret, &self.secret) {
            secret.index = secrets.number_of(text);
        }
        let has_failed = self.step.failure_reason.is_some();
        hide_text(&mut self.step, secrets, |text| !has_failed && scrubber.scrub(text) != text);
        // What a person answered is in no file, whatever was asked.
        for answer in &mut self.step.dialog_answers {
            hide_text(answer, secrets, |_| true);
        }
        hide_hidden_fields(&mut self.step);
        let page = self.page.and_then(|page| writer.add_resource(scrubber.scrub(&page).as_bytes()));
        let mut file = StepFile {
            step: StoredStep::from(self.step),
            question: self.question,
            late_file: self.late_file,
            sent_before: self.sent_before,
            page,
        };
        file.scrub(&scrubber);
        writer.add_resource(&serde_json::to_vec(&file).ok()?)
    }
}

impl StepFile {
    /// Reads a file of a trace.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }

    /// The step; none when this build does not have its command.
    pub fn to_step(&self) -> Option<RecordedStep> {
        self.step.to_step()
    }

    fn scrub(&mut self, scrubber: &Scrubber) {
        self.step.scrub(scrubber);
        if let Some(file) = &mut self.late_file {
            scrubber.scrub_value(&mut file.answer);
        }
        for sent in &mut self.sent_before {
            let (StateChangingRequest::Request { path, .. }
            | StateChangingRequest::Form { path, .. }) = sent;
            *path = scrubber.scrub(path);
        }
    }
}

impl From<RecordedStep> for StoredStep {
    fn from(step: RecordedStep) -> Self {
        Self {
            command: step.command.name.to_owned(),
            fields: step.fields,
            secret: step.secret.map(|secret| (secret.index, secret.kind.to_owned())),
            tab: step.tab,
            before: step.before,
            after: step.after,
            failure_reason: step.failure_reason.map(str::to_owned),
            opened_tab: step.opened_tab,
            link_url: step.link_url,
            element: step.element,
            label: step.label,
            frame: step.frame,
            unrepeatable_reason: step.unrepeatable_reason,
            answer: step.answer,
            opened_dialog: step.opened_dialog,
            dialog_answers: step.dialog_answers.into_iter().map(Self::from).collect(),
            field: step.field,
        }
    }
}

impl StoredStep {
    fn to_step(&self) -> Option<RecordedStep> {
        let command = Command::by_name(&self.command)?;
        let answer = |answer: &Self| answer.to_step().filter(RecordedStep::is_dialog_answer);
        let answers: Option<Vec<_>> = self.dialog_answers.iter().map(answer).collect();
        // One that a later build has no name for is a failure all the same.
        let reason = |name: &String| Reason::by_name(name).unwrap_or(Reason::Bug).name();
        Some(RecordedStep {
            secret: self.secret.as_ref().map(|(index, kind)| secret_ref(*index, kind)),
            tab: self.tab,
            before: self.before.clone(),
            after: self.after.clone(),
            failure_reason: self.failure_reason.as_ref().map(reason),
            opened_tab: self.opened_tab,
            link_url: self.link_url.clone(),
            element: self.element.clone(),
            label: self.label.clone(),
            frame: self.frame.clone(),
            unrepeatable_reason: self.unrepeatable_reason.clone(),
            answer: self.answer.clone(),
            opened_dialog: self.opened_dialog,
            dialog_answers: answers?,
            field: self.field.clone(),
            ..RecordedStep::new(command, self.fields.clone())
        })
    }

    /// Takes secrets out of all texts, but not out of the ids of documents, which are Chromium's.
    fn scrub(&mut self, scrubber: &Scrubber) {
        let values = self.fields.values_mut().chain(&mut self.answer);
        values.for_each(|value| scrubber.scrub_value(value));
        let frame = self.frame.iter_mut().flat_map(|frame| [&mut frame.name, &mut frame.url]);
        let field = self.field.iter_mut().flat_map(|field| {
            let texts = [&mut field.target, &mut field.before, &mut field.after];
            texts.into_iter().flatten().chain([&mut field.path])
        });
        let element = self.element.iter_mut().flatten();
        let optional = [&mut self.link_url, &mut self.label, &mut self.unrepeatable_reason];
        let urls = [&mut self.before.url, &mut self.after.url];
        let texts = optional.into_iter().flatten().chain(urls).chain(element);
        for text in texts.chain(frame).chain(field) {
            *text = scrubber.scrub(text);
        }
        self.dialog_answers.iter_mut().for_each(|answer| answer.scrub(scrubber));
    }
}

/// Takes the values of hidden fields out of the answer.
fn hide_hidden_fields(step: &mut RecordedStep) {
    let is_hidden = step.element.as_ref().is_some_and(|[.., kind]| kind == "hidden");
    if is_hidden && step.answer.take().is_some() {
        let reason = "it reads a hidden field, which a trace does not keep";
        step.unrepeatable_reason = Some(reason.to_owned());
    }
    step.answer.iter_mut().for_each(mask_hidden_fields);
}

/// Makes a typed text a secret of its own: it stays in memory, and its number stands in the step.
fn hide_text(step: &mut RecordedStep, secrets: &TypedSecrets, is_hidden: impl Fn(&str) -> bool) {
    if let Some(Value::String(text)) = step.fields.get("text")
        && !text.is_empty()
        && is_hidden(text)
    {
        step.secret = Some(SecretRef { index: secrets.number_of(text), kind: "secret" });
        step.fields.insert("text".to_owned(), Value::Null);
    }
}

fn secret_ref(index: usize, kind: &str) -> SecretRef {
    let kind = SECRET_KINDS.into_iter().find(|known| *known == kind);
    SecretRef { index, kind: kind.unwrap_or("secret") }
}

#[cfg(test)]
mod tests {
    use browse_traces::TraceStore;
    use serde_json::json;

    use super::*;

    fn call(step: RecordedStep, secret: Option<&str>) -> TracedCall {
        TracedCall {
            step,
            secret: secret.map(|text| Zeroizing::new(text.to_owned())),
            question: Some(7),
            late_file: None,
            sent_before: vec![StateChangingRequest::Form {
                host: "a.example".to_owned(),
                path: "/sesame/42".to_owned(),
            }],
            page: Some("<!DOCTYPE html>\n<p>open sesame</p>".to_owned()),
        }
    }

    /// A step with each part that a file can hold.
    fn whole_step() -> RecordedStep {
        let command = Command::by_name("fill").expect("a command");
        let fields = json!({ "target": "#code", "text": null });
        let answer = Command::by_name("dialog-accept").expect("a command");
        RecordedStep {
            secret: Some(SecretRef { index: 0, kind: "code" }),
            tab: 3,
            before: PageLocation {
                url: "http://a.example/?q=sesame".to_owned(),
                document: "D1".to_owned(),
            },
            failure_reason: Some(Reason::DialogOpen.name()),
            opened_tab: Some(4),
            link_url: Some("http://a.example/next".to_owned()),
            element: Some(["input", "textbox", "text"].map(str::to_owned)),
            label: Some("Code sesame".to_owned()),
            frame: Some(FrameLocator {
                name: "f".to_owned(),
                url: "http://a.example/f".to_owned(),
            }),
            answer: Some(json!([{ "text": "sesame" }])),
            opened_dialog: Some(9),
            dialog_answers: vec![RecordedStep::new(answer, Map::new())],
            field: Some(TextField {
                identity: u64::MAX,
                path: "input".to_owned(),
                ..TextField::default()
            }),
            ..RecordedStep::new(command, fields.as_object().cloned().expect("fields"))
        }
    }

    #[test]
    fn a_step_reads_back_as_it_was_without_its_secrets() {
        let folder = tempfile::tempdir().expect("a temp directory");
        let store = TraceStore::new(folder.path().join("traces"));
        let writer = store.start("default", "Chromium/1").expect("it starts");
        writer.add_secret("sesame");
        assert_eq!(writer.typed_secrets().number_of("earlier"), 0);
        let name = call(whole_step(), Some("sesame")).keep(&writer).expect("there is room");
        let bytes = store.resource(1, &name).expect("it is there");
        let file = StepFile::from_bytes(&bytes).expect("a step");
        assert!(!String::from_utf8_lossy(&bytes).contains("sesame"), "{file:?}");
        let page = store.resource(1, file.page.as_ref().expect("a page")).expect("it is there");
        assert!(!String::from_utf8_lossy(&page).contains("sesame"));
        let (step, whole) = (file.to_step().expect("a step"), whole_step());
        assert_eq!(step.secret, Some(SecretRef { index: 1, kind: "code" }));
        assert_eq!(store.typed_secrets(1).expect("they are in memory")[1].as_str(), "sesame");
        assert_eq!((step.command.name, &step.fields), (whole.command.name, &whole.fields));
        assert_eq!((step.failure_reason, step.tab), (whole.failure_reason, whole.tab));
        assert_eq!((&step.before.document, step.opened_tab), (&whole.before.document, Some(4)));
        assert_eq!(
            (step.frame, step.field, step.element),
            (whole.frame, whole.field, whole.element)
        );
        assert_eq!((step.opened_dialog, step.dialog_answers.len()), (Some(9), 1));
        assert_eq!((file.question, file.sent_before.len()), (Some(7), 1));
    }

    #[test]
    fn a_text_that_was_taken_for_a_secret_before_is_one() {
        let folder = tempfile::tempdir().expect("a temp directory");
        let store = TraceStore::new(folder.path().join("traces"));
        let writer = store.start("default", "Chromium/1").expect("it starts");
        writer.add_secret("blue lamp");
        let fill = Command::by_name("fill").expect("a command");
        let answer = Command::by_name("dialog-accept").expect("a command");
        let fields = |text: &str| Map::from_iter([("text".to_owned(), Value::from(text))]);
        let typed = ["blue lamp", "red lamp"].map(|text| {
            let mut step = RecordedStep::new(fill, fields(text));
            step.dialog_answers.push(RecordedStep::new(answer, fields("Ada")));
            let name = call(step, None).keep(&writer).expect("there is room");
            let file = store.resource(1, &name).expect("it is there");
            StepFile::from_bytes(&file).and_then(|file| file.to_step()).expect("a step")
        });
        let secrets = typed.each_ref().map(|step| step.secret.as_ref().map(|secret| secret.index));
        assert_eq!(secrets, [Some(0), None]);
        assert_eq!(typed[0].fields["text"], Value::Null);
        assert_eq!(typed[1].fields["text"], "red lamp");
        let answered = typed.each_ref().map(|step| step.dialog_answers[0].secret.is_some());
        assert_eq!(answered, [true, true]);
        let texts = store.typed_secrets(1).expect("they are in memory");
        assert_eq!(
            texts.iter().map(|text| text.as_str()).collect::<Vec<_>>(),
            ["blue lamp", "Ada"]
        );
    }

    #[test]
    fn the_answer_of_a_hidden_field_is_not_kept() {
        let folder = tempfile::tempdir().expect("a temp directory");
        let store = TraceStore::new(folder.path().join("traces"));
        let writer = store.start("default", "Chromium/1").expect("it starts");
        let read = RecordedStep {
            element: Some(["input", "", "hidden"].map(str::to_owned)),
            answer: Some(json!("Tangerine")),
            ..RecordedStep::new(Command::by_name("get").expect("a command"), Map::new())
        };
        let name = call(read, None).keep(&writer).expect("there is room");
        let file = StepFile::from_bytes(&store.resource(1, &name).expect("it is there"));
        let step = file.and_then(|file| file.to_step()).expect("a step");
        assert!(step.answer.is_none() && step.unrepeatable_reason.is_some(), "{step:?}");
    }

    #[test]
    fn a_trace_without_room_keeps_no_step() {
        let folder = tempfile::tempdir().expect("a temp directory");
        let store = TraceStore::new(folder.path().join("traces"));
        let writer = store.start("default", "Chromium/1").expect("it starts");
        store.stop("default").expect("it runs");
        assert_eq!(call(whole_step(), None).keep(&writer), None);
    }
}
