//! A recording that is made from the steps of a trace.
//!
//! All steps are put together first, as when they ran: what was sent after a step, a late file and
//! the answer to a question belong to the step that led to them. Then the steps that were not
//! chosen are taken out.

use std::time::{Duration, SystemTime};

use browse_proto::{Command, Reason, StepRole};
use browse_traces::{TraceStore, TracedStep};

use super::{
    recordings::{MAX_STEPS, SkillRecording},
    step::RecordedStep,
    step_file::StepFile,
    step_ranges::StepRanges,
};
use browse_base::{Error, HINT_KEY, Result};
use browse_policy::ClientId;

/// The end of the year 9999 in milliseconds since 1970: later dates cannot be written.
const MAX_TIME_MS: u64 = 253_402_300_799_000;

impl SkillRecording {
    /// The recording that the trace `id` comes to, or those of its steps that `chosen` names.
    /// Who called does not count. Secrets are known while the daemon lives that recorded it.
    ///
    /// # Errors
    /// `TRACE_NOT_FOUND`; `ARGUMENT_INVALID` for a step that is not there; `SKILL_RECORDING_UNFIT`
    /// for one of which too little was kept.
    pub fn from_trace(
        store: &TraceStore,
        id: u64,
        chosen: Option<&StepRanges>,
        client: &ClientId,
    ) -> Result<Self> {
        let header = store.header(id)?;
        let steps = store.steps(id)?;
        if let Some(chosen) = chosen {
            let numbers: Vec<_> = steps.iter().map(|step| step.number).collect();
            chosen.check(id, &numbers)?;
        }
        let started = Duration::from_millis(header.started_ms.min(MAX_TIME_MS));
        let mut recording = Self::new(client.clone(), SystemTime::UNIX_EPOCH + started);
        let (mut page, mut left_out) = (None, Vec::new());
        for step in steps.iter().filter(|step| is_recorded(step)) {
            let is_chosen = chosen.is_none_or(|chosen| chosen.contains(step.number));
            let file = step.record.as_ref().and_then(|name| store.resource(id, name));
            let file = file.and_then(|bytes| StepFile::from_bytes(&bytes));
            let recorded = file.as_ref().and_then(StepFile::to_step);
            if is_chosen && may_have_acted(step) && recorded.is_none() {
                return Err(not_kept_error(id, step));
            }
            let place = recording.add_traced(step.number, file.as_ref(), recorded);
            match file {
                Some(file) if is_chosen => page = file.page.or(page),
                _ if is_chosen => {}
                _ => left_out.push(place),
            }
        }
        for place in left_out {
            recording.steps[place] = None;
        }
        recording.check_length(id)?;
        let page = page.and_then(|name| store.resource(id, &name));
        recording.page = page.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        recording.secrets = store.typed_secrets(id).unwrap_or_default();
        Ok(recording)
    }

    /// Adds a step, and returns its place.
    fn add_traced(
        &mut self,
        number: u32,
        file: Option<&StepFile>,
        step: Option<RecordedStep>,
    ) -> usize {
        if let Some(file) = file {
            self.add_sends(file.sent_before.clone());
        }
        let place = self.steps.len();
        self.steps.push(None);
        self.trace_numbers.push(number);
        if let (Some(file), Some(step)) = (file, step) {
            if let Some(late_file) = &file.late_file {
                self.attach_file(place, late_file);
            }
            self.end_step(place, step, file.question);
        }
        place
    }

    fn check_length(&self, trace: u64) -> Result<()> {
        let count = self.finished_steps().len();
        if count <= MAX_STEPS {
            return Ok(());
        }
        let message = format!("{count} steps of trace {trace} are more than {MAX_STEPS}");
        let hint = "Choose those of one flow: `--steps 2-9`";
        Err(Error::new(Reason::SkillRecordingUnfit, message).with(HINT_KEY, hint))
    }
}

/// Whether a recording has such a step: those that are only for looking are left out of it.
fn is_recorded(step: &TracedStep) -> bool {
    Command::by_name(&step.command).is_none_or(|command| command.step_role != StepRole::Inspect)
}

/// Whether a step did something: one that failed did not, unless it led to a question.
fn may_have_acted(step: &TracedStep) -> bool {
    !step.is_failed() || step.outcome == Reason::DialogOpen.name()
}

