//! Makes the request of a command: resolves what comes from files, standard
//! input, the environment or the output path, and encodes it.

use browse_proto::{Command, Reason, Source, wire};
use bytes::Bytes;
use serde_json::{Map, Value, json as value};
use std::{path::Path, time::Duration};

use crate::{
    failure::{Failure, Result},
    file_access::FileAccess,
    globals::Globals,
    inputs,
    limits::{self, DEFAULT_TIMEOUT_MS, MAX_MESSAGE_BYTES},
    parse::{self, Invocation},
    save,
};

/// A request that is ready to be sent.
#[derive(Debug)]
pub struct PreparedRequest {
    /// The command, with the path that its answer is written to.
    pub invocation: Invocation,
    /// The commands of the steps, in order; one for all tabs of `tab-each`.
    pub steps: Vec<Invocation>,
    /// The encoded message.
    pub body: Bytes,
}

impl PreparedRequest {
    /// Resolves and encodes `invocation`; `json` asks for what only a document
    /// shows. What is read from standard input has to end within `timeout`, or
    /// the time that a call has by default.
    pub fn new(mut invocation: Invocation, json: bool, timeout: Option<Duration>) -> Result<Self> {
        let command = invocation.command;
        let max_wait = timeout.unwrap_or(Duration::from_millis(DEFAULT_TIMEOUT_MS));
        let mut steps = Vec::new();
        for field in command.request.fields {
            if field.source == Source::Steps {
                let read = inputs::steps(command, max_wait)?;
                let mut values = Vec::new();
                for (tab, mut step) in read {
                    resolve(&mut step, inputs::Stdin::Taken, json, FileAccess::Caller)?;
                    values.push(pack_step(tab, &step)?);
                    steps.push(step);
                }
                invocation.fields.insert(field.name.to_owned(), Value::Array(values));
            }
        }
        let mut stdin = inputs::Stdin::Available(max_wait);
        if let Some(field) = command.inner_command_field()
            && let Some(mut inner) = invocation.inner.take()
        {
            resolve(&mut inner, stdin, json, FileAccess::Caller)?;
            stdin = inputs::Stdin::Taken;
            invocation.fields.insert(field.name.to_owned(), pack_request(&inner));
            steps.push(*inner);
        }
        resolve(&mut invocation, stdin, json, FileAccess::Caller)?;
        let body = encode(command, &invocation.fields)?;
        Ok(Self { invocation, steps, body })
    }

    /// The same for a program that has no standard input to give, with steps that it
    /// made itself.
    pub fn without_stdin(
        mut invocation: Invocation,
        steps: Vec<(Option<u64>, Invocation)>,
        access: FileAccess,
    ) -> Result<Self> {
        let command = invocation.command;
        let (mut packed, mut resolved) = (Vec::new(), Vec::new());
        for (tab, mut step) in steps {
            resolve(&mut step, inputs::Stdin::Taken, false, access)?;
            packed.push(pack_step(tab, &step)?);
            resolved.push(step);
        }
        for field in command.request.fields.iter().filter(|field| field.source == Source::Steps) {
            invocation.fields.insert(field.name.to_owned(), Value::Array(packed.clone()));
        }
        if let Some(field) = command.inner_command_field()
            && let Some(mut inner) = invocation.inner.take()
        {
            resolve(&mut inner, inputs::Stdin::Taken, false, access)?;
            invocation.fields.insert(field.name.to_owned(), pack_request(&inner));
            resolved.push(*inner);
        }
        resolve(&mut invocation, inputs::Stdin::Taken, false, access)?;
        let body = encode(command, &invocation.fields)?;
        Ok(Self { invocation, steps: resolved, body })
    }

    /// Fails when a file that its answer goes to cannot be written, those of its
    /// steps included: before the page is asked to do anything for it.
    pub fn check_outputs(&self, globals: &Globals) -> Result<()> {
        // Of one command for all tabs, each tab gets a file of its own.
        if self.invocation.command.inner_command_field().is_some() {
            return Ok(());
        }
        let invocations = self.steps.iter().chain([&self.invocation]);
        let mut saving = invocations.filter(|one| one.command.saves());
        saving.try_for_each(|one| save::check_output(one, globals))
    }

    /// Fails when its answer would go to a file, or that of one of its steps.
    pub fn check_inline(&self) -> Result<()> {
        self.steps.iter().chain([&self.invocation]).try_for_each(save::check_inline)
    }

