//! The token of a fleet, as the file of the sign-in keeps it. `browse login --renew` makes it good:
//! that program alone renews tokens, so that a refresh token is used once.

use std::{
    fs::File,
    io::{self, Read as _},
    path::PathBuf,
    process::{Output, Stdio},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use browse_base::{Error, HINT_KEY, Result};
use browse_proto::Reason;
use serde::Deserialize;
use serde_json::Value;
use tokio::{
    io::AsyncWriteExt as _,
    process::Command,
    sync::Mutex,
    time::{Instant, timeout},
};

use super::relay_request::RemoteFleet;

/// Seconds before its end in which a token is renewed.
const RENEWAL_TIME_S: u64 = 30;

/// Time that the program gets: it waits for the issuer, and for others that renew the token.
const RENEWAL_TIMEOUT: Duration = Duration::from_secs(40);

/// Time after which a renewal that failed is tried again.
const RETRY_INTERVAL: Duration = Duration::from_secs(5);

/// Bytes of the file.
const MAX_FILE_BYTES: u64 = 64 << 10;

/// Settings of the command line that `login` does not take.
const OTHER_SETTINGS: [&str; 5] =
    ["BROWSE_REMOTE", "BROWSE_SESSION", "BROWSE_ADDR", "BROWSE_TOKEN", "BROWSE_TIMEOUT"];

/// What the file of a sign-in holds.
#[derive(Clone, Deserialize)]
pub struct SignIn {
    /// The address of the gateway.
    pub url: String,
    /// A file with certificate authorities.
    pub ca: Option<PathBuf>,
    token: String,
    /// When the token ends, in seconds since 1970, where that is known.
    expires_at: Option<u64>,
}

/// The token, which is renewed.
pub struct FleetToken {
    fleet: RemoteFleet,
    state: Mutex<TokenState>,
}

struct TokenState {
    sign_in: SignIn,
    /// When the last renewal failed, and why.
    failure: Option<(Instant, Error)>,
}

impl SignIn {
    /// Reads the file of `fleet`.
    ///
    /// # Errors
    /// `REMOTE_UNKNOWN`: it is not there. `REMOTE_FILE_INVALID`.
    pub fn read(fleet: &RemoteFleet) -> Result<Self> {
        let mut text = String::new();
        let read = File::open(&fleet.file)
            .and_then(|file| file.take(MAX_FILE_BYTES).read_to_string(&mut text));
        let shown = fleet.file.display();
        match read {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let message = format!("the sign-in to `{}` was removed", fleet.name);
                return Err(
                    Error::new(Reason::RemoteUnknown, message).with(HINT_KEY, fleet.login_hint())
                );
            }
            Err(error) => {
                let message = format!("the remote file `{shown}` cannot be read: {error}");
                return Err(Error::new(Reason::RemoteFileInvalid, message).with("path", shown));
            }
        }
        serde_json::from_str(&text).map_err(|_| {
            // What is wrong with it may be the token.
            let message = format!("the remote file `{shown}` cannot be used: it is damaged");
            Error::new(Reason::RemoteFileInvalid, message).with("path", shown)
        })
    }

    /// Seconds until the token ends, where that is known.
    fn seconds_left(&self) -> Option<u64> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        self.expires_at.map(|end| end.saturating_sub(now))
    }
}

impl FleetToken {
    /// The token of `sign_in`.
    pub fn new(fleet: RemoteFleet, sign_in: SignIn) -> Self {
        Self { fleet, state: Mutex::new(TokenState { sign_in, failure: None }) }
    }

    /// The fleet.
    pub fn fleet(&self) -> &RemoteFleet {
        &self.fleet
    }

    /// The token; it is renewed first when it is about to end.
    ///
    /// # Errors
    /// `TOKEN_EXPIRED`: the sign-in has ended. Those of the renewal, when the token has no second
    /// left.
    pub async fn good(&self) -> Result<String> {
        let mut state = self.state.lock().await;
        let left = state.sign_in.seconds_left();
        if left.is_some_and(|left| left <= RENEWAL_TIME_S)
            && let Err(error) = self.renew(&mut state, None).await
            && left == Some(0)
        {
            return Err(error);
        }
        Ok(state.sign_in.token.clone())
    }

    /// The token after the gateway has rejected `rejected`.
    ///
    /// # Errors
    /// `TOKEN_INVALID`: it cannot be replaced. Those of the renewal.
    pub async fn replacement(&self, rejected: &str) -> Result<String> {
        let mut state = self.state.lock().await;
        // Another call may have replaced it.
        if state.sign_in.token == rejected {
            self.renew(&mut state, Some(rejected)).await?;
        }
        Ok(state.sign_in.token.clone())
    }

    async fn renew(&self, state: &mut TokenState, rejected: Option<&str>) -> Result<()> {
        if let Some((at, error)) = &state.failure
            && at.elapsed() < RETRY_INTERVAL
        {
            return Err(error.clone());
        }
        let renewed = match timeout(RENEWAL_TIMEOUT, self.run_renewal(rejected)).await {
            Ok(Ok(output)) if output.status.success() => SignIn::read(&self.fleet),
            Ok(Ok(output)) => Err(self.failure_of(&output.stdout)),
            Ok(Err(error)) => Err(self.not_renewed(&error.to_string())),
            Err(_) => Err(self.not_renewed("`browse login --renew` does not end")),
        };
        match renewed {
            Ok(sign_in) => {
                *state = TokenState { sign_in, failure: None };
                Ok(())
            }
            Err(error) => {
                state.failure = Some((Instant::now(), error.clone()));
                Err(error)
            }
        }
    }

