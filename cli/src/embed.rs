//! Calls for a program that links the command line, such as `browse-mcp`. Nothing is
//! printed, standard input is not read, files are written below the project and the temp
//! folder alone, and several calls may run at a time.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use browse_proto::{
    Command, Reason,
    render::{self, Untrusted},
};
use bytes::Bytes;
use serde_json::{Map, Value};

use crate::{
    call::{self, CallError, InvocationContext},
    connect::{self, ConnectedDaemon},
    failure::{Failure, Result},
    globals::Globals,
    help, parse,
    parse::{CliAction, Invocation},
    project::working_directory,
    request::PreparedRequest,
    response::{self, ResponseNotices},
    save, steps, streams, upgrade_daemon,
};

/// Calls the daemon of the project, which is started when none runs.
#[derive(Clone, Debug)]
pub struct EmbeddedClient {
    globals: Globals,
}

/// Who makes a call, and for what.
#[derive(Clone, Copy, Debug, Default)]
pub struct Caller<'a> {
    /// The token; that of the owner of the daemon when there is none.
    pub token: Option<&'a str>,
    /// The session that the call acts in.
    pub session: Option<&'a str>,
    /// The trace that the call is part of, as a W3C `traceparent`.
    pub traceparent: Option<&'a str>,
}

/// A call that is to be made.
#[derive(Debug)]
pub struct EmbeddedCall {
    request: PreparedRequest,
    tab: Option<u64>,
    timeout: Option<Duration>,
    /// The words of its steps, where it has some.
    step_words: Vec<Vec<String>>,
}

/// What was asked for by words.
#[derive(Debug)]
pub enum EmbeddedAction {
    /// A call of the daemon.
    Call(Box<EmbeddedCall>),
    /// Text that needs no daemon: help, the version.
    Text(String),
}

/// The answer of a call.
#[derive(Debug)]
pub struct EmbeddedReply {
    /// Text for the reader, inside the envelope where a page wrote some of it.
    pub text: String,
    /// The failures of steps.
    pub failures: Vec<Failure>,
    /// The first of them: its index, and how it failed.
    pub first_failure: Option<(usize, Failure)>,
    /// The decoded response.
    pub response: Map<String, Value>,
    /// Nonce, source and warnings of what a page wrote.
    pub untrusted: Option<Untrusted>,
    /// What the daemon says beside the answer.
    pub notes: Vec<String>,
    /// Whether a step failed.
    pub is_failure: bool,
}

impl EmbeddedClient {
    /// A client of the daemon that flags of this process's environment name, or of the
    /// project of the working directory.
    ///
    /// # Errors
    /// A variable has no valid value.
    pub fn from_environment() -> Result<Self> {
        let mut globals = Globals::default();
        globals.fill_from_environment()?;
        // Each call names its own.
        globals.session = None;
        Ok(Self { globals })
    }

    /// Makes `call`.
    ///
    /// # Errors
    /// Those of the command; the daemon cannot be started or reached.
    pub async fn call(&self, call: &EmbeddedCall, caller: Caller<'_>) -> Result<EmbeddedReply> {
        let command = call.request.invocation.command;
        let globals = self.globals_of(call, caller);
        if command.streaming {
            return self.collect(call, &globals).await;
        }
        call.request.check_outputs(&globals)?;
        let (body, mut reply) = self.fetch(call, &globals).await?;
        let untrusted = reply.untrusted.as_ref();
        let text = if command.takes_steps() || command.inner_command_field().is_some() {
            let report = steps::report(&call.request, &reply.response, untrusted, &globals);
            let text = enveloped(&report.text, untrusted);
            reply.is_failure = report.exit != 0;
            reply.failures = report.failures;
            reply.first_failure = report.first_failure;
            text
        } else if command.saves() {
            save::save_files(&call.request.invocation, &globals, &mut reply.response, &body)?;
            enveloped(&save::saved_line(command, &reply.response), untrusted)
        } else {
            let line =
                untrusted.and_then(|known| render::receipt_line(command, &reply.response, known));
            line.unwrap_or_else(|| enveloped(&render::text(command, &reply.response), untrusted))
        };
        reply.text = text.trim_end().to_owned();
        reply.notes.extend(suggestions(&reply.response));
        Ok(reply)
    }

    /// Makes a call whose answer is wanted as data, with the bytes that the command line
    /// would write to a file as base64; its text is empty.
    ///
    /// # Errors
    /// As [`EmbeddedClient::call`].
    pub async fn call_for_data(
        &self,
        call: &EmbeddedCall,
        caller: Caller<'_>,
    ) -> Result<EmbeddedReply> {
        let globals = self.globals_of(call, caller);
        Ok(self.fetch(call, &globals).await?.1)
    }

    /// The answer of `call`, encoded and decoded, without a text yet.
    async fn fetch(
        &self,
        call: &EmbeddedCall,
        globals: &Globals,
    ) -> Result<(Bytes, EmbeddedReply)> {
        let (body, notices) = self.send(call, globals).await?;
        let response = response::decode(call.command(), &body)?;
        Ok((body, EmbeddedReply::new(String::new(), response, notices)))
    }