    /// Time that the call gets. A stream has its own end, so it gets none but
    /// what the caller specified; steps get the sum of their times.
    pub fn timeout(&self, output: Option<Duration>) -> Option<Duration> {
        let of = |command: &Command| {
            Duration::from_millis(command.timeout_ms.unwrap_or(DEFAULT_TIMEOUT_MS))
        };
        match output {
            Some(_) => output,
            None if self.invocation.command.streaming => None,
            None if self.steps.is_empty() => Some(of(self.invocation.command)),
            None => Some(self.steps.iter().map(|step| of(step.command)).sum()),
        }
    }
}

/// Replaces what argv specified by what it stands for.
fn resolve(
    invocation: &mut Invocation,
    stdin: inputs::Stdin,
    json: bool,
    access: FileAccess,
) -> Result<()> {
    let Invocation { command, fields, path, .. } = invocation;
    for field in command.request.fields {
        let name = field.name.to_owned();
        match field.source {
            Source::File => {
                if let Some(Value::String(path)) = fields.get(field.name) {
                    access.check(command)?;
                    let content = inputs::file(command, path, stdin)?;
                    fields.insert(name, value!(content));
                }
            }
            Source::Input => {
                access.check(command)?;
                let path = fields.get(field.name).and_then(Value::as_str).unwrap_or("-");
                let content = inputs::piped(command, path, stdin)?;
                fields.insert(name, value!(content));
            }
            Source::FileOrUrl => {
                if let Some(Value::String(place)) = fields.get(field.name) {
                    let (name, content) = match is_url(place) {
                        true => ("url".to_owned(), place.clone()),
                        false => {
                            access.check(command)?;
                            (name, inputs::file(command, place, stdin)?)
                        }
                    };
                    fields.remove(field.name);
                    fields.insert(name, value!(content));
                }
            }
            Source::Files => {
                if let Some(Value::Array(paths)) = fields.get(field.name) {
                    access.check(command)?;
                    let paths = paths.iter().filter_map(Value::as_str);
                    let content = inputs::files(&paths.collect::<Vec<_>>())?;
                    fields.insert(name, content);
                }
            }
            Source::CallerEnvironment => {
                access.check(command)?;
                fields.insert(name, inputs::environment());
            }
            Source::CallerScreen => {
                access.check(command)?;
                fields.insert(name, inputs::screen());
            }
            Source::Extension => {
                if let Some((_, format)) = path
                    .as_deref()
                    .map(|path| parse::extension_field(command, path))
                    .transpose()?
                    .flatten()
                {
                    fields.insert(name, value!(format));
                }
            }
            Source::Manifest => {
                if let Some(folder) = path.as_deref() {
                    access.check(command)?;
                    let known = save::SaveManifest::read(Path::new(folder))?.known_urls();
                    fields.insert(name, value!(known));
                }
            }
            Source::Json if json => {
                fields.insert(name, value!(true));
            }
            Source::Json | Source::Argv | Source::Steps | Source::Command | Source::None => {}
        }
    }
    Ok(())
}

/// Whether argv names an address and no file.
fn is_url(place: &str) -> bool {
    let begins =
        |scheme: &str| place.get(..scheme.len()).is_some_and(|s| s.eq_ignore_ascii_case(scheme));
    begins("http://") || begins("https://")
}

/// The request of a step, with the name of its message.
fn pack_request(step: &Invocation) -> Value {
    let mut request =
        Map::from_iter([("@type".to_owned(), value!(step.command.request.full_name))]);
    request.extend(step.fields.clone());
    Value::Object(request)
}

fn pack_step(tab: Option<u64>, step: &Invocation) -> Result<Value> {
    let mut value = Map::from_iter([("request".to_owned(), pack_request(step))]);
    if let Some(tab) = tab {
        value.insert("tab".to_owned(), value!(tab));
    }
    Ok(Value::Object(value))
}

fn encode(command: &Command, fields: &Map<String, Value>) -> Result<Bytes> {
    let body = wire::encode(command.request, fields)
        .map_err(|error| Failure::new(Reason::ArgumentInvalid, error.to_string()))?;
    // Below the limit by the five bytes that gRPC puts before a message.
    if body.len() + 5 > MAX_MESSAGE_BYTES {
        let message = format!("the request of `{}` has {} bytes", command.name, body.len());
        return Err(limits::too_large(message, MAX_MESSAGE_BYTES));
    }
    Ok(body.into())
}
