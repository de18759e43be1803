//! The end of a daemon, and its return: `stop` and `restart`.

use std::time::Duration;

use serde_json::{Value, json};

use crate::{
    call, connect, failure::Result, globals::Globals, print, project::ProjectPaths,
    request::PreparedRequest, response, start, start::BrowserStart, state::RunningDaemon, stop,
};

/// Time in which a daemon that was asked to restart has become the next one;
/// after it we start one ourselves.
const RESTART_TIMEOUT: Duration = Duration::from_secs(2);

/// `stop`; a daemon that does not run is as stopped as can be.
pub fn stop(request: &PreparedRequest, globals: &Globals) -> Result<u8> {
    let project = ProjectPaths::find(globals.project.as_deref())?;
    let Some(state) = connect::running_state(&project)? else {
        let stopped = json!({"stopped": false}).to_string();
        return match globals.json {
            true => print::json_result(&stopped, None),
            false => print::text("not running"),
        };
    };
    request_stop(request, globals, &project, &state)?;
    stop::ensure_ended(&project, &state, globals)?;
    match globals.json {
        true => print::json_result(&json!({"stopped": true}).to_string(), None),
        false => print::text("stopped"),
    }
}

/// `restart`: the daemon becomes a new one. Where none runs, one is started.
pub fn restart(request: &PreparedRequest, globals: &Globals) -> Result<u8> {
    let project = ProjectPaths::find(globals.project.as_deref())?;
    let lost = match connect::running_state(&project)? {
        Some(state) => {
            let answer = request_stop(request, globals, &project, &state)?;
            stop::wait_for_replacement(&project, &state, RESTART_TIMEOUT);
            answer
        }
        None => Value::from(0),
    };
    start::ensure_running(&project, None, BrowserStart::WithDaemon)?;
    match globals.json {
        true => print::json_result(&json!({"tabs_lost": lost}).to_string(), None),
        false => print::text(&format!("restarted; tabs lost: {lost}")),
    }
}

/// Sends the command to the daemon. Returns the number of tabs that are lost.
/// One that hangs is ended, because the caller wants it gone.
fn request_stop(
    request: &PreparedRequest,
    globals: &Globals,
    project: &ProjectPaths,
    state: &RunningDaemon,
) -> Result<Value> {
    let command = request.invocation.command;
    let answer = stop::connect_to(project, state, globals)
        .and_then(|daemon| call::send(request, globals, daemon).map_err(|broken| broken.failure));
    match answer {
        Ok((body, _)) => {
            Ok(response::decode(command, &body)?.remove("tabs_lost").unwrap_or_default())
        }
        // It refused, and lives on.
        Err(failure) if failure.exit == 3 => Err(failure),
        Err(_) => {
            stop::ensure_ended(project, state, globals)?;
            Ok(Value::from("all"))
        }
    }
}
