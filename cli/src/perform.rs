//! The way of a call: request, daemon, answer.

use std::time::Duration;

use browse_proto::{Command, Reason, wire};
use bytes::Bytes;
use serde_json::{Map, Value};
use tokio::runtime;

use crate::{
    call::{self, Broken, Context, Notes},
    editor,
    failure::{Failure, Result},
    globals::Globals,
    local,
    parse::Invocation,
    print,
    project::{Project, working_directory},
    reach::{self, Daemon},
    renew,
    request::Request,
    save,
    state::State,
    steps, streams,
};

/// Makes the call of `invocation` and prints its answer.
pub fn call(invocation: Invocation, globals: &Globals) -> Result<u8> {
    if editor::is_wanted(&invocation, globals) {
        return editor::run(invocation, globals);
    }
    let command = invocation.command;
    let request = Request::new(invocation, globals.json, globals.timeout)?;
    match command.function {
        "redeem" => return local::redeem::run(&request, globals),
        "stop" if globals.is_here() => return local::life::stop(&request, globals),
        "restart" if globals.is_here() => return local::life::restart(&request, globals),
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
        if invocation.command.saves() && command.inner().is_none() {
            save::check_place(invocation, globals)?;
        }
    }
    let (body, notes) = unary(&request, globals)?;
    let mut response = decode(command, &body)?;
    tell(&notes);
    let untrusted = notes.untrusted.as_ref();
    if command.takes_steps() || command.inner().is_some() {
        return steps::print(&request, response, untrusted, globals);
    }
    if command.saves() {
        let kept = save::kept(&request.invocation, globals, &mut response, &body)?;
        if kept == save::Kept::InStandardOutput {
            return Ok(0);
        }
        return save::saved(command, &response, untrusted, globals);
    }
    let code = print::answer(command, &response, untrusted, globals)?;
    Ok(if is_broken(command, &response) { 1 } else { code })
}

/// Whether a check of skills found one that is broken: its answer is printed as
/// any other, and yet the check said no.
fn is_broken(command: &Command, response: &Map<String, Value>) -> bool {
    let skills = response.get("skills").and_then(Value::as_array).map(Vec::as_slice);
    let broken = |skill: &Value| skill.get("state").is_some_and(|state| state == "broken");
    command.function == "check_skills" && skills.unwrap_or_default().iter().any(broken)
}

/// Makes a unary call, on a new daemon when the old one ended before it
/// could act.
pub fn unary(request: &Request, globals: &Globals) -> Result<(Bytes, Notes)> {
    with_daemon(request.invocation.command, globals, |daemon| once(request, globals, daemon))
}

/// Makes a unary call to `daemon`.
pub fn once(
    request: &Request,
    globals: &Globals,
    daemon: Daemon,
) -> Result<(Bytes, Notes), Broken> {
    let context = context(request, globals, &daemon)?;
    let call = call::unary(daemon, request.invocation.command, request.body.clone(), &context);
    runtime()?.block_on(call)
}

/// Gives `call` a daemon of our build, and another one when the first was
/// ending.
pub fn with_daemon<T>(
    command: &Command,
    globals: &Globals,
    mut call: impl FnMut(Daemon) -> Result<T, Broken>,
) -> Result<T> {
    let daemon = renew::outdated(reach::daemon(command, globals)?, command, globals)?;
    let ours = daemon.ours.clone();
    match (call(daemon), ours) {
        (Ok(done), _) => Ok(done),
        (Err(broken), Some((project, state))) if broken.unsent => {
            local::life::wait_for_end(&project, &state, local::life::PATIENCE);
            if command.attach {
                return Err(reach::not_running(&project));
            }
            call(reach::started(project, globals)?).map_err(|broken| broken.failure)
        }
        (Err(broken), Some((project, state))) => Err(ended(broken, command, &project, &state)),
        (Err(broken), None) => Err(broken.failure),
    }
}

/// Says so when the daemon ended during the call.
fn ended(broken: Broken, command: &Command, project: &Project, state: &State) -> Failure {
    let failure = broken.failure;
    if !failure.is(Reason::DaemonUnreachable) || state.is_alive(project) {
        return failure;
    }
    let message = format!("the daemon ended while it worked on `{}`", command.name);
    Failure::new(Reason::DaemonUnreachable, message)
        .hint("Run `browse snapshot` before you repeat it: it starts a new daemon")
}

/// The context of a call.
pub fn context(request: &Request, globals: &Globals, daemon: &Daemon) -> Result<Context> {
    let timeout: Option<Duration> = request.timeout(globals.timeout);
    Ok(Context::new(globals, daemon, &working_directory()?, timeout))
}

/// One thread, which is all that a call needs.
pub fn runtime() -> Result<runtime::Runtime> {
    runtime::Builder::new_current_thread().enable_io().enable_time().build().map_err(|error| {
        let message = format!("no event loop can be made: {}", save::cause(&error));
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
pub fn tell(notes: &Notes) {
    if let Some(notice) = &notes.notice {
        print::note(notice);
    }
}
