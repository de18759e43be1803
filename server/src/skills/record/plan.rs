//! What the program of a recorded skill does, in no language yet.

use browse_proto::{Command, Field, FieldType, Reason, StepRole};
use serde_json::Value;
use url::Url;

use super::{
    recordings::SkillRecording,
    slice::{StepDisposition, slice_steps},
    step::RecordedStep,
    tabs,
};
use crate::skills::program::{
    ArgValue, PlannedCall, PlannedOutput, ProgramPlan, ResultShape, SkillInputs, TextPiece,
};
use browse_base::{Error, Result};
use browse_engine::{FrameLocator, Reference};

impl ProgramPlan {
    /// The program that repeats what led to the last `reads` reads.
    ///
    /// # Errors
    /// `SKILL_RECORDING_EMPTY`, `SKILL_RECORDING_UNFIT`,
    /// `SKILL_RECORDING_SECRET`, `SKILL_RECORDING_ARGUMENT`.
    pub fn from_recording(
        recording: &SkillRecording,
        mut inputs: SkillInputs,
        reads: usize,
    ) -> Result<Self> {
        if recording.dropped_steps > 0 {
            let steps = recording.steps.len();
            return Err(unfit_error(format!("the recording is longer than {steps} steps")));
        }
        let steps = tabs::merge_into_one_tab(&recording.finished_steps()).map_err(unfit_error)?;
        let steps: Vec<&RecordedStep> = steps.iter().collect();
        let path = slice_steps(&steps, reads);
        let fates = path.dispositions;
        let kept: Vec<(usize, &RecordedStep)> = (0..)
            .zip(&steps)
            .zip(&fates)
            .filter(|(_, disposition)| disposition.is_kept())
            .map(|((at, step), _)| (at, path.rewritten.get(&at).unwrap_or(*step)))
            .collect();
        if !fates.contains(&StepDisposition::Result) {
            return Err(empty_recording_error(&steps));
        }
        let count = kept.len();
        let mut calls = CallBuilder { calls: Vec::new(), frame: None, inputs: &mut inputs };
        calls.open_first_page(kept[0].1, path.start.as_deref())?;
        for (at, step) in kept {
            calls
                .push_step(step)
                .map_err(|error| error.with_default("step", recording.step_number(at)))?;
        }
        let calls = calls.calls;
        inputs.check_used()?;
        let mut denied: Vec<_> = steps
            .iter()
            .zip(&fates)
            .filter(|(_, disposition)| **disposition == StepDisposition::Denied)
            .map(|(step, _)| step.command.name)
            .collect();
        denied.sort_unstable();
        denied.dedup();
        let hosts = hosts(&calls);
        let dropped = recording.finished_steps().len().saturating_sub(count);
        Ok(Self { calls, inputs, hosts, dropped_steps: dropped, denied_commands: denied })
    }
}

struct CallBuilder<'a> {
    calls: Vec<PlannedCall>,
    /// The frame that selectors look in at this point of the script.
    frame: Option<FrameLocator>,
    inputs: &'a mut SkillInputs,
}

