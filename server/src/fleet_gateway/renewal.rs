//! The sign-in of a fleet: its token, which `browse login --renew` renews. That does so under the
//! lock of the remotes, because many issuers accept a refresh token once.

use std::{
    env,
    path::PathBuf,
    process::{Output, Stdio},
    time::Duration,
};

use browse_base::{Error, HINT_KEY, Result, quote_up_to};
use browse_proto::Reason;
use serde_json::Value;
use tokio::{io::AsyncWriteExt as _, process::Command, time::timeout};

use super::fleet_remote::FleetRemote;

/// The program that renews.
const PROGRAM: &str = "browse";

/// Time after which a renewal is given up; the program ends by itself before.
const RENEWAL_TIMEOUT: Duration = Duration::from_secs(60);

/// Characters of what the program says of a failure.
const MAX_WORDS_CHARS: usize = 500;

/// Variables that speak for a call, and not for the sign-in.
const CALL_VARIABLES: [&str; 6] = [
    "BROWSE_REMOTE",
    "BROWSE_ADDR",
    "BROWSE_TOKEN",
    "BROWSE_SKILL_TOKEN",
    "BROWSE_MCP_TOKEN",
    "BROWSE_SESSION",
];

/// A fleet that the user has signed in to.
pub struct FleetSignIn {
    home: PathBuf,
    name: String,
}

impl FleetSignIn {
    /// The one of the remote `name` in this home of browse.
    pub fn new(home: PathBuf, name: String) -> Self {
        Self { home, name }
    }

    /// The fleet, with a token that is good for a while, where one can be got.
    ///
    /// # Errors
    /// As [`FleetRemote::read`]; `TOKEN_EXPIRED`, and what the program reports of a renewal.
    pub async fn remote(&self) -> Result<FleetRemote> {
        let remote = self.read()?;
        if !remote.is_due() {
            return Ok(remote);
        }
        match self.renew(&remote, None).await {
            Ok(()) => self.read(),
            // Its last seconds may do.
            Err(_) if !remote.has_ended() => Ok(remote),
            Err(error) => Err(error),
        }
    }

    /// The same when the gateway has rejected the token of `remote`.
    ///
    /// # Errors
    /// As [`FleetSignIn::remote`]; `TOKEN_INVALID`: the token cannot be replaced.
    pub async fn renewed(&self, remote: &FleetRemote) -> Result<FleetRemote> {
        let current = self.read()?;
        if current.token != remote.token {
            return Ok(current);
        }
        self.renew(remote, Some(&remote.token)).await?;
        self.read()
    }

    fn read(&self) -> Result<FleetRemote> {
        FleetRemote::read(&self.home, &self.name)
    }

    /// Has the program renew the token: `rejected`, or the one that ends soon.
    async fn renew(&self, remote: &FleetRemote, rejected: Option<&str>) -> Result<()> {
        let mut command = Command::new(program());
        command.args(["login", "--renew", &self.name, "--json"]).env("BROWSE_HOME", &self.home);
        if rejected.is_some() {
            command.arg("--rejected-stdin");
        }
        for variable in CALL_VARIABLES {
            command.env_remove(variable);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        command.kill_on_drop(true);
        let run = async {
            let mut child = command.spawn()?;
            if let Some(mut input) = child.stdin.take() {
                // One that has ended does not read it, and says why.
                let _ = input.write_all(rejected.unwrap_or_default().as_bytes()).await;
            }
            child.wait_with_output().await
        };
        let output = match timeout(RENEWAL_TIMEOUT, run).await {
            Ok(Ok(output)) if output.status.success() => return Ok(()),
            Ok(Ok(output)) => output,
            Ok(Err(error)) => return Err(self.not_renewed(remote, &error.to_string())),
            Err(_) => return Err(self.not_renewed(remote, "it does not end within 60 s")),
        };
        Err(reported_error(&output)
            .unwrap_or_else(|| self.not_renewed(remote, "it reports no reason")))
    }

    fn not_renewed(&self, remote: &FleetRemote, why: &str) -> Error {
        let message = format!("the token of `{}` is not renewed by `{PROGRAM}`: {why}", self.name);
        let hint = format!("Run `{}` again", remote.login_command(&self.name));
        Error::new(Reason::TokenExpired, message).with(HINT_KEY, hint)
    }
}

/// `browse`: where BROWSE_CLI says, beside this program, or on PATH.
fn program() -> PathBuf {
    if let Some(named) = env::var_os("BROWSE_CLI").filter(|path| !path.is_empty()) {
        return named.into();
    }
    let beside = env::current_exe().ok().map(|own| own.with_file_name(PROGRAM));
    beside.filter(|path| path.is_file()).unwrap_or_else(|| PROGRAM.into())
}

/// The error that the program printed.
fn reported_error(output: &Output) -> Option<Error> {
    let document: Value = serde_json::from_slice(&output.stdout).ok()?;
    let text = |name: &str| {
        let text = document["error"][name].as_str().unwrap_or_default();
        quote_up_to(text, MAX_WORDS_CHARS)
    };
    let error = Error::new(Reason::by_name(&text("reason"))?, text("message"));
    Some(match text("hint") {
        hint if hint.is_empty() => error,
        hint => error.with(HINT_KEY, hint),
    })
}

#[cfg(test)]
mod tests {
    use std::{os::unix::process::ExitStatusExt as _, process::ExitStatus};

    use super::*;

    #[test]
    fn what_the_program_reports_is_the_error() {
        let output = |stdout: &str| Output {
            status: ExitStatus::from_raw(3 << 8),
            stdout: stdout.as_bytes().to_vec(),
            stderr: Vec::new(),
        };
        let text =
            r#"{"error":{"reason":"TOKEN_EXPIRED","message":"it has ended","hint":"Run it"}}"#;
        let error = reported_error(&output(text)).expect("an error");
        assert_eq!(error.reason(), Reason::TokenExpired);
        assert_eq!((error.to_string().as_str(), error.hint().as_str()), ("it has ended", "Run it"));
        for other in ["", "{}", r#"{"error":{"reason":"NOPE"}}"#] {
            assert!(reported_error(&output(other)).is_none(), "{other}");
        }
    }
}
