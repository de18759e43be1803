//! The sign-in to a fleet: its token, which is renewed before it ends and when the gateway has
//! rejected it. All clients of this process that call one fleet share its sign-in, so that one
//! renewal runs at a time.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Arc, LazyLock, Weak},
    time::Duration,
};

use browse_base::{Error, HINT_KEY, Lock, Result};
use browse_proto::Reason;
use tokio::{sync::Mutex, time::Instant};

use super::{
    remote_file::{FleetCredentials, RemoteFile},
    renewal::{self, RenewalFailure},
};

/// Time after which a renewal that failed is tried again.
const RETRY_INTERVAL: Duration = Duration::from_secs(5);

/// The sign-ins of this process by their files.
static SIGN_INS: LazyLock<Lock<BTreeMap<PathBuf, Weak<FleetSignIn>>>> =
    LazyLock::new(Lock::default);

/// A fleet that the user has signed in to. Its file is read for each call: another sign-in under the
/// same name counts at once, and so does `browse logout`.
pub struct FleetSignIn {
    file: RemoteFile,
    /// The program `browse`, which renews the token.
    program: PathBuf,
    /// What to do when the file is missing.
    login_hint: String,
    /// Held during a renewal: when the last one failed, and why.
    last_failure: Mutex<Option<(Instant, Error)>>,
}

impl FleetSignIn {
    /// The sign-in of the remote `name` in this home of browse. `program` is `browse`, where this
    /// process has not opened the sign-in already.
    ///
    /// # Errors
    /// `REMOTE_UNKNOWN`; `REMOTE_FILE_INVALID`; `FLEET_DENIED`: it is the pairing of a daemon.
    pub fn open(home: PathBuf, name: String, program: PathBuf) -> Result<Arc<Self>> {
        let file = RemoteFile::new(home, name)?;
        let login_hint = login_hint(&file.read()?, file.name());
        let mut known = SIGN_INS.lock();
        known.retain(|_, sign_in| sign_in.strong_count() > 0);
        if let Some(sign_in) = known.get(file.path()).and_then(Weak::upgrade) {
            return Ok(sign_in);
        }
        let path = file.path().to_owned();
        let sign_in = Arc::new(Self { file, program, login_hint, last_failure: Mutex::default() });
        known.insert(path, Arc::downgrade(&sign_in));
        Ok(sign_in)
    }

    /// What the file has, whatever time is left to its token.
    ///
    /// # Errors
    /// As [`FleetSignIn::open`].
    pub fn read(&self) -> Result<FleetCredentials> {
        self.file.read().map_err(|error| match error.reason() {
            Reason::RemoteUnknown => {
                let message = format!("the sign-in to `{}` was removed", self.file.name());
                Error::new(Reason::RemoteUnknown, message).with(HINT_KEY, &self.login_hint)
            }
            _ => error,
        })
    }

    /// The fleet with a token that is good for a while, where one can be got.
    ///
    /// # Errors
    /// As [`FleetSignIn::open`]. The token has ended, and `TOKEN_EXPIRED`: so has the sign-in;
    /// `ISSUER_UNUSABLE`: it cannot be renewed now; what `browse login --renew` reports.
    pub async fn credentials(self: &Arc<Self>) -> Result<FleetCredentials> {
        let fleet = self.read()?;
        if fleet.is_due() {
            return match self.renew(None).await {
                // Its last seconds may do.
                Err(_) if !fleet.has_ended() => Ok(fleet),
                renewed => renewed,
            };
        }
        match fleet.has_ended() {
            true => Err(self.ended(&fleet)),
            false => Ok(fleet),
        }
    }

    /// The same when the gateway has rejected the token `rejected`: whatever time that has left, it
    /// is renewed, unless the file has another one by now.
    ///
    /// # Errors
    /// As [`FleetSignIn::credentials`]; `TOKEN_INVALID`: the token cannot be replaced.
    pub async fn replacement(self: &Arc<Self>, rejected: &str) -> Result<FleetCredentials> {
        let fleet = self.read()?;
        match fleet.token == rejected {
            true => self.renew(Some(rejected)).await,
            false => Ok(fleet),
        }
    }

    /// The error when the gateway rejects the token of `fleet`, which has just been renewed.
    pub fn rejected(&self, fleet: &FleetCredentials) -> Error {
        let name = self.file.name();
        let message = format!("the gateway rejects the token of `{name}`");
        Error::new(Reason::TokenInvalid, message).with(HINT_KEY, login_hint(fleet, name))
    }

