//! What the program of a recorded skill does, in no language yet.

use browse_proto::{Command, Field, Kind, Reason};
use serde_json::Value;
use url::Url;

use super::inputs::{Inputs, Piece};
use super::path::{Fate, path};
use super::recordings::Recording;
use super::shape::Shape;
use super::step::{Role, Step, TARGETS};
use super::tabs;
use crate::engine::{Place, Reference};
use crate::error::{Error, Result};
use crate::secrets;
use crate::sessions::PageSend;

/// A program.
#[derive(Clone, Debug)]
pub struct Plan {
    /// In order; the reads of the result among them.
    pub calls: Vec<Call>,
    /// Arguments of the skill.
    pub inputs: Inputs,
    /// `host` or `host:port` of the pages that it visits.
    pub hosts: Vec<String>,
    /// Steps of the recording that it does without.
    pub dropped: usize,
    /// Commands that it does without because skills may not run them.
    pub denied: Vec<&'static str>,
}

/// One call of a command.
#[derive(Clone, Debug)]
pub struct Call {
    /// The command.
    pub command: &'static Command,
    /// Its arguments: fields of the request, in the order of the contract.
    pub fields: Vec<(&'static Field, Given)>,
    /// What it answers, when that is part of the result.
    pub result: Option<Output>,
    /// The address of the page that it was made on.
    pub url: String,
    /// What its element was: tag, role and type of an input.
    pub element: Option<[String; 3]>,
    /// What its element was called on the page, when that was a control.
    pub label: Option<String>,
    /// Whether its selector looks in a frame within the page.
    pub framed: bool,
    /// Whether it is none of the recording, but was added for the others.
    pub added: bool,
    /// What the recording saw it send.
    pub sent: Vec<PageSend>,
}

/// A read whose answer is the result or a part of it.
#[derive(Clone, Debug)]
pub struct Output {
    /// What the script calls it: a name of the contract.
    pub name: String,
    /// What it has to have.
    pub shape: Shape,
    /// What it was.
    pub answer: Value,
}

/// The value of an argument.
#[derive(Clone, Debug, PartialEq)]
pub enum Given {
    /// Text, which may hold arguments of the skill.
    Text(Vec<Piece>),
    /// Several texts.
    Texts(Vec<Vec<Piece>>),
    /// A number or true.
    Plain(Value),
}

impl Plan {
    /// The program that repeats what led to the last `reads` reads.
    ///
    /// # Errors
    /// `SKILL_RECORDING_EMPTY`, `SKILL_RECORDING_UNFIT`,
    /// `SKILL_RECORDING_SECRET`, `SKILL_RECORDING_ARGUMENT`.
    pub fn of(recording: &Recording, mut inputs: Inputs, reads: usize) -> Result<Self> {
        if recording.lost > 0 {
            let steps = recording.steps.len();
            return Err(unfit(format!("the recording is longer than {steps} steps")));
        }
        let steps = tabs::of_one(&recording.ended()).map_err(unfit)?;
        let steps: Vec<&Step> = steps.iter().collect();
        let path = path(&steps, reads);
        let fates = path.fates;
        let kept: Vec<(usize, &Step)> = (0..)
            .zip(&steps)
            .zip(&fates)
            .filter(|(_, fate)| fate.is_kept())
            .map(|((at, step), _)| (at, path.rewritten.get(&at).unwrap_or(*step)))
            .collect();
        if !fates.contains(&Fate::Result) {
            return Err(empty(&steps));
        }
        let count = kept.len();
        let mut calls = Calls { calls: Vec::new(), frame: None, inputs: &mut inputs };
        calls.begin(kept[0].1, path.start.as_deref())?;
        for (at, step) in kept {
            calls.push(step).map_err(|error| error.or_with("step", at + 1))?;
        }
        let calls = calls.calls;
        inputs.check_used()?;
        let mut denied: Vec<_> = steps
            .iter()
            .zip(&fates)
            .filter(|(_, fate)| **fate == Fate::Denied)
            .map(|(step, _)| step.command.name)
            .collect();
        denied.sort_unstable();
        denied.dedup();
        let hosts = hosts(&calls);
        let dropped = recording.ended().len().saturating_sub(count);
        Ok(Self { calls, inputs, hosts, dropped, denied })
    }

    /// The steps of the recording that it repeats.
    pub fn steps(&self) -> impl Iterator<Item = &Call> {
        self.calls.iter().filter(|call| !call.added)
    }

