//! Replaces a daemon of another build, when nobody is using it.

use browse_proto::{Command, Reason};
use serde_json::{Map, Value};

use crate::{
    call,
    connect::{self, ConnectedDaemon},
    failure::{Failure, Result},
    globals::Globals,
    print, start,
    state::RunningDaemon,
    stop,
};

/// `daemon`, or the one that replaces it when it is of another build.
pub fn replace_outdated(
    daemon: ConnectedDaemon,
    command: &Command,
    globals: &Globals,
) -> Result<ConnectedDaemon> {
    let Some((project, state)) = daemon.project_state.clone() else {
        return Ok(daemon);
    };
    if command.no_autostart || !has_other_build(&state) {
        return Ok(daemon);
    }
    let status = call::send_by_name("status", globals, daemon).map_err(|broken| broken.failure)?;
    if is_busy(&status) {
        let message = "the daemon is of another build than this command, and is in use";
        return Err(Failure::new(Reason::DaemonMismatch, message));
    }
    let tabs = status.get("tabs").and_then(Value::as_u64).unwrap_or_default();
    stop::stop_for_replacement(&project, &state, globals)?;
    let renewed = connect::connect_or_start(project, globals)?;
    print::note(&format!("restarted the daemon, which was of another build; tabs lost: {tabs}"));
    Ok(renewed)
}

/// Whether starting the daemon anew would give another build than the one that
/// runs.
fn has_other_build(state: &RunningDaemon) -> bool {
    let installed = browse_proto::build_id(&start::daemon_program());
    installed.is_ok_and(|installed| installed != state.build_id)
}

/// Calls in flight, clients besides root such as a skill or a paired agent, or
/// a person with a window.
fn is_busy(status: &Map<String, Value>) -> bool {
    let calls = status.get("calls").and_then(Value::as_u64).unwrap_or_default();
    let clients = status.get("clients").and_then(Value::as_array).map_or(0, Vec::len);
    let visible = status.get("visible").and_then(Value::as_array).map_or(0, Vec::len);
    calls > 0 || clients > 0 || visible > 0
}
