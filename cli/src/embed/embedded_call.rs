//! A call that a program prepares: from fields of a request, from steps, or from words of the
//! command line.

use std::time::Duration;

use browse_proto::{Command, Reason};
use serde_json::{Map, Value};

use crate::{
    failure::{Failure, Result},
    globals::Globals,
    help, parse,
    parse::{CliAction, Invocation},
    request::PreparedRequest,
};

/// A call that is to be made.
#[derive(Debug)]
pub struct EmbeddedCall {
    pub(super) request: PreparedRequest,
    pub(super) tab: Option<u64>,
    pub(super) timeout: Option<Duration>,
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
