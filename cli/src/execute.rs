//! Makes the call of a request: on a daemon of our build, and on a new one when
//! the first was ending.

use browse_proto::{Command, Reason};
use bytes::Bytes;

use crate::{
    call::{self, CallError},
    connect::{self, ConnectedDaemon},
    failure::{Failure, Result},
    globals::Globals,
    project::ProjectPaths,
    request::PreparedRequest,
    response::ResponseNotices,
    state::RunningDaemon,
    stop, upgrade_daemon,
};

/// Makes a unary call, on a new daemon when the old one ended before it
/// could act.
pub fn unary(request: &PreparedRequest, globals: &Globals) -> Result<(Bytes, ResponseNotices)> {
    with_daemon(request.invocation.command, globals, |daemon| call::send(request, globals, daemon))
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
            stop::wait_for_end(&project, &state, stop::STOP_TIMEOUT);
            if command.no_autostart {
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