    async fn run_renewal(&self, rejected: Option<&str>) -> io::Result<Output> {
        let mut command = Command::new(&self.fleet.program);
        command.args(["--json", "login", "--renew", &self.fleet.name]);
        for name in OTHER_SETTINGS {
            command.env_remove(name);
        }
        match rejected {
            // It is in no argument, which other programs could read.
            Some(_) => command.arg("--rejected-stdin").stdin(Stdio::piped()),
            None => command.stdin(Stdio::null()),
        };
        command.stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
        let mut child = command.spawn()?;
        if let (Some(rejected), Some(mut input)) = (rejected, child.stdin.take()) {
            // One that has ended says why.
            let _ = input.write_all(rejected.as_bytes()).await;
        }
        child.wait_with_output().await
    }

    /// Why the program failed, by what it printed.
    fn failure_of(&self, output: &[u8]) -> Error {
        let document: Value = serde_json::from_slice(output).unwrap_or_default();
        let error = &document["error"];
        let Some(reason) = error["reason"].as_str().and_then(Reason::by_name) else {
            return self.not_renewed("`browse login --renew` gives no reason");
        };
        let message = error["message"].as_str().unwrap_or_default();
        let hint = error["hint"].as_str().map_or_else(|| self.fleet.login_hint(), str::to_owned);
        Error::new(reason, message).with(HINT_KEY, hint)
    }

    fn not_renewed(&self, why: &str) -> Error {
        let message = format!("the token of `{}` cannot be renewed: {why}", self.fleet.name);
        Error::new(Reason::IssuerUnusable, message).with(HINT_KEY, self.fleet.login_hint())
    }
}

/// Whether the error says that the sign-in has ended, so that no later call succeeds.
pub fn ends_sign_in(error: &Error) -> bool {
    matches!(
        error.reason(),
        Reason::TokenMissing
            | Reason::TokenInvalid
            | Reason::TokenExpired
            | Reason::TokenRevoked
            | Reason::TokenForeign
            | Reason::RemoteUnknown
    )
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

    use serde_json::json;
    use tempfile::TempDir;

    use super::*;

    /// A sign-in with this token and end, and a program that does this to renew it.
    fn signed_in(token: &str, expires_at: Option<u64>, script: &str) -> (TempDir, FleetToken) {
        let folder = tempfile::tempdir().expect("a folder");
        let (file, program) = (folder.path().join("fleet.json"), folder.path().join("browse"));
        write(&file, token, expires_at);
        fs::write(&program, format!("#!/bin/sh\ncd {}\n{script}\n", folder.path().display()))
            .expect("written");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o700)).expect("set");
        let fleet = RemoteFleet {
            name: "fleet".to_owned(),
            file,
            program,
            session: None,
            login: "browse login https://a.example --name fleet".to_owned(),
        };
        let sign_in = SignIn::read(&fleet).expect("it is whole");
        (folder, FleetToken::new(fleet, sign_in))
    }

    fn write(file: &Path, token: &str, expires_at: Option<u64>) {
        let document =
            json!({ "url": "https://a.example", "token": token, "expires_at": expires_at });
        fs::write(file, document.to_string()).expect("written");
    }

    #[tokio::test]
    async fn a_token_is_renewed_when_it_is_about_to_end_and_when_it_was_rejected() {
        let (folder, token) = signed_in("old", Some(1), "cat new.json > fleet.json");
        write(&folder.path().join("new.json"), "new", Some(4_000_000_000));
        assert_eq!(token.good().await.expect("renewed"), "new");
        let (folder, token) = signed_in(
            "old",
            None,
            "cat > rejected; echo \"$@\" >> rejected; cat new.json > fleet.json",
        );
        write(&folder.path().join("new.json"), "new", None);
        assert_eq!(token.good().await.expect("it has no end"), "old");
        for _ in 0..2 {
            assert_eq!(token.replacement("old").await.expect("replaced"), "new");
        }
        let given = fs::read_to_string(folder.path().join("rejected")).expect("a file");
        assert_eq!(given, "old--json login --renew fleet --rejected-stdin\n", "once");
    }

    #[tokio::test]
    async fn why_it_is_not_renewed_comes_through_without_the_token() {
        let failure = json!({"error": {"reason": "TOKEN_EXPIRED", "message": "it has ended", "hint": "sign in"}});
        let script = format!("echo x >> tries; echo '{failure}'; exit 3");
        let (folder, token) = signed_in("secret", Some(1), &script);
        for _ in 0..2 {
            let error = token.good().await.expect_err("it has ended");
            assert_eq!((error.reason(), error.hint()), (Reason::TokenExpired, "sign in".into()));
            assert!(ends_sign_in(&error) && !format!("{error:?}").contains("secret"));
        }
        let tries = fs::read_to_string(folder.path().join("tries")).expect("a file");
        assert_eq!(tries, "x\n", "it is not run for each call");
        let (folder, token) = signed_in("secret", Some(1), "exit 1");
        let error = token.good().await.expect_err("no reason is given");
        assert!(error.reason() == Reason::IssuerUnusable && !ends_sign_in(&error));
        fs::remove_file(folder.path().join("fleet.json")).expect("removed");
        let gone = SignIn::read(token.fleet()).map(drop).expect_err("it is gone");
        assert!(ends_sign_in(&gone), "{gone}");
    }
}
