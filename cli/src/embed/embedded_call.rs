//! A call that a program prepares: from fields of a request, from steps, or from words of the
//! command line.

use std::time::Duration;

use browse_proto::{Command, Reason};
use serde_json::{Map, Value};

use crate::{
    failure::{Failure, Result},
    file_access::FileAccess,
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
    access: FileAccess,
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
    /// A call of `command` with these fields of its request, none of which names a file.
    ///
    /// # Errors
    /// A field has the wrong type.
    pub fn new(command: &'static Command, fields: Map<String, Value>) -> Result<Self> {
        Self::with_steps(command, fields, Vec::new(), FileAccess::Caller)
    }

    /// A call of a command that takes steps, each in the words of the command line.
    ///
    /// # Errors
    /// `BATCH_INVALID`, and what is wrong with the words of a step; `FILE_DENIED`.
    pub fn of_steps(
        command: &'static Command,
        steps: &[Vec<String>],
        access: FileAccess,
    ) -> Result<Self> {
        let read = steps.iter().enumerate().map(|(index, words)| {
            parse::step(words).map_err(|failure| {
                let number = index + 1;
                let mut failure = failure.with_value("step", number);
                failure.message = format!("step {number}: {}", failure.message);
                failure
            })
        });
        let read: Vec<_> = read.collect::<Result<_>>()?;
        let call = Self::with_steps(command, Map::new(), read, access)?;
        Ok(Self { step_words: steps.to_vec(), ..call })
    }

    /// The same call without its first `done` steps.
    ///
    /// # Errors
    /// As [`EmbeddedCall::of_steps`].
    pub fn after_steps(&self, done: usize) -> Result<Self> {
        let steps = self.step_words.get(done..).unwrap_or_default();
        let call = Self::of_steps(self.command(), steps, self.access)?;
        Ok(Self { tab: self.tab, timeout: self.timeout, ..call })
    }

    fn with_steps(
        command: &'static Command,
        fields: Map<String, Value>,
        steps: Vec<(Option<u64>, Invocation)>,
        access: FileAccess,
    ) -> Result<Self> {
        let invocation = Invocation {
            command,
            fields,
            path: None,
            base64: false,
            force_path: false,
            inner: None,
        };
        let request = PreparedRequest::without_stdin(invocation, steps, access)?;
        Ok(Self { request, tab: None, timeout: None, step_words: Vec::new(), access })
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
/// As the command line; what only a terminal can do is refused. `FILE_DENIED`.
pub fn parse_words(words: &[String], access: FileAccess) -> Result<EmbeddedAction> {
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
    let request = PreparedRequest::without_stdin(invocation, steps, access)?;
    Ok(EmbeddedAction::Call(Box::new(EmbeddedCall {
        request,
        tab,
        timeout,
        step_words: Vec::new(),
        access,
    })))
}

#[cfg(test)]
mod tests {
    use browse_proto::Reason;

    use super::{EmbeddedAction, EmbeddedCall, FileAccess, parse_words};
    use crate::failure::Failure;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    fn parse(text: &str) -> Result<EmbeddedCall, Failure> {
        match parse_words(&words(text), FileAccess::None)? {
            EmbeddedAction::Call(call) => Ok(*call),
            EmbeddedAction::Text(text) => panic!("{text}"),
        }
    }

    #[test]
    fn a_caller_of_another_machine_reads_no_file_of_this_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("page.html");
        std::fs::write(&path, "<p>secret</p>").expect("written");
        let path = path.display();
        let here = parse_words(&words(&format!("load-html {path}")), FileAccess::Caller);
        assert!(here.is_ok(), "{here:?}");
        for text in [
            format!("load-html {path}"),
            // Callers do not learn which files exist.
            "load-html /nowhere/page.html".to_owned(),
            format!("upload @e1 {path}"),
        ] {
            let refused = parse(&text).expect_err(&text);
            assert!(refused.has_reason(Reason::FileDenied), "{text}: {refused:?}");
        }
        let chain = browse_proto::Command::by_name("chain").expect("a command");
        let steps = [words(&format!("load-html {path}"))];
        let refused = EmbeddedCall::of_steps(chain, &steps, FileAccess::None).expect_err("a file");
        assert!(refused.has_reason(Reason::FileDenied), "{refused:?}");
        assert!(parse("click @e1").is_ok());
    }

    #[test]
    fn what_is_saved_goes_into_the_answer_or_is_refused() {
        let check = |text: &str| parse(text).expect("a call").request.check_inline();
        for text in ["screenshot", "screenshot shot.png", "pdf page.pdf"] {
            let refused = check(text).expect_err(text);
            assert!(refused.has_reason(Reason::FileDenied), "{text}: {refused:?}");
        }
        assert!(check("screenshot --base64").is_ok());
        assert!(check("snapshot -i").is_ok());
        let chain = browse_proto::Command::by_name("chain").expect("a command");
        let steps = [words("click @e1"), words("screenshot")];
        let call = EmbeddedCall::of_steps(chain, &steps, FileAccess::None).expect("a call");
        assert!(call.request.check_inline().is_err());
    }
}
