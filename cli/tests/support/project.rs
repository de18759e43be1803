//! A project in a temporary folder, with a home and a daemon of its own.

use std::{
    fs,
    io::{Seek as _, Write as _},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::Value;
use tempfile::TempDir;

/// A folder to run `browse` in. Dropping it stops its daemon.
pub struct Project {
    dir: TempDir,
    environment: Vec<(String, String)>,
}

/// What a command printed.
#[derive(Debug)]
pub struct Output {
    pub stdout: String,
    pub stderr: String,
    pub code: Option<i32>,
}

impl Project {
    pub fn new() -> Self {
        let dir = tempfile::Builder::new().prefix("browse-e2e-").tempdir().expect("a folder");
        fs::create_dir_all(dir.path().join("work")).expect("a folder");
        Self { dir, environment: Vec::new() }
    }

    /// Sets a variable for every command of the project.
    pub fn with(mut self, key: &str, value: &str) -> Self {
        self.environment.push((key.to_owned(), value.to_owned()));
        self
    }

    /// The working directory, which is the project.
    pub fn path(&self) -> PathBuf {
        self.dir.path().join("work")
    }

    /// The home of browse.
    pub fn home(&self) -> PathBuf {
        self.user_home().join("home")
    }

    /// The home of the user.
    pub fn user_home(&self) -> PathBuf {
        self.dir.path().to_owned()
    }

    /// Writes a file into the project.
    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path().join(name);
        fs::write(&path, text).expect("a writable project");
        path
    }

    /// Prepares `browse` with `args`.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_browse"));
        command.args(args).current_dir(self.path()).stdin(Stdio::null()).env_clear();
        command.env("PATH", path_with_node());
        command.env("HOME", self.dir.path()).env("BROWSE_HOME", self.dir.path().join("home"));
        command.env("BROWSE_DAEMON", browsed()).env("BROWSE_PROJECT", self.path());
        command.envs(self.environment.iter().map(|(key, value)| (key, value)));
        command
    }

    /// Runs `browse` with `args` and answers what it printed.
    pub fn run(&self, args: &[&str]) -> Output {
        Output::of(self.command(args).output().expect("browse is built"))
    }

    /// Runs `browse` with `input` on its standard input.
    pub fn feed(&self, args: &[&str], input: &str) -> Output {
        Output::of_fed(self.command(args), input, self.dir.path())
    }

    /// Runs a command that must succeed, and answers its standard output.
    #[track_caller]
    pub fn ok(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert_eq!(output.code, Some(0), "{args:?}: {output:?}");
        output.stdout
    }

    /// Runs a command with `--json --raw`, and answers its result.
    #[track_caller]
    pub fn json(&self, args: &[&str]) -> Value {
        let text = self.ok(&[&["--json", "--raw"], args].concat());
        let document: Value = serde_json::from_str(&text).expect("one JSON document");
        document["result"].clone()
    }

    /// Runs a command that must fail, and answers reason and exit code.
    #[track_caller]
    pub fn fail(&self, args: &[&str]) -> (String, i32) {
        let output = self.run(&[&["--json"], args].concat());
        let document: Value = serde_json::from_str(&output.stdout)
            .unwrap_or_else(|error| panic!("{args:?}: {error}: {output:?}"));
        let reason = document["error"]["reason"].as_str().unwrap_or_default().to_owned();
        assert!(!document["error"]["hint"].as_str().unwrap_or_default().is_empty(), "{output:?}");
        (reason, output.code.unwrap_or(-1))
    }

    /// The pid in the state file, while there is one.
    pub fn daemon_pid(&self) -> Option<u32> {
        let text = fs::read_to_string(self.path().join(".browse/daemon.json")).ok()?;
        let state: Value = serde_json::from_str(&text).ok()?;
        state["pid"].as_u64().map(|pid| pid as u32)
    }

    /// Processes whose command line or environment names this project.
    pub fn processes(&self) -> Vec<(u32, String)> {
        let needle = self.dir.path().to_string_lossy().into_owned();
        let entries = fs::read_dir("/proc").expect("a proc file system").flatten();
        let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        let own = |pid: &u32| {
            let read = |file: &str| fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
            let is_zombie = String::from_utf8_lossy(&read("stat")).contains(") Z ");
            let named = [read("environ"), read("cmdline")]
                .iter()
                .any(|bytes| String::from_utf8_lossy(bytes).contains(&needle));
            named && !is_zombie
        };
        let describe = |pid| {
            let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            (pid, String::from_utf8_lossy(&line).replace('\0', " "))
        };
        pids.filter(own).map(describe).collect()
    }

    /// Waits until no process of the project is left.
    #[track_caller]
    pub fn assert_empty_within(&self, limit: Duration) {
        let left = eventually(limit, || {
            let left = self.processes();
            left.is_empty().then_some(()).ok_or(left)
        });
        assert!(left.is_ok(), "left over: {left:?}");
    }
}

impl Drop for Project {
    fn drop(&mut self) {
        let _ = self.command(&["stop"]).output();
    }
}

impl Output {
    /// Runs `command` with `input` on its standard input, which goes through a
    /// file of `folder`.
    pub fn of_fed(mut command: Command, input: &str, folder: &Path) -> Self {
        let mut file = tempfile::tempfile_in(folder).expect("a writable folder");
        file.write_all(input.as_bytes()).expect("a writable folder");
        file.rewind().expect("a file");
        Self::of(command.stdin(file).output().expect("browse is built"))
    }

    /// What a command that has ended printed.
    pub fn of(output: std::process::Output) -> Self {
        Self {
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            code: output.status.code(),
        }
    }
}

/// The daemon, which is built beside the command line.
pub fn browsed() -> PathBuf {
    let path = Path::new(env!("CARGO_BIN_EXE_browse")).with_file_name("browsed");
    assert!(path.exists(), "build the workspace first: {} is missing", path.display());
    path
}

/// Polls `look` until it finds something or `limit` has passed; then answers
/// what it last saw.
pub fn eventually<T, E>(limit: Duration, mut look: impl FnMut() -> Result<T, E>) -> Result<T, E> {
    let last = Instant::now() + limit;
    loop {
        match look() {
            Err(_) if Instant::now() < last => std::thread::yield_now(),
            seen => return seen,
        }
    }
}

/// The PATH, with the node that setup fetched before the system's.
fn path_with_node() -> std::ffi::OsString {
    let fetched = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/tools/node/bin");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = fetched.is_dir().then_some(fetched).into_iter();
    std::env::join_paths(folders.chain(std::env::split_paths(&path))).unwrap_or(path)
}