impl CallBuilder<'_> {
    /// A script starts with a blank tab: where the recording did not, its page
    /// is opened first.
    fn open_first_page(&mut self, first: &RecordedStep, start: Option<&str>) -> Result<()> {
        let is_open = first.role() == StepRole::Open;
        let Some(address) = start.or((!is_open).then_some(first.before.url.as_str())) else {
            return Ok(());
        };
        let goto =
            Command::by_name("goto").ok_or_else(|| unfit_error("there is no `goto`".to_owned()))?;
        let url = self.inputs.url_pieces(address).ok_or_else(|| secret_error("goto"))?;
        let fields = request_fields(goto, [("url", ArgValue::Text(url))]);
        self.calls
            .push(PlannedCall { is_synthetic: true, ..PlannedCall::new(goto, fields, address) });
        Ok(())
    }

    fn push_step(&mut self, step: &RecordedStep) -> Result<()> {
        if let Some(why) = &step.unrepeatable_reason {
            return Err(unfit_error(format!("`{}`: {why}", step.command.name)));
        }
        let command = match step.role() {
            StepRole::Open => Command::by_name("goto").unwrap_or(step.command),
            _ => step.command,
        };
        if step.changed_document() && step.role() != StepRole::Read {
            // What is chosen ends with the document.
            self.select_frame(step.frame.as_ref())?;
            self.frame = None;
        } else if step.element.is_some() {
            self.select_frame(step.frame.as_ref())?;
        }
        for answer in &step.dialog_answers {
            self.push_answer(answer, &step.before.url)?;
        }
        let mut given = Vec::new();
        for field in command.request.fields {
            given.extend(self.field_value(step, field)?.map(|value| (field, value)));
        }
        let url = match step.role() {
            StepRole::Open => step.after.url.clone(),
            _ => step.before.url.clone(),
        };
        let mut call = PlannedCall::new(command, given, &url);
        call.element = step.element.clone();
        call.label = step.label.clone();
        call.in_frame = step.frame.is_some();
        call.sent = step.page_sends.clone();
        if step.has_result() {
            call.result = Some(self.output(step)?);
            self.calls.extend(wait_for_result(&call));
        }
        self.calls.push(call);
        if step.changed_document() {
            self.frame = None;
        }
        Ok(())
    }

    /// An answer to a question that comes with the next call.
    fn push_answer(&mut self, answer: &RecordedStep, url: &str) -> Result<()> {
        let mut given = Vec::new();
        for field in answer.command.request.fields {
            given.extend(self.field_value(answer, field)?.map(|value| (field, value)));
        }
        self.calls.push(PlannedCall::new(answer.command, given, url));
        Ok(())
    }

    /// Has selectors look in `frame`.
    fn select_frame(&mut self, frame: Option<&FrameLocator>) -> Result<()> {
        if self.frame.as_ref() == frame {
            return Ok(());
        }
        let Some(command) = Command::by_name("frame") else { return Ok(()) };
        let text = |text: &str| ArgValue::Text(vec![TextPiece::Literal(text.to_owned())]);
        let how = match frame {
            None => ("target", text("main")),
            Some(FrameLocator { name, .. }) if !name.is_empty() => ("name", text(name)),
            Some(FrameLocator { url, .. }) => {
                let plain = url.split(['?', '#']).next().unwrap_or_default();
                ("url", text(&format!("{plain}*")))
            }
        };
        let url = self.calls.last().map(|call| call.url.clone()).unwrap_or_default();
        let call = PlannedCall::new(command, request_fields(command, [how]), &url);
        self.calls.push(PlannedCall { is_synthetic: true, ..call });
        self.frame = frame.cloned();
        Ok(())
    }

    fn field_value(
        &mut self,
        step: &RecordedStep,
        field: &'static Field,
    ) -> Result<Option<ArgValue>> {
        if let Some(secret) = step.secret.as_ref().filter(|_| field.name == "text") {
            let name = self.inputs.secret_argument(secret);
            return Ok(Some(ArgValue::Text(vec![TextPiece::Argument(name)])));
        }
        let Some(value) = step.fields.get(field.name) else { return Ok(None) };
        let positional = step
            .command
            .args
            .iter()
            .any(|argument| step.command.request.fields[argument.field].number == field.number);
        let is_target = field.target;
        let mut text = |text: &str| {
            if is_target && (text.starts_with('@') || Reference::from_target(text).is_some()) {
                let message =
                    format!("`{}`: nothing names the element of `{text}`", step.command.name);
                return Err(unfit_error(message).with("target", text));
            }
            let pieces = match field.name {
                "url" if step.role() == StepRole::Open => self.inputs.url_pieces(text),
                "source" if text.contains("://") => self.inputs.url_pieces(text),
                _ if is_target => self.inputs.selector_pieces(text),
                _ => self.inputs.text_pieces(text),
            };
            pieces.ok_or_else(|| secret_error(step.command.name))
        };
        Ok(match value {
            Value::String(empty) if empty.is_empty() && (!positional || field.optional) => None,
            Value::String(one) if matches!(field.kind, FieldType::Enum(_)) => {
                Some(ArgValue::Text(vec![TextPiece::Literal(one.clone())]))
            }
            Value::String(one) => Some(ArgValue::Text(text(one)?)),
            Value::Array(items) if items.is_empty() => None,
            Value::Array(items) => {
                let texts = items.iter().filter_map(Value::as_str).map(text);
                Some(ArgValue::Texts(texts.collect::<Result<_>>()?))
            }
            Value::Bool(false) => None,
            Value::Number(number)
                if number.as_f64() == Some(0.0) && !positional && !field.optional =>
            {
                None
            }
            Value::Bool(_) | Value::Number(_) => Some(ArgValue::Scalar(value.clone())),
            Value::Null | Value::Object(_) => None,
        })
    }

    fn output(&self, step: &RecordedStep) -> Result<PlannedOutput> {
        let answer = step.answer.clone().unwrap_or_default();
        let shape = ResultShape::infer(&answer).ok_or_else(|| {
            let message = format!("the result is empty: `{}` answered nothing", step.command.name);
            Error::new(Reason::SkillRecordingEmpty, message)
        })?;
        let base = match step.saves_file() {
            true => "file".to_owned(),
            false => step.command.name.replace('-', "_"),
        };
        let taken = |name: &str| {
            let mut results = self.calls.iter().filter_map(|call| call.result.as_ref());
            results.any(|output| output.name == name)
        };
        let mut name = base.clone();
        for number in 2.. {
            if !taken(&name) {
                break;
            }
            name = format!("{base}{number}");
        }
        Ok(PlannedOutput { name, shape, answer })
    }
}

