//! Starts the daemon of a project: exactly one, however many commands want it.

use std::{
    env,
    fs::{self, DirBuilder, File, OpenOptions, TryLockError},
    io,
    net::TcpStream,
    os::unix::{fs::DirBuilderExt as _, fs::OpenOptionsExt as _, process::CommandExt as _},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use browse_proto::Reason;
use rustix::fs::OFlags;

use crate::{
    failure::{Failure, Result},
    io_failure, print,
    project::ProjectPaths,
    startup_stderr,
    state::{self, RunningDaemon},
};

/// Time that a daemon has to come up.
const START_TIMEOUT: Duration = Duration::from_secs(30);
const DAEMON_PROGRAM: &str = "browsed";
const POLL_INTERVAL: Duration = Duration::from_millis(3);

/// What a daemon must not inherit: these are about one call.
const CALL_VARIABLES: &[&str] =
    &["BROWSE_TOKEN", "BROWSE_ADDR", "BROWSE_SESSION", "BROWSE_SKILL_TOKEN", "BROWSE_MCP_TOKEN"];

/// What a project's team commits, and nothing else.
const GITIGNORE: &str = "*\n!.gitignore\n!config.toml\n!skills/\n!skills/**\n";

/// When a daemon that is started starts its browser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BrowserStart {
    /// With itself, or as its settings have it.
    WithDaemon,
    /// With the first command that needs it: this one does not.
    WhenNeeded,
}

/// The state of the daemon of `project`, which is started when none lives; it
/// has `timeout` to come up, or [`START_TIMEOUT`].
pub fn ensure_running(
    project: &ProjectPaths,
    timeout: Option<Duration>,
    browser: BrowserStart,
) -> Result<RunningDaemon> {
    let end = Instant::now() + timeout.unwrap_or(START_TIMEOUT).min(START_TIMEOUT);
    let is_new = project.state_file.parent().is_some_and(|folder| !folder.exists());
    let Some(_one_at_a_time) = acquire_start_lock(project, end)? else {
        return accepting_state(project)?
            .ok_or_else(|| startup_stderr::start_failure(project, None));
    };
    if let Some(state) = accepting_state(project)? {
        return Ok(state);
    }
    // What a dead daemon left would be taken for the word of the new one.
    match fs::remove_file(&project.state_file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(io_failure::unwritable(&project.state_file, &error))
        }
        _ => {
            let child = spawn(project, browser)?;
            let state = wait_until_accepting(project, child, end, browser)?;
            if is_new && !project.is_named && browser == BrowserStart::WithDaemon {
                print::note(&format!("new browser for {}", project.root.display()));
            }
            Ok(state)
        }
    }
}

/// The state of a daemon that lives and accepts.
fn accepting_state(project: &ProjectPaths) -> Result<Option<RunningDaemon>> {
    let state = RunningDaemon::read(&project.state_file)?;
    Ok(state.filter(|state| {
        state.is_alive(project)
            && TcpStream::connect_timeout(&state.address, Duration::from_secs(2)).is_ok()
    }))
}

/// Waits for our turn to start a daemon: the lock on the folder of the state
/// file, which ends with the file. None when somebody else's daemon came up.
fn acquire_start_lock(project: &ProjectPaths, end: Instant) -> Result<Option<File>> {
    let folder = project.state_file.parent().unwrap_or(Path::new("/"));
    let reported = |error: io::Error| {
        io_failure::unwritable(folder, &error)
            .with_hint("Set BROWSE_PROJECT to a folder that can be written, or use `--project`")
    };
    create_state_folder(folder).map_err(reported)?;
    let file = File::open(folder).map_err(reported)?;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Some(file)),
            Err(TryLockError::Error(error)) => return Err(reported(error)),
            Err(TryLockError::WouldBlock) => {}
        }
        if Instant::now() > end || accepting_state(project)?.is_some() {
            return Ok(None);
        }
        thread::sleep(POLL_INTERVAL);
    }
}

fn create_state_folder(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    match folder.ends_with(".browse") {
        true => fs::write(folder.join(".gitignore"), GITIGNORE),
        false => Ok(()),
    }
}

/// The daemon stays for hours and does little at a time: its threads share one
/// arena of the allocator of glibc, which keeps more than a megabyte less.
const MALLOC_ARENAS: (&str, &str) = ("MALLOC_ARENA_MAX", "1");

fn spawn(project: &ProjectPaths, browser: BrowserStart) -> Result<Child> {
    let program = daemon_program();
    let words = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        // A link in a cloned project must not make us empty another file, and a
        // pipe without a reader must not make us wait.
        .custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32)
        .open(&project.startup_stderr)
        .map_err(|error| io_failure::unwritable(&project.startup_stderr, &error))?;
    let mut command = Command::new(&program);
    command.arg("--project").arg(&project.root).current_dir(&project.root);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(words);
    for name in CALL_VARIABLES {
        command.env_remove(name);
    }
    if browser == BrowserStart::WhenNeeded {
        command.env("BROWSE_DEFER_BROWSER", "1");
    }
    if env::var_os(MALLOC_ARENAS.0).is_none() {
        command.env(MALLOC_ARENAS.0, MALLOC_ARENAS.1);
    }
    detach(&mut command);
    command.spawn().map_err(|error| {
        let program = program.display();
        let message = format!("`{program}` cannot be started: {}", io_failure::error_text(&error));
        Failure::new(Reason::DaemonLaunchFailed, message)
            .with_hint("Install `browsed` beside `browse`, or set BROWSE_DAEMON to its path")
    })
}

/// Gives the daemon a session of its own, so that it outlives the terminal.
#[allow(unsafe_code)]
fn detach(command: &mut Command) {
    let leave = || rustix::process::setsid().map(drop).map_err(io::Error::from);
    // SAFETY: the closure runs between fork and exec, and makes one system
    // call: it allocates nothing and takes no lock.
    unsafe {
        command.pre_exec(leave);
    }
}

/// `browsed`: where BROWSE_DAEMON says, beside this program, or on PATH.
pub fn daemon_program() -> PathBuf {
    if let Some(named) = env::var_os("BROWSE_DAEMON").filter(|path| !path.is_empty()) {
        return named.into();
    }
    let own = env::current_exe().and_then(fs::canonicalize);
    let beside = own.ok().map(|own| own.with_file_name(DAEMON_PROGRAM));
    let path = env::var_os("PATH").unwrap_or_default();
    let on_path = env::split_paths(&path).map(|folder| folder.join(DAEMON_PROGRAM));
    let found = beside.into_iter().chain(on_path).find(|path| path.is_file());
    found.unwrap_or_else(|| DAEMON_PROGRAM.into())
}

/// Waits until a daemon accepts: ours, or one that was faster.
fn wait_until_accepting(
    project: &ProjectPaths,
    mut child: Child,
    end: Instant,
    browser: BrowserStart,
) -> Result<RunningDaemon> {
    loop {
        if let Some(state) = accepting_state(project)? {
            return Ok(state);
        }
        if let Ok(Some(status)) = child.try_wait() {
            if !status.success() {
                return Err(startup_stderr::start_failure(project, Some(status)));
            }
            // It found another one, which may be about to end.
            if !state::is_locked(&project.root) {
                child = spawn(project, browser)?;
            }
        }
        if Instant::now() > end {
            return Err(startup_stderr::start_failure(project, None));
        }
        thread::sleep(POLL_INTERVAL);
    }
}
