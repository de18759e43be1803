//! Calls for a program that links the command line, such as `browse-mcp`. Nothing is
//! printed, standard input is not read, files are written below the project and the temp
//! folder alone, and several calls may run at a time.

mod embedded_call;

use std::sync::{Arc, Mutex, PoisonError};

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
    in_process::InProcessService,
    project::working_directory,
    remote::Remote,
    remote_name,
    response::{self, ResponseNotices},
    save, steps, streams, upgrade_daemon,
};
pub use crate::{
    file_access::FileAccess,
    in_process::{CallFuture, CallService},
};
pub use embedded_call::{EmbeddedAction, EmbeddedCall, parse_words};

/// Calls the daemon of the project, which is started when none runs, a remote, or this process.
#[derive(Clone, Debug)]
pub struct EmbeddedClient {
    globals: Globals,
    /// The session that the environment names.
    session: Option<String>,
    /// What answers in the place of another process.
    service: Option<InProcessService>,
}

/// What a client calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmbeddedServer {
    /// A daemon on this machine, or one whose address was named.
    Daemon,
    /// A daemon on another machine, by a pairing.
    Paired,
    /// The gateway of a fleet.
    Fleet,
}

/// Who makes a call, and for what.
#[derive(Clone, Copy, Debug, Default)]
pub struct CallerContext<'a> {
    /// The token; that of the owner of the daemon when there is none.
    pub token: Option<&'a str>,
    /// The session that the call acts in.
    pub session: Option<&'a str>,
    /// The scopes that the gateway of a fleet holds the call to, with commas between; it holds
    /// the call to its session, too.
    pub scopes: Option<&'static str>,
    /// The trace that the call is part of, as a W3C `traceparent`.
    pub traceparent: Option<&'a str>,
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
    /// A client of the remote of this name; without one, of what variables of this process's
    /// environment name, or of the daemon of the working directory.
    ///
    /// # Errors
    /// The name cannot be one of a remote; a variable has no valid value.
    pub fn from_environment(remote: Option<&str>) -> Result<Self> {
        let remote = remote.map(remote_name::check_name).transpose()?;
        let mut globals = Globals { remote, ..Globals::default() };
        globals.fill_from_environment()?;
        // Each call names its own.
        let session = globals.session.take();
        Ok(Self { globals, session, service: None })
    }

    /// A client for a caller of another machine, whose calls `service` answers: the gateway of a
    /// fleet, which knows the caller by `token`. They take neither files nor the environment of this
    /// process. `traceparent` is the trace of calls that are in no other.
    pub fn in_process(
        service: Arc<dyn CallService>,
        token: String,
        traceparent: Option<String>,
    ) -> Self {
        let globals =
            Globals { token: Some(token), traceparent, is_confined: true, ..Globals::default() };
        Self { globals, session: None, service: Some(InProcessService::new(service)) }
    }

    /// What calls may take from this machine.
    pub fn file_access(&self) -> FileAccess {
        if self.service.is_some() { FileAccess::None } else { FileAccess::Caller }
    }

    /// The session that `BROWSE_SESSION` names.
    pub fn environment_session(&self) -> Option<&str> {
        self.session.as_deref()
    }

    /// What is called now: a remote may be signed in to or replaced at any time.
    ///
    /// # Errors
    /// `REMOTE_UNKNOWN`; `REMOTE_FILE_INVALID`.
    pub fn server(&self) -> Result<EmbeddedServer> {
        if self.service.is_some() {
            return Ok(EmbeddedServer::Fleet);
        }
        let Some(name) = &self.globals.remote else { return Ok(EmbeddedServer::Daemon) };
        Ok(match Remote::read(name)? {
            Remote::Paired(_) => EmbeddedServer::Paired,
            Remote::Fleet(_) => EmbeddedServer::Fleet,
        })
    }

    /// Makes `call`.
    ///
    /// # Errors
    /// Those of the command; the daemon cannot be started or reached.
    pub async fn call(
        &self,
        call: &EmbeddedCall,
        caller: CallerContext<'_>,
    ) -> Result<EmbeddedReply> {
        let command = call.request.invocation.command;
        let globals = self.globals_of(call, caller);
        if command.streaming {
            return self.collect(call, &globals).await;
        }
        match self.file_access() {
            FileAccess::Caller => call.request.check_outputs(&globals)?,
            FileAccess::None => call.request.check_inline()?,
        }
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
        caller: CallerContext<'_>,
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

    fn globals_of(&self, call: &EmbeddedCall, caller: CallerContext<'_>) -> Globals {
        let traceparent = caller.traceparent.map(str::to_owned);
        Globals {
            tab: call.tab,
            timeout: call.timeout,
            token: caller.token.map(str::to_owned).or_else(|| self.globals.token.clone()),
            session: caller.session.map(str::to_owned),
            scopes: caller.scopes,
            traceparent: traceparent.or_else(|| self.globals.traceparent.clone()),
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
        if let Some(service) = &self.service {
            return Ok(ConnectedDaemon::in_process(service.clone(), globals.token.clone()));
        }
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