fn not_kept_error(trace: u64, step: &TracedStep) -> Error {
    let why = match step.is_withheld {
        true => "a person had the session meanwhile",
        false => "what a skill needs of it was not kept",
    };
    let command = Command::by_name(&step.command).map_or("a command", |command| command.name);
    let message =
        format!("step {} of trace {trace}, `{command}`, cannot be repeated: {why}", step.number);
    Error::new(Reason::SkillRecordingUnfit, message)
        .with("trace", trace)
        .with("step", step.number)
        .with(HINT_KEY, "Leave the step out with `--steps`, or record the flow again")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use browse_sessions::StateChangingRequest;
    use browse_traces::TraceWriter;
    use serde_json::{Map, Value, json};

    use super::*;
    use crate::skills::{
        program::SecretRef,
        record::{LateFile, TracedCall},
    };

    struct Trace {
        folder: tempfile::TempDir,
        store: TraceStore,
        writer: Arc<TraceWriter>,
    }

    impl Trace {
        fn new() -> Self {
            let folder = tempfile::tempdir().expect("a temp directory");
            let store = TraceStore::new(folder.path().join("traces"));
            let writer = store.start("default", "Chromium/1").expect("it starts");
            Self { folder, store, writer }
        }

        /// Writes a step, which `change` makes out of a plain one.
        fn add(&self, command: &str, change: impl FnOnce(&mut TracedCall, &mut TracedStep)) {
            let known = Command::by_name(command).expect("a command");
            let mut call = TracedCall {
                step: RecordedStep { tab: 1, ..RecordedStep::new(known, Map::new()) },
                secret: None,
                question: None,
                late_file: None,
                sent_before: Vec::new(),
                page: None,
            };
            let mut step = TracedStep {
                number: self.writer.next_number().expect("there is room"),
                command: command.to_owned(),
                outcome: "ok".to_owned(),
                ..TracedStep::default()
            };
            change(&mut call, &mut step);
            if !step.is_withheld {
                step.record = call.keep(&self.writer);
            }
            self.writer.write_step(step).expect("it is written");
        }

        fn recording(&self, chosen: &str) -> Result<SkillRecording> {
            let chosen: Option<StepRanges> = (!chosen.is_empty())
                .then(|| chosen.parse::<StepRanges>().expect("it is well formed"));
            SkillRecording::from_trace(&self.store, 1, chosen.as_ref(), &ClientId::root())
        }
    }

    fn commands(recording: &SkillRecording) -> Vec<&'static str> {
        recording.finished_steps().iter().map(|step| step.command.name).collect()
    }

    fn sent(host: &str) -> StateChangingRequest {
        StateChangingRequest::Form { host: host.to_owned(), path: "/".to_owned() }
    }

    #[test]
    fn what_followed_a_step_belongs_to_it_whatever_was_chosen() {
        let trace = Trace::new();
        trace.add("goto", |_, _| {});
        trace.add("click", |_, _| {});
        trace.add("snapshot", |_, _| {});
        trace.add("text", |call, _| {
            call.sent_before = vec![sent("a.example")];
            call.late_file = Some(LateFile { tab: 1, answer: json!({ "path": "a.pdf" }) });
            call.page = Some("<p>first</p>".to_owned());
        });
        trace.add("text", |call, _| call.page = Some("<p>second</p>".to_owned()));
        let whole = trace.recording("").expect("it is kept");
        assert_eq!(commands(&whole), ["goto", "click --download", "text", "text"]);
        assert_eq!(whole.page.as_deref(), Some("<p>second</p>"));
        let part = trace.recording("2-4").expect("it is kept");
        assert_eq!(commands(&part), ["click --download", "text"]);
        let click = part.finished_steps()[0];
        assert_eq!(click.page_sends, [sent("a.example")]);
        assert_eq!(click.answer.as_ref().map(|answer| &answer["path"]), Some(&json!("a.pdf")));
        assert_eq!(part.page.as_deref(), Some("<p>first</p>"));
        assert_eq!((part.step_number(0), part.step_number(1), part.step_number(2)), (2, 4, 3));
    }

    #[test]
    fn an_answer_goes_to_the_step_that_asked() {
        let trace = Trace::new();
        trace.add("click", |call, step| {
            call.step.failure_reason = Some("DIALOG_OPEN");
            call.step.opened_dialog = Some(5);
            step.outcome = "DIALOG_OPEN".to_owned();
        });
        trace.add("dialog-accept", |call, _| call.question = Some(5));
        let recording = trace.recording("1").expect("it is kept");
        let click = recording.finished_steps()[0];
        assert_eq!((click.failure_reason, click.dialog_answers.len()), (None, 1));
    }

    #[test]
    fn a_step_of_which_too_little_was_kept_is_refused_unless_it_is_left_out() {
        let trace = Trace::new();
        trace.add("goto", |_, _| {});
        trace.add("click", |_, step| {
            (step.is_withheld, step.outcome) = (true, "HANDED_OFF".to_owned());
        });
        trace.add("text", |_, step| step.is_withheld = true);
        let error = trace.recording("").expect_err("a person had the session");
        assert_eq!(error.reason(), Reason::SkillRecordingUnfit);
        assert!(error.to_string().contains("step 3 of trace 1, `text`"), "{error}");
        assert_eq!(commands(&trace.recording("1-2").expect("it is left out")), ["goto"]);
        let error = trace.recording("1-4").expect_err("it is not there");
        assert_eq!(error.reason(), Reason::ArgumentInvalid);
        let missing = SkillRecording::from_trace(&trace.store, 2, None, &ClientId::root());
        assert_eq!(missing.expect_err("no such trace").reason(), Reason::TraceNotFound);
    }

    #[test]
    fn secrets_are_known_to_the_daemon_that_recorded_them() {
        let trace = Trace::new();
        trace.add("fill", |call, _| {
            call.step.secret = Some(SecretRef { index: 0, kind: "password" });
            call.step.fields.insert("text".to_owned(), Value::Null);
            call.secret = Some("open sesame".to_owned().into());
        });
        let recording = trace.recording("").expect("it is kept");
        assert_eq!(recording.secret_texts(), ["open sesame"]);
        let next = TraceStore::new(trace.folder.path().join("traces"));
        let recording = SkillRecording::from_trace(&next, 1, None, &ClientId::root());
        assert!(recording.expect("it is kept").secret_texts().is_empty());
    }
}
