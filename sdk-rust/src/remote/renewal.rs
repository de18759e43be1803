//! Has the command line renew the token of a fleet. It does so under the lock of the
//! remotes, because many issuers accept a refresh token once.

use std::ffi::OsStr;
use std::io::{self, Write};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::{Error, Result, sanitize_text};
use crate::json::Json;

/// Time after which a renewal is given up; the program ends by itself before.
const RENEWAL_LIMIT: Duration = Duration::from_secs(60);

/// Time between two looks whether the program has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// Variables that speak for a call, and not for the sign-in.
const CALL_VARIABLES: [&str; 5] =
    ["BROWSE_REMOTE", "BROWSE_ADDR", "BROWSE_TOKEN", "BROWSE_SKILL_TOKEN", "BROWSE_SESSION"];

/// The gRPC code for a caller whose token is not accepted.
const UNAUTHENTICATED: i32 = 16;

/// Has `program`, or `browse` of the path, renew the token of the remote `name`: where
/// that is due, or the token `rejected`, whatever time it has left. `login` is the command
/// that signs in again.
///
/// # Errors
/// What the program reports; `TOKEN_EXPIRED`: it cannot be run, or it reports nothing.
pub fn renew_by_program(
    program: Option<&OsStr>,
    name: &str,
    login: &str,
    rejected: Option<&str>,
) -> Result<()> {
    let mut command = Command::new(program.unwrap_or(OsStr::new("browse")));
    command.args(["login", "--renew", name, "--json"]);
    if rejected.is_some() {
        command.arg("--rejected-stdin");
    }
    for variable in CALL_VARIABLES {
        command.env_remove(variable);
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let input = rejected.unwrap_or_default();
    let output = match command.spawn().and_then(|child| wait_for_output(child, input)) {
        Ok(output) if output.status.success() => return Ok(()),
        Ok(output) => output,
        Err(error) => {
            let why = match error.kind() {
                io::ErrorKind::NotFound => "it is not found".to_owned(),
                _ => error.to_string(),
            };
            let message = format!(
                "the token of `{name}` has ended, and `browse`, which renews it, cannot be run: {why}"
            );
            let hint = format!("Set BROWSE_CLI to the program `browse`, or run `{login}` again");
            return Err(Error::new("TOKEN_EXPIRED", message, &hint, UNAUTHENTICATED));
        }
    };
    Err(reported_error(&output.stdout).unwrap_or_else(|| {
        let log = String::from_utf8_lossy(&output.stderr);
        let why = log.lines().find_map(|line| line.strip_prefix("error: "));
        let why = sanitize_text(why.unwrap_or("it reports no reason"));
        let message =
            format!("the token of `{name}` has ended, and `browse` does not renew it: {why}");
        Error::new("TOKEN_EXPIRED", message, &format!("Run `{login}` again"), UNAUTHENTICATED)
    }))
}

fn wait_for_output(mut child: Child, input: &str) -> io::Result<Output> {
    if let Some(mut pipe) = child.stdin.take() {
        // A token fits into a pipe. A program that ends without reading it reports why.
        let _ = pipe.write_all(input.as_bytes());
    }
    let end = Instant::now() + RENEWAL_LIMIT;
    while child.try_wait()?.is_none() {
        if Instant::now() > end {
            child.kill()?;
            child.wait()?;
            let why = format!("it does not end within {RENEWAL_LIMIT:?}");
            return Err(io::Error::new(io::ErrorKind::TimedOut, why));
        }
        thread::sleep(POLL_INTERVAL);
    }
    child.wait_with_output()
}

/// The error that the program printed.
fn reported_error(output: &[u8]) -> Option<Error> {
    let document = Json::parse(std::str::from_utf8(output).ok()?)?;
    let error = document.get("error")?;
    let text = |name: &str| error[name].as_str().map(sanitize_text);
    let reason = text("reason").filter(|reason| !reason.is_empty())?;
    let code = match reason.as_str() {
        "TOKEN_EXPIRED" => UNAUTHENTICATED,
        "ISSUER_UNUSABLE" => 14,
        "DEADLINE_EXCEEDED" => 4,
        "REMOTE_UNKNOWN" => 5,
        _ => 9,
    };
    let hint = text("hint").unwrap_or_default();
    let mut found = Error::new(&reason, text("message")?, &hint, code);
    if let Json::Object(members) = &error["metadata"] {
        for (name, value) in members {
            found = found.with_metadata(name, value.as_str().unwrap_or_default());
        }
    }
    Some(found)
}
