//! Calls `browsed` as a program that answers with JSON and ends: `browsed config`, `browsed upgrade`.

use std::process::Command;

use browse_proto::Reason;
use serde_json::Value;

use crate::{
    failure::{Failure, Result},
    io_failure, start, startup_stderr,
};

/// What it prints for `arguments`.
pub fn call(arguments: &[&str]) -> Result<Value> {
    let program = start::daemon_program();
    let output = Command::new(&program).args(arguments).output().map_err(|error| {
        let error = io_failure::error_text(&error);
        let message = format!("`{}` cannot be started: {error}", program.display());
        Failure::new(Reason::DaemonLaunchFailed, message)
            .with_hint("Install `browsed` beside `browse`, or set BROWSE_DAEMON to its path")
    })?;
    if output.status.success()
        && let Ok(value) = serde_json::from_slice(&output.stdout)
    {
        return Ok(value);
    }
    let words = String::from_utf8_lossy(&output.stderr);
    Err(startup_stderr::reported_failure(&words).unwrap_or_else(|| {
        let (name, first) = (arguments.first().unwrap_or(&""), words.lines().next().unwrap_or(""));
        let message = format!("`{} {name}` failed ({}): {first}", program.display(), output.status);
        Failure::new(Reason::DaemonLaunchFailed, message)
            .with_hint("Install `browse` and `browsed` of the same version")
    }))
}
