//! `browsed` as a process, in a project of its own.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    time::{Duration, Instant},
};

use browse_proto::{metadata, v1};
use serde_json::Value;
use tonic::{Request, Status, transport::Channel};

use v1::{
    browser_service_client::BrowserServiceClient, daemon_service_client::DaemonServiceClient,
};

/// Time that anything may take.
pub const WAIT_TIMEOUT: Duration = Duration::from_secs(20);

/// A project and a home, removed at the end.
pub struct Place {
    folder: tempfile::TempDir,
    pub variables: Vec<(&'static str, String)>,
}

/// A daemon process; killed when the test ends before it does.
pub struct Daemon {
    pub child: Child,
    stderr: PathBuf,
}

impl Place {
    /// A place whose daemons start no browser.
    pub fn new() -> Self {
        let mut place = Self::with_browser();
        place.variables.push(("BROWSE_NO_BROWSER", "1".to_owned()));
        place
    }

    pub fn with_browser() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("p")).unwrap();
        Self { folder, variables: Vec::new() }
    }

    pub fn project(&self) -> PathBuf {
        self.folder.path().join("p")
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.project().join(".browse").join(name)
    }

    /// Starts a daemon and does not wait.
    pub fn spawn(&self, flags: &[&str]) -> Daemon {
        let name = format!("stderr-{}", fs::read_dir(self.folder.path()).unwrap().count());
        let stderr = self.folder.path().join(name);
        let mut command = Command::new(env!("CARGO_BIN_EXE_browsed"));
        command.env_clear().envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
        command
            .env("HOME", self.folder.path())
            .env("TMPDIR", self.folder.path())
            .env("BROWSE_HOME", self.folder.path().join("h"))
            .env("BROWSE_PROJECT", self.project())
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .args(flags)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(fs::File::create(&stderr).unwrap());
        Daemon { child: command.spawn().unwrap(), stderr }
    }

    /// The state file, as soon as a living daemon has written it.
    pub fn state(&self) -> Value {
        until("a daemon", || {
            let state: Value =
                serde_json::from_slice(&fs::read(self.file("daemon.json")).ok()?).ok()?;
            state.get("pid")?.as_u64().filter(|pid| lives(*pid)).map(|_| state)
        })
    }

    /// The state file, as soon as it names a browser.
    pub fn state_with_browser(&self) -> Value {
        until("a browser", || Some(self.state()).filter(|state| state["browser"].is_object()))
    }

    pub fn is_gone(&self) -> bool {
        !self.file("daemon.json").exists()
    }

    /// Processes whose command line or environment names this place.
    pub fn processes(&self) -> Vec<u64> {
        let needle = self.folder.path().to_string_lossy().into_owned();
        let of = |entry: fs::DirEntry| {
            let pid: u64 = entry.file_name().to_str()?.parse().ok()?;
            let read = |name: &str| fs::read(entry.path().join(name)).unwrap_or_default();
            let text = [read("cmdline"), read("environ")].concat();
            let text = String::from_utf8_lossy(&text).into_owned();
            (text.contains(&needle) && lives(pid)).then_some(pid)
        };
        fs::read_dir("/proc").unwrap().flatten().filter_map(of).collect()
    }

    /// The profile of a browser.
    pub fn profile(browser: u64) -> PathBuf {
        let line = fs::read(format!("/proc/{browser}/cmdline")).unwrap();
        let line = String::from_utf8_lossy(&line).into_owned();
        let folder = line.split('\0').find_map(|word| word.strip_prefix("--user-data-dir="));
        PathBuf::from(folder.unwrap())
    }

    pub async fn client(&self) -> Client {
        Client::of(&self.state()).await
    }
}

impl Daemon {
    /// Waits for the end.
    pub fn end(&mut self) -> ExitStatus {
        until("the end of the daemon", || self.child.try_wait().unwrap())
    }

    /// Whether it has not ended.
    pub fn lives(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    pub fn log_text(&self) -> String {
        fs::read_to_string(&self.stderr).unwrap()
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Root, at the other end of a connection.
pub struct Client {
    channel: Channel,
    token: String,
}

impl Client {
    pub async fn of(state: &Value) -> Self {
        let address = format!("http://{}", state["address"].as_str().unwrap());
        let channel = Channel::from_shared(address).unwrap().connect().await.unwrap();
        Self { channel, token: state["token"].as_str().unwrap().to_owned() }
    }

    pub fn daemon(&self) -> DaemonServiceClient<Channel> {
        DaemonServiceClient::new(self.channel.clone())
    }

    pub fn browser(&self) -> BrowserServiceClient<Channel> {
        BrowserServiceClient::new(self.channel.clone())
    }

    pub fn ask<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        let token = format!("Bearer {}", self.token).parse().unwrap();
        request.metadata_mut().insert(metadata::AUTHORIZATION, token);
        request
    }

    pub async fn status(&self) -> Result<v1::StatusResponse, Status> {
        let answer = self.daemon().status(self.ask(v1::StatusRequest {})).await;
        answer.map(tonic::Response::into_inner)
    }

    pub async fn stop(&self) {
        self.daemon().stop(self.ask(v1::StopRequest {})).await.unwrap();
    }
}

/// The name of the reason of a failure.
pub fn reason(status: &Status) -> String {
    use tonic_types::StatusExt as _;
    let details = status.get_error_details();
    details.error_info().map_or_else(|| format!("{status}"), |info| info.reason.clone())
}

/// Asks again until there is an answer.
pub fn until<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + WAIT_TIMEOUT;
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(Instant::now() < end, "{what} did not come");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Whether a process runs; a zombie does not.
pub fn lives(pid: u64) -> bool {
    let stat = fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("stat"));
    stat.is_ok_and(|stat| {
        let state = stat.rsplit_once(") ").map(|(_, rest)| rest.as_bytes()[0]);
        !matches!(state, Some(b'Z' | b'X'))
    })
}

pub fn kill(pid: u64) {
    let pid = nix::unistd::Pid::from_raw(i32::try_from(pid).unwrap());
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGKILL).unwrap();
}
