//! Has `browse login --renew` renew the token of a fleet. That program alone renews tokens, under
//! the lock of the remotes, because many issuers accept a refresh token once.

use std::{
    env, io,
    path::{Path, PathBuf},
    process::{Output, Stdio},
    time::Duration,
};

use browse_base::{Error, HINT_KEY, quote_up_to};
use browse_proto::Reason;
use serde_json::Value;
use tokio::{io::AsyncWriteExt as _, process::Command, time::timeout};

use super::remote_file::RemoteFile;

/// The program that renews.
const PROGRAM: &str = "browse";

/// Time that the program gets: it waits for the issuer, and for others that renew the token. It ends
/// by itself before.
const RENEWAL_TIMEOUT: Duration = Duration::from_secs(40);

/// Characters of a text in an error that the program reports.
const MAX_TEXT_CHARS: usize = 500;

/// Variables that are about a call, and not about the sign-in.
const CALL_VARIABLES: [&str; 7] = [
    "BROWSE_REMOTE",
    "BROWSE_ADDR",
    "BROWSE_TOKEN",
    "BROWSE_SKILL_TOKEN",
    "BROWSE_MCP_TOKEN",
    "BROWSE_SESSION",
    "BROWSE_TIMEOUT",
];

/// Why a token was not renewed.
pub enum RenewalFailure {
    /// The program reports this error.
    Reported(Error),
    /// It reports none, and why.
    Unknown(String),
}

/// The program that is installed here: the one of `BROWSE_CLI`, beside this one, or on `PATH`.
pub fn installed_program() -> PathBuf {
    if let Some(named) = env::var_os("BROWSE_CLI").filter(|path| !path.is_empty()) {
        return named.into();
    }
    let beside = env::current_exe().ok().map(|own| own.with_file_name(PROGRAM));
    beside.filter(|path| path.is_file()).unwrap_or_else(|| PROGRAM.into())
}

/// Has `program` renew the token in `file`: where it ends soon, or the token `rejected`, whatever
/// time that has left.
///
/// # Errors
/// Why it does not, within 40 s.
pub async fn renew(
    program: &Path,
    file: &RemoteFile,
    rejected: Option<&str>,
) -> Result<(), RenewalFailure> {
    let output = match timeout(RENEWAL_TIMEOUT, run(program, file, rejected)).await {
        Ok(Ok(output)) if output.status.success() => return Ok(()),
        Ok(Ok(output)) => output,
        Ok(Err(error)) => return Err(RenewalFailure::Unknown(cannot_run(program, &error))),
        Err(_) => {
            let why = "`browse login --renew` does not end within 40 s";
            return Err(RenewalFailure::Unknown(why.to_owned()));
        }
    };
    Err(match reported_error(&output.stdout) {
        Some(error) => RenewalFailure::Reported(error),
        None => RenewalFailure::Unknown("`browse login --renew` gives no reason".to_owned()),
    })
}

async fn run(program: &Path, file: &RemoteFile, rejected: Option<&str>) -> io::Result<Output> {
    let mut command = Command::new(program);
    command.args(["--json", "login", "--renew", file.name()]).env("BROWSE_HOME", file.home());
    for variable in CALL_VARIABLES {
        command.env_remove(variable);
    }
    match rejected {
        // It is in no argument, which other programs could read.
        Some(_) => command.arg("--rejected-stdin").stdin(Stdio::piped()),
        None => command.stdin(Stdio::null()),
    };
    command.stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
    let mut child = command.spawn()?;
    if let (Some(rejected), Some(mut input)) = (rejected, child.stdin.take()) {
        // A program that has ended does not read it, and reports why.
        let _ = input.write_all(rejected.as_bytes()).await;
    }
    child.wait_with_output().await
}

fn cannot_run(program: &Path, error: &io::Error) -> String {
    let why = match error.kind() {
        io::ErrorKind::NotFound => "it is not found".to_owned(),
        _ => error.to_string(),
    };
    format!("`{}` cannot be run: {why}", program.display())
}

/// The error that the program printed.
fn reported_error(output: &[u8]) -> Option<Error> {
    let document: Value = serde_json::from_slice(output).ok()?;
    let text = |name: &str| {
        let text = document["error"][name].as_str().unwrap_or_default();
        quote_up_to(text, MAX_TEXT_CHARS)
    };
    let error = Error::new(Reason::by_name(&text("reason"))?, text("message"));
    Some(match text("hint") {
        hint if hint.is_empty() => error,
        hint => error.with(HINT_KEY, hint),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_program_reports_is_the_error() {
        let text =
            r#"{"error":{"reason":"TOKEN_EXPIRED","message":"it has ended","hint":"Run it"}}"#;
        let error = reported_error(text.as_bytes()).expect("an error");
        assert_eq!(error.reason(), Reason::TokenExpired);
        assert_eq!((error.to_string().as_str(), error.hint().as_str()), ("it has ended", "Run it"));
        for other in ["", "{}", r#"{"error":{"reason":"NOPE"}}"#] {
            assert!(reported_error(other.as_bytes()).is_none(), "{other}");
        }
    }
}