    async fn renew(self: &Arc<Self>, rejected: Option<&str>) -> Result<FleetCredentials> {
        let (sign_in, rejected) = (Arc::clone(self), rejected.map(str::to_owned));
        // It goes on when the call is given up: the refresh token may be used up by then, and only
        // the program has the next one.
        let renewal = async move { sign_in.renew_alone(rejected.as_deref()).await };
        tokio::spawn(renewal).await.unwrap_or_else(|_| {
            Err(Error::new(Reason::Bug, "the renewal of a token ended without an outcome"))
        })
    }

    async fn renew_alone(&self, rejected: Option<&str>) -> Result<FleetCredentials> {
        let mut last_failure = self.last_failure.lock().await;
        // Another call may have renewed it.
        let fleet = self.read()?;
        let is_needed = rejected.map_or_else(|| fleet.is_due(), |token| fleet.token == token);
        if !is_needed {
            return Ok(fleet);
        }
        if let Some((at, error)) = &*last_failure
            && at.elapsed() < RETRY_INTERVAL
        {
            return Err(error.clone());
        }
        let renewed = match renewal::renew(&self.program, &self.file, rejected).await {
            Ok(()) => self.read(),
            Err(failure) => Err(self.failure(&fleet, failure)),
        };
        *last_failure = renewed.as_ref().err().map(|error| (Instant::now(), error.clone()));
        renewed
    }

    fn failure(&self, fleet: &FleetCredentials, failure: RenewalFailure) -> Error {
        let name = self.file.name();
        let error = match failure {
            RenewalFailure::Reported(error) => error,
            RenewalFailure::Unknown(why) => {
                let message = format!("the token of `{name}` cannot be renewed: {why}");
                Error::new(Reason::IssuerUnusable, message)
            }
        };
        error.with_default(HINT_KEY, login_hint(fleet, name))
    }

    fn ended(&self, fleet: &FleetCredentials) -> Error {
        let name = self.file.name();
        let message = format!("the token of `{name}` has ended, and it cannot be renewed");
        Error::new(Reason::TokenExpired, message).with(HINT_KEY, login_hint(fleet, name))
    }
}

fn login_hint(fleet: &FleetCredentials, name: &str) -> String {
    format!("Run `{}` again", fleet.login_command(name))
}

#[cfg(test)]
mod tests {
    use std::{
        fs::{self, OpenOptions, Permissions},
        os::unix::fs::PermissionsExt as _,
        path::Path,
        thread,
    };

    use nix::{sys::stat::Mode, unistd::mkfifo};
    use serde_json::{Value, json};
    use tempfile::TempDir;
    use tokio::{sync::oneshot, time::timeout};

    use super::*;

    /// Time in which the program of a test has started.
    const LIMIT: Duration = Duration::from_secs(20);

    /// The end of a token that is good for long, in seconds since 1970.
    const FAR_END: u64 = 4_000_000_000;

    /// A sign-in with this token and end, and a program that does this to renew it. `next` is the
    /// file with the next token.
    fn signed_in(
        token: &str,
        expires_at: Option<u64>,
        script: &str,
    ) -> (TempDir, Arc<FleetSignIn>) {
        let home = tempfile::tempdir().expect("a folder");
        fs::create_dir(home.path().join("remotes")).expect("a folder");
        write(&home.path().join("remotes/fleet.json"), &document(token, expires_at));
        write(&home.path().join("next"), &document("new", Some(FAR_END)));
        let program = home.path().join("browse");
        fs::write(&program, format!("#!/bin/sh\ncd \"$BROWSE_HOME\"\n{script}\n"))
            .expect("written");
        fs::set_permissions(&program, Permissions::from_mode(0o700)).expect("set");
        let sign_in = FleetSignIn::open(home.path().to_owned(), "fleet".to_owned(), program);
        (home, sign_in.expect("it is whole"))
    }

    fn document(token: &str, expires_at: Option<u64>) -> Value {
        json!({
            "kind": "fleet", "url": "https://a.example", "token": token,
            "expires_at": expires_at, "refresh_token": "r",
        })
    }

    fn write(file: &Path, document: &Value) {
        fs::write(file, document.to_string()).expect("written");
        fs::set_permissions(file, Permissions::from_mode(0o600)).expect("set");
    }

    fn read(home: &TempDir, name: &str) -> String {
        fs::read_to_string(home.path().join(name)).expect("a file")
    }