    /// Makes a call that answers with a stream, and gathers what comes to its end.
    async fn collect(&self, call: &EmbeddedCall, globals: &Globals) -> Result<EmbeddedReply> {
        let command = call.request.invocation.command;
        let daemon = self.connect(command, globals).await?;
        let timeout = call.request.timeout(globals.timeout);
        let context = InvocationContext::new(globals, &daemon, &working_directory()?, timeout);
        let gathered = Mutex::new(StreamText::default());
        let lock = || gathered.lock().unwrap_or_else(PoisonError::into_inner);
        let done = call::streaming(
            daemon,
            command,
            call.request.body.clone(),
            &context,
            |notices| {
                lock().notices = notices;
                Ok(())
            },
            |message| {
                let message = response::decode(command, &message)?;
                lock().add(command, message);
                Ok(())
            },
            |notices| lock().notices.merge(notices),
        );
        done.await.map_err(|broken| broken.failure)?;
        let StreamText { notices, output, errors } =
            gathered.into_inner().unwrap_or_else(PoisonError::into_inner);
        let text = [errors.trim_end(), output.trim_end()];
        let text = text.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n");
        let text = enveloped(&text, notices.untrusted.as_ref());
        Ok(EmbeddedReply::new(text, Map::new(), notices))
    }

    fn globals_of(&self, call: &EmbeddedCall, caller: Caller<'_>) -> Globals {
        Globals {
            tab: call.tab,
            timeout: call.timeout,
            token: caller.token.map(str::to_owned).or_else(|| self.globals.token.clone()),
            session: caller.session.map(str::to_owned),
            traceparent: caller.traceparent.map(str::to_owned),
            is_confined: true,
            ..self.globals.clone()
        }
    }

    /// Sends `call`, again when the daemon ended before it could act.
    async fn send(
        &self,
        call: &EmbeddedCall,
        globals: &Globals,
    ) -> Result<(Bytes, ResponseNotices)> {
        match self.call_once(call, globals).await {
            Err(broken) if broken.is_retryable => {
                self.call_once(call, globals).await.map_err(|broken| broken.failure)
            }
            outcome => outcome.map_err(|broken| broken.failure),
        }
    }

    async fn call_once(
        &self,
        call: &EmbeddedCall,
        globals: &Globals,
    ) -> Result<(Bytes, ResponseNotices), CallError> {
        let command = call.request.invocation.command;
        let daemon = self.connect(command, globals).await?;
        let timeout = call.request.timeout(globals.timeout);
        let context = InvocationContext::new(globals, &daemon, &working_directory()?, timeout);
        call::unary(daemon, command, call.request.body.clone(), &context).await
    }

    /// Finding and starting a daemon blocks.
    async fn connect(
        &self,
        command: &'static Command,
        globals: &Globals,
    ) -> Result<ConnectedDaemon> {
        let globals = globals.clone();
        let connecting = tokio::task::spawn_blocking(move || {
            let daemon = connect::connect_for_command(command, &globals)?;
            // A daemon of another build is replaced by its owner, not by an agent's call.
            let owner = Globals { token: None, session: None, ..globals };
            upgrade_daemon::replace_outdated(daemon, command, &owner)
        });
        let joined = connecting.await;
        joined.map_err(|error| Failure::new(Reason::Bug, format!("no connection: {error}")))?
    }
}

impl EmbeddedReply {
    fn new(text: String, response: Map<String, Value>, notices: ResponseNotices) -> Self {
        Self {
            text,
            failures: Vec::new(),
            first_failure: None,
            response,
            untrusted: notices.untrusted,
            notes: notices.notice.into_iter().collect(),
            is_failure: false,
        }
    }
}

impl EmbeddedCall {
    /// A call of `command` with these fields of its request.
    ///
    /// # Errors
    /// A field has the wrong type.
    pub fn new(command: &'static Command, fields: Map<String, Value>) -> Result<Self> {
        Self::with_steps(command, fields, Vec::new())
    }

    /// A call of a command that takes steps, each in the words of the command line.
    ///
    /// # Errors
    /// `BATCH_INVALID`, and what is wrong with the words of a step.
    pub fn of_steps(command: &'static Command, steps: &[Vec<String>]) -> Result<Self> {
        let read = steps.iter().enumerate().map(|(index, words)| {
            parse::step(words).map_err(|failure| {
                let number = index + 1;
                let mut failure = failure.with_value("step", number);
                failure.message = format!("step {number}: {}", failure.message);
                failure
            })
        });
        let call = Self::with_steps(command, Map::new(), read.collect::<Result<_>>()?)?;
        Ok(Self { step_words: steps.to_vec(), ..call })
    }

    /// The same call without its first `done` steps.
    ///
    /// # Errors
    /// As [`EmbeddedCall::of_steps`].
    pub fn after_steps(&self, done: usize) -> Result<Self> {
        let steps = self.step_words.get(done..).unwrap_or_default();
        let call = Self::of_steps(self.command(), steps)?;
        Ok(Self { tab: self.tab, timeout: self.timeout, ..call })
    }

