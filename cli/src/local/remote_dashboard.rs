//! `dashboard` with `--remote`: becomes the foreground of `browsed remote-dashboard`, which
//! serves the page of a daemon on another machine, or of a fleet.

use std::{
    env,
    io::{BufRead as _, BufReader, IsTerminal as _, Write as _, stdout},
    process::{Child, ChildStdin, Command, Stdio},
};

use browse_proto::Reason;
use serde_json::{Map, Value, json};

use super::dashboard::open_in_browser;
use crate::{
    browsed::{failure_of, launch_failure},
    failure::{Failure, Result},
    globals::Globals,
    print,
    remote::{self, Remote},
    request::PreparedRequest,
    start,
};

/// What `browsed` does for it.
const COMMAND: &str = "remote-dashboard";

/// Opens the dashboard of the remote `name`, and serves it until it ends.
pub fn open(name: &str, request: &PreparedRequest, globals: &Globals) -> Result<u8> {
    let fields = &request.invocation.fields;
    let (mut child, input) = spawn(&relay_request(name, fields, globals)?)?;
    print::mark_remote_output();
    let mut line = String::new();
    if let Some(output) = child.stdout.take() {
        // What cannot be read is reported on standard error.
        let _ = BufReader::new(output).read_line(&mut line);
    }
    let Ok(response) = serde_json::from_str::<Map<String, Value>>(&line) else {
        return Err(wait(child, input)?.unwrap_or_else(|| {
            Failure::new(Reason::Bug, "`browsed` ended without a link and without a reason")
        }));
    };
    let is_for_printing = globals.json || fields.contains_key("no_open");
    if stdout().is_terminal()
        && !is_for_printing
        && let Some(link) = response.get("link").and_then(Value::as_str)
    {
        open_in_browser(link);
    }
    print::answer(request.invocation.command, &response, None, globals)?;
    print::note("it is served until Ctrl-C, and until no page was open for 10 minutes");
    if let Some(failure) = wait(child, input)? {
        return Err(failure);
    }
    print::note("no page was open for 10 minutes: the dashboard has ended");
    Ok(0)
}

/// What the page may do at most, by the flags, and where the daemon or the fleet is.
fn relay_request(name: &str, fields: &Map<String, Value>, globals: &Globals) -> Result<Value> {
    let is_read_only = fields.get("read_only").and_then(Value::as_bool).unwrap_or_default();
    let scopes = match is_read_only {
        true => json!(["read", "meta"]),
        false => fields.get("scope").cloned().unwrap_or(Value::Null),
    };
    let mut request = json!({ "scopes": scopes, "ttl": fields.get("ttl") });
    match Remote::read(name)? {
        Remote::Paired(remote) => {
            request["daemon"] = json!({
                "address": remote.address,
                "pin": remote.pin.text(),
                "allows_public_ca": remote.allows_public_ca,
                "token": remote.token,
            });
        }
        // The token is renewed while the page is served: it is read from the file.
        Remote::Fleet(_) => {
            let program = env::current_exe().map_err(|error| {
                let message = format!("the path of this program is not known: {error}");
                Failure::new(Reason::DaemonLaunchFailed, message)
            })?;
            request["fleet"] = json!({
                "name": name,
                "home": remote::browse_home()?.display().to_string(),
                "program": program.display().to_string(),
                "session": globals.session,
            });
        }
    }
    Ok(request)
}

/// Starts the program. It ends when its input does, which is when this process has gone.
fn spawn(request: &Value) -> Result<(Child, Option<ChildStdin>)> {
    let child = Command::new(start::daemon_program())
        .arg(COMMAND)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = child.map_err(|error| launch_failure(&error))?;
    let mut input = child.stdin.take();
    if let Some(input) = &mut input {
        // One that has ended says why.
        let _ = writeln!(input, "{request}");
    }
    Ok((child, input))
}

/// Waits until the program has ended; answers why it failed, if it did.
fn wait(child: Child, input: Option<ChildStdin>) -> Result<Option<Failure>> {
    let output = child.wait_with_output().map_err(|error| launch_failure(&error))?;
    drop(input);
    Ok((!output.status.success()).then(|| failure_of(COMMAND, &output)))
}
