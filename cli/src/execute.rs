//! The way of a call: request, daemon, answer.

use std::time::Duration;

use browse_proto::{Command, Reason, wire};
use bytes::Bytes;
use serde_json::{Map, Value};
use tokio::runtime;

use crate::{
    call::{self, CallError, InvocationContext, ResponseNotices},
    connect::{self, ConnectedDaemon},
    editor,
    failure::{Failure, Result},
    globals::Globals,
    local,
    parse::Invocation,
    print,
    project::{ProjectPaths, working_directory},
    request::PreparedRequest,
    save,
    state::RunningDaemon,
    steps, streams, upgrade_daemon,
};

/// Makes the call of `invocation` and prints its answer.
pub fn call(invocation: Invocation, globals: &Globals) -> Result<u8> {
    if editor::wants_editor(&invocation, globals) {
        return editor::run(invocation, globals);
    }
    let command = invocation.command;
    let request = PreparedRequest::new(invocation, globals.json, globals.timeout)?;
    match command.function {
        "redeem" => return local::redeem::run(&request, globals),
        "stop" if globals.is_project_daemon() => {
            return local::stop_restart::stop(&request, globals);
        }
        "restart" if globals.is_project_daemon() => {
            return local::stop_restart::restart(&request, globals);
        }
        "start_tunnel" => return local::tunnel::start(&request, globals),
        "version" => return local::version(&request, globals),
        _ => {}
    }
    if command.streaming && command.saves() {
        return save::call(&request, globals);
    }
    if command.streaming {
        return streams::call(&request, globals);
    }
    for invocation in request.steps.iter().chain([&request.invocation]) {
        if invocation.command.saves() && command.inner_command_field().is_none() {
            save::check_place(invocation, globals)?;
        }
    }
    let (body, notes) = unary(&request, globals)?;
    let mut response = decode(command, &body)?;
    print_notices(&notes);
    let untrusted = notes.untrusted.as_ref();
    if command.takes_steps() || command.inner_command_field().is_some() {
        return steps::print(&request, response, untrusted, globals);
    }
    if command.saves() {
        let kept = save::save_files(&request.invocation, globals, &mut response, &body)?;
        if kept == save::SavedTo::StandardOutput {
            return Ok(0);
        }
        return save::print_saved(command, &response, untrusted, globals);
    }
    let code = print::answer(command, &response, untrusted, globals)?;
    Ok(if has_broken_skill(command, &response) { 1 } else { code })
}

/// Whether a check of skills found one that is broken: its answer is printed as
/// any other, and yet the check said no.
fn has_broken_skill(command: &Command, response: &Map<String, Value>) -> bool {
    let skills = response.get("skills").and_then(Value::as_array).map(Vec::as_slice);
    let broken = |skill: &Value| skill.get("state").is_some_and(|state| state == "broken");
    command.function == "check_skills" && skills.unwrap_or_default().iter().any(broken)
}

/// Makes a unary call, on a new daemon when the old one ended before it
/// could act.
pub fn unary(request: &PreparedRequest, globals: &Globals) -> Result<(Bytes, ResponseNotices)> {
    with_daemon(request.invocation.command, globals, |daemon| unary_once(request, globals, daemon))
}

/// Makes a unary call to `daemon`.
pub fn unary_once(
    request: &PreparedRequest,
    globals: &Globals,
    daemon: ConnectedDaemon,
) -> Result<(Bytes, ResponseNotices), CallError> {
    let context = context(request, globals, &daemon)?;
    let call = call::unary(daemon, request.invocation.command, request.body.clone(), &context);
    runtime()?.block_on(call)
}

/// Gives `call` a daemon of our build, and another one when the first was
/// ending.
pub fn with_daemon<T>(
    command: &Command,
    globals: &Globals,
    mut call: impl FnMut(ConnectedDaemon) -> Result<T, CallError>,
) -> Result<T> {
    let daemon = upgrade_daemon::replace_outdated(
        connect::connect_for_command(command, globals)?,
        command,
        globals,
    )?;
    let ours = daemon.project_state.clone();
    match (call(daemon), ours) {
        (Ok(done), _) => Ok(done),
        (Err(broken), Some((project, state))) if broken.is_retryable => {
            local::stop_restart::wait_for_end(&project, &state, local::stop_restart::STOP_TIMEOUT);
            if command.attach {
                return Err(connect::not_running(&project));
            }
            call(connect::connect_or_start(project, globals)?).map_err(|broken| broken.failure)
        }
        (Err(broken), Some((project, state))) => {
            Err(daemon_ended_failure(broken, command, &project, &state))
        }
        (Err(broken), None) => Err(broken.failure),
    }
}

/// Says so when the daemon ended during the call.
fn daemon_ended_failure(
    broken: CallError,
    command: &Command,
    project: &ProjectPaths,
    state: &RunningDaemon,
) -> Failure {
    let failure = broken.failure;
    if !failure.has_reason(Reason::DaemonUnreachable) || state.is_alive(project) {
        return failure;
    }
    let message = format!("the daemon ended while it worked on `{}`", command.name);
    Failure::new(Reason::DaemonUnreachable, message)
        .with_hint("Run `browse snapshot` before you repeat it: it starts a new daemon")
}

/// The context of a call.
pub fn context(
    request: &PreparedRequest,
    globals: &Globals,
    daemon: &ConnectedDaemon,
) -> Result<InvocationContext> {
    let timeout: Option<Duration> = request.timeout(globals.timeout);
    Ok(InvocationContext::new(globals, daemon, &working_directory()?, timeout))
}

/// One thread, which is all that a call needs.
pub fn runtime() -> Result<runtime::Runtime> {
    runtime::Builder::new_current_thread().enable_io().enable_time().build().map_err(|error| {
        let message = format!("no event loop can be made: {}", save::error_text(&error));
        Failure::new(Reason::Bug, message)
    })
}

/// Decodes an answer of `command`.
pub fn decode(command: &Command, body: &[u8]) -> Result<Map<String, Value>> {
    wire::decode(command.response, body).map_err(|error| {
        let message = format!("the answer to `{}` cannot be read: {error}", command.name);
        Failure::new(Reason::Bug, message)
    })
}

/// Passes on what the daemon says beside the answer.
pub fn print_notices(notes: &ResponseNotices) {
    if let Some(notice) = &notes.notice {
        print::note(notice);
    }
}
