//! Ends the daemon of a project: by a call, and by signals when it does not answer.

use std::{
    process::Command,
    thread,
    time::{Duration, Instant},
};

use browse_proto::Reason;
use rustix::process::{Pid, Signal, kill_process};

use crate::{
    call,
    connect::{self, ConnectedDaemon},
    failure::{Failure, Result},
    globals::Globals,
    project::ProjectPaths,
    state::RunningDaemon,
};

/// Time that a daemon has to end, once it was asked to.
pub const STOP_TIMEOUT: Duration = Duration::from_secs(10);

/// Time between the signals for one that does not answer any more.
const SIGNAL_TIMEOUT: Duration = Duration::from_secs(5);

/// Stops a daemon, for a caller that is about to start another one.
pub fn stop_for_replacement(
    project: &ProjectPaths,
    state: &RunningDaemon,
    globals: &Globals,
) -> Result<()> {
    let daemon = connect_to(project, state, globals);
    let _ = daemon.and_then(|daemon| {
        call::send_by_name("stop", globals, daemon).map_err(|broken| broken.failure)
    });
    ensure_ended(project, state, globals)
}

/// Connects to the daemon of `state`, and to no other.
pub fn connect_to(
    project: &ProjectPaths,
    state: &RunningDaemon,
    globals: &Globals,
) -> Result<ConnectedDaemon> {
    let mut own = globals.clone();
    own.addr = Some(state.address.to_string());
    own.project = Some(project.root.clone());
    let command = browse_proto::Command::by_name("stop");
    let command = command.ok_or_else(|| Failure::new(Reason::Bug, "there is no `stop`"))?;
    connect::connect_for_command(command, &own)
}

/// Waits for the end of a daemon that was asked to end, and ends it by signal
/// when it does not: nobody else will. A state file may name any process, so
/// only one that is seen to be this project's daemon is signalled. Who gave the
/// command a time waits no longer than that for each step.
pub fn ensure_ended(
    project: &ProjectPaths,
    state: &RunningDaemon,
    globals: &Globals,
) -> Result<()> {
    let named = globals.timeout.unwrap_or(STOP_TIMEOUT);
    if wait_for_end(project, state, STOP_TIMEOUT.min(named)) {
        return Ok(());
    }
    for signal in [Signal::TERM, Signal::KILL] {
        if !is_daemon(state.pid, project) {
            break;
        }
        if let Some(pid) = Pid::from_raw(state.pid) {
            // It may have ended this instant.
            let _ = kill_process(pid, signal);
        }
        if wait_for_end(project, state, SIGNAL_TIMEOUT.min(named)) {
            return Ok(());
        }
    }
    let message = format!("the daemon (process {}) does not end", state.pid);
    let path = project.state_file.display();
    let hint = format!("If process {} is not `browsed`, remove {path}; else end it", state.pid);
    Err(Failure::new(Reason::DaemonUnreachable, message).with_hint(hint))
}

/// Whether the process `pid` is the daemon of `project`, by its command line:
/// `browsed --project <root>`.
fn is_daemon(pid: i32, project: &ProjectPaths) -> bool {
    let line = match std::fs::read(format!("/proc/{pid}/cmdline")) {
        Ok(line) => line,
        // No /proc, as on macOS.
        Err(_) => {
            let asked =
                Command::new("ps").args(["-o", "command=", "-p", &pid.to_string()]).output();
            asked.map(|answer| answer.stdout).unwrap_or_default()
        }
    };
    let line = String::from_utf8_lossy(&line).replace('\0', " ");
    let root = project.root.to_string_lossy();
    pid > 1 && line.contains("browsed") && line.contains(root.as_ref())
}

/// Waits until the daemon has ended; false when it has not in time.
pub fn wait_for_end(project: &ProjectPaths, state: &RunningDaemon, max_wait: Duration) -> bool {
    poll_until(|| !state.is_alive(project) || is_replaced(project, state), max_wait)
}

/// Waits until another daemon has taken the place of the one of `state`; false when
/// none has in time.
pub fn wait_for_replacement(
    project: &ProjectPaths,
    state: &RunningDaemon,
    max_wait: Duration,
) -> bool {
    poll_until(|| is_replaced(project, state), max_wait)
}

/// Whether another daemon has taken the place of the one of `state`; a restart
/// keeps the process and its id.
fn is_replaced(project: &ProjectPaths, state: &RunningDaemon) -> bool {
    let now = RunningDaemon::read(&project.state_file).ok().flatten();
    now.is_some_and(|now| now.started_at != state.started_at)
}

fn poll_until(mut done: impl FnMut() -> bool, max_wait: Duration) -> bool {
    let begin = Instant::now();
    while !done() {
        if begin.elapsed() > max_wait {
            return false;
        }
        thread::sleep(Duration::from_millis(5));
    }
    true
}