    /// The reads of the result.
    pub fn outputs(&self) -> impl Iterator<Item = (&Call, &Output)> {
        self.calls.iter().filter_map(|call| Some((call, call.result.as_ref()?)))
    }
}

struct Calls<'a> {
    calls: Vec<Call>,
    /// The frame that selectors look in at this point of the script.
    frame: Option<Place>,
    inputs: &'a mut Inputs,
}

impl Calls<'_> {
    /// A script starts with a blank tab: where the recording did not, its page
    /// is opened first.
    fn begin(&mut self, first: &Step, start: Option<&str>) -> Result<()> {
        let is_open = first.role() == Role::Open;
        let Some(address) = start.or((!is_open).then_some(first.before.url.as_str())) else {
            return Ok(());
        };
        let goto =
            Command::by_name("goto").ok_or_else(|| unfit("there is no `goto`".to_owned()))?;
        let url = self.inputs.address(address).ok_or_else(|| secret("goto"))?;
        let fields = fields(goto, [("url", Given::Text(url))]);
        self.calls.push(Call { added: true, ..Call::new(goto, fields, address) });
        Ok(())
    }

    fn push(&mut self, step: &Step) -> Result<()> {
        if let Some(why) = &step.unfit {
            return Err(unfit(format!("`{}`: {why}", step.command.name)));
        }
        let command = match step.role() {
            Role::Open => Command::by_name("goto").unwrap_or(step.command),
            _ => step.command,
        };
        if step.moved() && step.role() != Role::Read {
            // What is chosen ends with the document.
            self.choose(step.frame.as_ref())?;
            self.frame = None;
        } else if step.element.is_some() {
            self.choose(step.frame.as_ref())?;
        }
        for answer in &step.dialogs {
            self.push_answer(answer, &step.before.url)?;
        }
        let mut given = Vec::new();
        for field in command.request.fields {
            given.extend(self.field(step, field)?.map(|value| (field, value)));
        }
        let url = match step.role() {
            Role::Open => step.after.url.clone(),
            _ => step.before.url.clone(),
        };
        let mut call = Call::new(command, given, &url);
        call.element = step.element.clone();
        call.label = step.label.clone();
        call.framed = step.frame.is_some();
        call.sent = step.sent.clone();
        if step.answers() {
            call.result = Some(self.output(step)?);
            self.calls.extend(await_result(&call));
        }
        self.calls.push(call);
        if step.moved() {
            self.frame = None;
        }
        Ok(())
    }

    /// An answer to a question that comes with the next call.
    fn push_answer(&mut self, answer: &Step, url: &str) -> Result<()> {
        let mut given = Vec::new();
        for field in answer.command.request.fields {
            given.extend(self.field(answer, field)?.map(|value| (field, value)));
        }
        self.calls.push(Call::new(answer.command, given, url));
        Ok(())
    }

    /// Has selectors look in `frame`.
    fn choose(&mut self, frame: Option<&Place>) -> Result<()> {
        if self.frame.as_ref() == frame {
            return Ok(());
        }
        let Some(command) = Command::by_name("frame") else { return Ok(()) };
        let text = |text: &str| Given::Text(vec![Piece::Literal(text.to_owned())]);
        let how = match frame {
            None => ("target", text("main")),
            Some(Place { name, .. }) if !name.is_empty() => ("name", text(name)),
            Some(Place { url, .. }) => {
                let plain = url.split(['?', '#']).next().unwrap_or_default();
                ("url", text(&format!("{plain}*")))
            }
        };
        let url = self.calls.last().map(|call| call.url.clone()).unwrap_or_default();
        let call = Call::new(command, fields(command, [how]), &url);
        self.calls.push(Call { added: true, ..call });
        self.frame = frame.cloned();
        Ok(())
    }

    fn field(&mut self, step: &Step, field: &'static Field) -> Result<Option<Given>> {
        if let Some(secret) = step.secret.as_ref().filter(|_| field.name == "text") {
            let name = self.inputs.secret(secret);
            return Ok(Some(Given::Text(vec![Piece::Argument(name)])));
        }
        let Some(value) = step.fields.get(field.name) else { return Ok(None) };
        let positional = step
            .command
            .args
            .iter()
            .any(|argument| step.command.request.fields[argument.field].number == field.number);
        let is_target = TARGETS.contains(&field.name);
        let mut text = |text: &str| {
            if is_target && (text.starts_with('@') || Reference::of_target(text).is_some()) {
                let message =
                    format!("`{}`: nothing names the element of `{text}`", step.command.name);
                return Err(unfit(message).with("target", text));
            }
            let pieces = match field.name {
                "url" if step.role() == Role::Open => self.inputs.address(text),
                "source" if text.contains("://") => self.inputs.address(text),
                _ if is_target => self.inputs.selector(text),
                _ => self.inputs.text(text),
            };
            pieces.ok_or_else(|| secret(step.command.name))
        };
        Ok(match value {
            Value::String(empty) if empty.is_empty() && (!positional || field.optional) => None,
            Value::String(one) if matches!(field.kind, Kind::Enum(_)) => {
                Some(Given::Text(vec![Piece::Literal(one.clone())]))
            }
            Value::String(one) => Some(Given::Text(text(one)?)),
            Value::Array(items) if items.is_empty() => None,
            Value::Array(items) => {
                let texts = items.iter().filter_map(Value::as_str).map(text);
                Some(Given::Texts(texts.collect::<Result<_>>()?))
            }
            Value::Bool(false) => None,
            Value::Number(number)
                if number.as_f64() == Some(0.0) && !positional && !field.optional =>
            {
                None
            }
            Value::Bool(_) | Value::Number(_) => Some(Given::Plain(value.clone())),
            Value::Null | Value::Object(_) => None,
        })
    }

    fn output(&self, step: &Step) -> Result<Output> {
        let answer = step.answer.clone().unwrap_or_default();
        let shape = Shape::of(&answer).ok_or_else(|| {
            let message = format!("the result is empty: `{}` answered nothing", step.command.name);
            Error::new(Reason::SkillRecordingEmpty, message)
        })?;
        let base = match step.saves() {
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
        Ok(Output { name, shape, answer })
    }
}

