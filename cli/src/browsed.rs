//! Calls `browsed` as a program that answers with JSON and ends: `browsed config`, `browsed upgrade`.

use std::{
    io,
    process::{Command, Output},
};

use browse_proto::Reason;
use serde_json::Value;

use crate::{
    failure::{Failure, Result},
    io_failure, start, startup_stderr,
};

/// What it prints for `arguments`.
pub fn call(arguments: &[&str]) -> Result<Value> {
    let output = Command::new(start::daemon_program()).args(arguments).output();
    let output = output.map_err(|error| launch_failure(&error))?;
    if output.status.success()
        && let Ok(value) = serde_json::from_slice(&output.stdout)
    {
        return Ok(value);
    }
    Err(failure_of(arguments.first().unwrap_or(&""), &output))
}

/// Why it cannot be started.
pub fn launch_failure(error: &io::Error) -> Failure {
    let error = io_failure::error_text(error);
    let message = format!("`{}` cannot be started: {error}", start::daemon_program().display());
    Failure::new(Reason::DaemonLaunchFailed, message)
        .with_hint("Install `browsed` beside `browse`, or set BROWSE_DAEMON to its path")
}

/// Why its command `name` failed, by what it printed.
pub fn failure_of(name: &str, output: &Output) -> Failure {
    let words = String::from_utf8_lossy(&output.stderr);
    startup_stderr::reported_failure(&words).unwrap_or_else(|| {
        let (program, status) = (start::daemon_program(), output.status);
        let first = words.lines().next().unwrap_or("");
        let message = format!("`{} {name}` failed ({status}): {first}", program.display());
        Failure::new(Reason::DaemonLaunchFailed, message)
            .with_hint("Install `browse` and `browsed` of the same version")
    })
}