/// A script reads at once what the recording read after a while: it waits for
/// the element, and for a text in it.
fn wait_for_result(read: &PlannedCall) -> Option<PlannedCall> {
    let (_, target) = read.fields.iter().find(|(field, _)| field.name == "target")?;
    let is_text = read.result.as_ref().is_some_and(|output| output.shape == ResultShape::Text);
    let name = if is_text && read.command.name == "text" { "expect" } else { "wait" };
    let command = Command::by_name(name)?;
    let some_text = ArgValue::Text(vec![TextPiece::Literal("/\\S/".to_owned())]);
    let fields = match name {
        "expect" => request_fields(command, [("target", target.clone()), ("expected", some_text)]),
        _ => request_fields(command, [("target", target.clone())]),
    };
    Some(PlannedCall {
        is_synthetic: true,
        in_frame: read.in_frame,
        ..PlannedCall::new(command, fields, &read.url)
    })
}

fn request_fields<const N: usize>(
    command: &'static Command,
    given: [(&str, ArgValue); N],
) -> Vec<(&'static Field, ArgValue)> {
    given
        .into_iter()
        .filter_map(|(name, value)| Some((command.request.field(name)?, value)))
        .collect()
}

/// The hosts of the pages, in the order in which they come.
fn hosts(calls: &[PlannedCall]) -> Vec<String> {
    let mut hosts: Vec<String> = Vec::new();
    // A file may come from another host than its page.
    let file = |call: &PlannedCall| {
        let output = call.result.as_ref().filter(|_| call.command.save.is_some())?;
        let url = output.answer.get("url")?.as_str()?;
        Some(url.strip_prefix("blob:").unwrap_or(url).to_owned())
    };
    let urls = calls.iter().flat_map(|call| [Some(call.url.clone()), file(call)]).flatten();
    for url in urls.filter_map(|url| Url::parse(&url).ok()) {
        let Some(host) = url.host_str() else { continue };
        let host = url.port().map_or(host.to_owned(), |port| format!("{host}:{port}"));
        if !hosts.contains(&host) {
            hosts.push(host);
        }
    }
    hosts
}

fn empty_recording_error(steps: &[&RecordedStep]) -> Error {
    let ran = steps
        .iter()
        .rev()
        .find(|step| step.role() == StepRole::Denied && step.failure_reason.is_none());
    let message = match ran {
        _ if steps.is_empty() => "the recording is empty".to_owned(),
        Some(step) => format!(
            "the recording reads nothing that a skill can: it may not run `{}`",
            step.command.name
        ),
        None => "the recording reads nothing".to_owned(),
    };
    Error::new(Reason::SkillRecordingEmpty, message)
}

fn unfit_error(message: impl Into<String>) -> Error {
    let message: String = message.into();
    Error::new(Reason::SkillRecordingUnfit, format!("the recording cannot be repeated: {message}"))
}

fn secret_error(command: &str) -> Error {
    let message = format!("the address or selector of `{command}` looks like a secret");
    Error::new(Reason::SkillRecordingSecret, message)
}