/// A script reads at once what the recording read after a while: it waits for
/// the element, and for a text in it.
fn await_result(read: &Call) -> Option<Call> {
    let (_, target) = read.fields.iter().find(|(field, _)| field.name == "target")?;
    let is_text = read.result.as_ref().is_some_and(|output| output.shape == Shape::Text);
    let name = if is_text && read.command.name == "text" { "expect" } else { "wait" };
    let command = Command::by_name(name)?;
    let some_text = Given::Text(vec![Piece::Literal("/\\S/".to_owned())]);
    let fields = match name {
        "expect" => fields(command, [("target", target.clone()), ("expected", some_text)]),
        _ => fields(command, [("target", target.clone())]),
    };
    Some(Call { added: true, framed: read.framed, ..Call::new(command, fields, &read.url) })
}

impl Call {
    fn new(command: &'static Command, fields: Vec<(&'static Field, Given)>, url: &str) -> Self {
        Self {
            command,
            fields,
            result: None,
            url: url.to_owned(),
            element: None,
            label: None,
            framed: false,
            added: false,
            sent: Vec::new(),
        }
    }

    /// Its selector, when that is the same in each run.
    pub fn selector(&self) -> Option<&str> {
        let (_, given) = self.fields.iter().find(|(field, _)| field.name == "target")?;
        match given {
            Given::Text(pieces) => match pieces.as_slice() {
                [Piece::Literal(text)] => Some(text),
                _ => None,
            },
            _ => None,
        }
    }
}

fn fields<const N: usize>(
    command: &'static Command,
    given: [(&str, Given); N],
) -> Vec<(&'static Field, Given)> {
    given
        .into_iter()
        .filter_map(|(name, value)| Some((command.request.field(name)?, value)))
        .collect()
}

/// The hosts of the pages, in the order in which they come.
fn hosts(calls: &[Call]) -> Vec<String> {
    let mut hosts: Vec<String> = Vec::new();
    // A file may come from another host than its page.
    let file = |call: &Call| {
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

fn empty(steps: &[&Step]) -> Error {
    let ran = steps.iter().rev().find(|step| step.role() == Role::Denied && step.failed.is_none());
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

fn unfit(message: impl Into<String>) -> Error {
    let message: String = message.into();
    Error::new(Reason::SkillRecordingUnfit, format!("the recording cannot be repeated: {message}"))
}

fn secret(command: &str) -> Error {
    let message = format!("the address or selector of `{command}` looks like a secret");
    Error::new(Reason::SkillRecordingSecret, message)
}

/// Whether `text` may stand in a file of the skill.
pub fn is_plain(text: &str, secrets: &[String]) -> bool {
    secrets::redact(text) == text && !secrets.iter().any(|secret| secrets::holds(text, secret))
}