    #[tokio::test]
    async fn a_token_is_renewed_when_it_is_about_to_end_and_when_it_was_rejected() {
        let (_home, sign_in) = signed_in("old", Some(1), "mv next remotes/fleet.json");
        assert_eq!(sign_in.credentials().await.expect("renewed").token, "new");
        let script = "cat > rejected; echo \"$@\" >> rejected; mv next remotes/fleet.json";
        let (home, sign_in) = signed_in("old", None, script);
        assert_eq!(sign_in.credentials().await.expect("it has no end").token, "old");
        for _ in 0..2 {
            assert_eq!(sign_in.replacement("old").await.expect("replaced").token, "new");
        }
        let given = read(&home, "rejected");
        assert_eq!(given, "old--json login --renew fleet --rejected-stdin\n", "once");
    }

    #[tokio::test]
    async fn one_renewal_runs_at_a_time_and_goes_on_without_its_call() {
        let script = "echo x >> runs; cat gate > /dev/null; mv next remotes/fleet.json";
        let (home, sign_in) = signed_in("old", Some(1), script);
        let gate = home.path().join("gate");
        mkfifo(&gate, Mode::S_IRUSR | Mode::S_IWUSR).expect("a pipe");
        let other = FleetSignIn::open(home.path().to_owned(), "fleet".to_owned(), PathBuf::new());
        assert!(Arc::ptr_eq(&sign_in, &other.expect("it is whole")), "they share it");
        let call = |sign_in: &Arc<FleetSignIn>| {
            let sign_in = Arc::clone(sign_in);
            tokio::spawn(async move { sign_in.credentials().await })
        };
        let (first, second) = (call(&sign_in), call(&sign_in));
        // It opens when the program reads it.
        let (sender, opened) = oneshot::channel();
        thread::spawn(move || sender.send(OpenOptions::new().write(true).open(gate)));
        let opened = timeout(LIMIT, opened).await.expect("the program runs");
        let writer = opened.expect("no panic").expect("a pipe");
        first.abort();
        assert!(first.await.is_err_and(|error| error.is_cancelled()));
        drop(writer);
        let renewed = second.await.expect("no panic").expect("renewed");
        assert_eq!((&*renewed.token, &*read(&home, "runs")), ("new", "x\n"));
    }

    #[tokio::test]
    async fn why_it_is_not_renewed_comes_through_without_the_token() {
        let failure = json!({"error": {"reason": "TOKEN_EXPIRED", "message": "it has ended", "hint": "sign in"}});
        let script = format!("echo x >> runs; echo '{failure}'; exit 3");
        let (home, sign_in) = signed_in("secret", Some(1), &script);
        for _ in 0..2 {
            let error = sign_in.credentials().await.map(drop).expect_err("it has ended");
            assert_eq!((error.reason(), error.hint()), (Reason::TokenExpired, "sign in".into()));
            assert!(!format!("{error:?}").contains("secret"), "{error:?}");
        }
        assert_eq!(read(&home, "runs"), "x\n", "it is not run for each call");
        let (home, sign_in) = signed_in("secret", Some(1), "exit 1");
        let error = sign_in.credentials().await.map(drop).expect_err("no reason is given");
        assert_eq!(error.reason(), Reason::IssuerUnusable);
        let hint = "Run `browse login https://a.example --name fleet` again";
        assert_eq!(error.hint(), hint);
        fs::remove_file(home.path().join("remotes/fleet.json")).expect("removed");
        let gone = sign_in.credentials().await.map(drop).expect_err("it is gone");
        assert_eq!((gone.reason(), &*gone.hint()), (Reason::RemoteUnknown, hint));
    }

    #[tokio::test]
    async fn a_token_that_cannot_be_renewed_is_good_until_it_ends() {
        let (home, sign_in) = signed_in("passed", None, "echo x >> runs");
        let file = home.path().join("remotes/fleet.json");
        for (expires_at, outcome) in [(FAR_END, "ok"), (1, "TOKEN_EXPIRED")] {
            let mut passed = document("passed", Some(expires_at));
            passed["refresh_token"] = Value::Null;
            write(&file, &passed);
            let found = sign_in.credentials().await;
            assert_eq!(found.map_or_else(|error| error.reason().name(), |_| "ok"), outcome);
        }
        assert!(!home.path().join("runs").exists(), "nothing is asked of the issuer");
    }
}
