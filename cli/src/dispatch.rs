//! The way of a command that calls a daemon: to the module that makes its call
//! and prints its answer.

use browse_proto::Command;
use serde_json::{Map, Value};

use crate::{
    editor, empty_list, execute, failure::Result, globals::Globals, local, parse::Invocation,
    print, request::PreparedRequest, response, save, steps, streams,
};

/// Makes the call of `invocation` and prints its answer.
pub fn run(invocation: Invocation, globals: &Globals) -> Result<u8> {
    if editor::wants_editor(&invocation, globals) {
        return editor::run(invocation, globals, |edited| run(edited, globals));
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
        "open_dashboard" => {
            return match &globals.remote {
                Some(name) => local::remote_dashboard::open(name, &request, globals),
                None => local::dashboard::open(&request, globals),
            };
        }
        "save_extension" => return local::extension::save(&request, globals),
        "start_tunnel" => return local::tunnel::start(&request, globals),
        "version" => return local::version(&request, globals),
        _ => {}
    }
    if command.streaming && command.saves() {
        return streams::save(&request, globals);
    }
    if command.streaming {
        return streams::print(&request, globals);
    }
    request.check_outputs(globals)?;
    let (body, notes) = execute::unary(&request, globals)?;
    let mut response = response::decode(command, &body)?;
    notes.print();
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
    if !globals.json
        && notes.notice.is_none()
        && let Some(note) = empty_list::note(command, &response)
    {
        print::note(note);
    }
    Ok(if has_broken_skill(command, &response) { 1 } else { code })
}

/// Whether a check of skills found one that is broken: its answer is printed as
/// any other, and yet the check failed.
fn has_broken_skill(command: &Command, response: &Map<String, Value>) -> bool {
    let skills = response.get("skills").and_then(Value::as_array).map(Vec::as_slice);
    let broken = |skill: &Value| skill.get("state").is_some_and(|state| state == "broken");
    command.function == "check_skills" && skills.unwrap_or_default().iter().any(broken)
}