    fn with_steps(
        command: &'static Command,
        fields: Map<String, Value>,
        steps: Vec<(Option<u64>, Invocation)>,
    ) -> Result<Self> {
        let invocation = Invocation {
            command,
            fields,
            path: None,
            base64: false,
            force_path: false,
            inner: None,
        };
        let request = PreparedRequest::without_stdin(invocation, steps)?;
        Ok(Self { request, tab: None, timeout: None, step_words: Vec::new() })
    }

    /// The same in another tab than the active one.
    #[must_use]
    pub fn in_tab(mut self, tab: Option<u64>) -> Self {
        self.tab = tab.or(self.tab);
        self
    }

    /// The same with a deadline.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Option<Duration>) -> Self {
        self.timeout = timeout.or(self.timeout);
        self
    }

    /// The command.
    pub fn command(&self) -> &'static Command {
        self.request.invocation.command
    }
}

/// What `words` (argv without the program) ask for. Of the global flags, `--tab` and
/// `--timeout` are taken.
///
/// # Errors
/// As the command line; what only a terminal can do is refused.
pub fn parse_words(words: &[String]) -> Result<EmbeddedAction> {
    let parsed = parse::argv(words)?;
    let invocation = match parsed.action {
        CliAction::Call(invocation) => invocation,
        CliAction::Help(words) => return Ok(EmbeddedAction::Text(help::text(&words)?)),
        CliAction::Version | CliAction::Start | CliAction::Local(..) => {
            let message = format!("`{}` is of the command line alone", words.join(" "));
            return Err(Failure::new(Reason::CommandUnknown, message)
                .with_hint("Use `help` to see the commands"));
        }
    };
    let Globals { tab, timeout, .. } = parsed.globals;
    if parsed.globals != (Globals { tab, timeout, ..Globals::default() }) {
        let message = "only the global flags `--tab` and `--timeout` can be given here";
        return Err(Failure::new(Reason::ArgumentInvalid, message)
            .with_hint("Leave out the others; the session is an argument of the tool"));
    }
    let command = invocation.command;
    let needs_terminal = matches!(
        command.function,
        "redeem" | "stop" | "restart" | "start_tunnel" | "watch" | "view_tabs"
    );
    let has_no_end = invocation.fields.get("follow") == Some(&Value::Bool(true))
        || command.streaming && command.saves();
    if has_no_end || needs_terminal || invocation.path.as_deref() == Some("-") {
        let message = format!("`{}` runs in a shell alone", command.name);
        return Err(Failure::new(Reason::CommandUnknown, message)
            .with_hint(format!("Run `browse {}` in a shell", words.join(" "))));
    }
    let steps = Vec::new();
    if command.takes_steps() {
        let message = format!("`{}` reads its steps from standard input", command.name);
        return Err(Failure::new(Reason::ArgumentInvalid, message)
            .with_hint("Give the steps to the tool `act`"));
    }
    let request = PreparedRequest::without_stdin(invocation, steps)?;
    Ok(EmbeddedAction::Call(Box::new(EmbeddedCall {
        request,
        tab,
        timeout,
        step_words: Vec::new(),
    })))
}

/// What came of a stream.
#[derive(Default)]
struct StreamText {
    notices: ResponseNotices,
    output: String,
    /// What a program wrote to its standard error.
    errors: String,
}

impl StreamText {
    fn add(&mut self, command: &Command, mut message: Map<String, Value>) {
        if let Some(bytes) = streams::stderr_bytes(command, &message) {
            self.errors.push_str(&String::from_utf8_lossy(&bytes));
            return;
        }
        let warnings = message.remove("warnings");
        let warnings = warnings.as_ref().and_then(Value::as_array).into_iter().flatten();
        if let Some(untrusted) = &mut self.notices.untrusted {
            untrusted.warnings.extend(warnings.filter_map(Value::as_str).map(str::to_owned));
        }
        self.output.push_str(streams::message_text(command, &message).trim_end());
        self.output.push('\n');
    }
}

fn enveloped(text: &str, untrusted: Option<&Untrusted>) -> String {
    match untrusted {
        Some(untrusted) if !text.is_empty() => untrusted.wrap(text),
        _ => text.to_owned(),
    }
}

/// The skills and notes that fit the page.
fn suggestions(response: &Map<String, Value>) -> Vec<String> {
    let skills = response.get("suggested_skills").and_then(Value::as_array);
    let line = |skill: &Value| {
        let field = |name| skill.get(name).and_then(Value::as_str).unwrap_or_default();
        match field("kind") {
            "note" => format!("there is a note on {}: `context`", field("id")),
            "library" => format!("the library has a note: `library show {}`", field("id")),
            kind => format!("the skill `{}` fits this host ({kind})", field("id")),
        }
    };
    skills.into_iter().flatten().map(line).collect()
}
