//! From start to end.

use std::{
    env, fmt, fs,
    io::{self, Write as _},
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
    sync::Arc,
    time::Duration,
};

use browse_proto::Reason;
use tokio::{
    signal::unix::{SignalKind, signal},
    time::Instant,
};
use tokio_util::sync::CancellationToken;

use super::{
    config,
    lock::ProjectLock,
    log,
    pod::{Pod, PodSettings},
    remote_dashboard, serve,
    state_file::{self, StateFile},
    supervision::{daemon_state, run_background_tasks},
    upgrade,
};
use crate::{
    daemon::{Daemon, DaemonParts, ShutdownReason},
    dispatch::egress::DocumentCheck,
    handlers::tunnel::start_with_daemon,
    loopback,
    project::Project,
    settings::{KEYS, Settings, SettingsReader},
    tunnel,
};
use browse_base::{Error, Result};
use browse_chromium::AnsweredBy;
use browse_policy::{Authority, Listener, layer::OriginCheck};
use browse_process::Guardian;
use browse_sessions::{BrowserState, CaptureLogWriter, SessionName, SessionRules, Sessions};

/// Time that calls in flight get to end when the daemon is asked to stop.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(2);

/// Time in which the sessions that are kept come back from their windows, to be saved.
const WINDOW_RETURN_TIMEOUT: Duration = Duration::from_secs(2);

/// Time in which the sessions that are kept are saved.
const KEPT_SESSIONS_TIMEOUT: Duration = Duration::from_secs(3);

/// Time that answers get to leave.
const RESPONSE_FLUSH_TIMEOUT: Duration = Duration::from_millis(200);

/// Time that the guardian gets to tidy up.
const GUARDIAN_SWEEP_TIMEOUT: Duration = Duration::from_secs(2);

/// How often idleness is looked at.
const MAX_IDLE_CHECK_INTERVAL: Duration = Duration::from_millis(500);

/// Marks a daemon that has not ended in order.
const UNCLEAN_MARKER: &str = "unclean";

/// Runs `browsed` and answers its exit code.
pub fn main() -> ExitCode {
    close_inherited();
    let args: Vec<_> = env::args().skip(1).collect();
    match args.first().map(String::as_str) {
        Some("--help" | "-h") => return help(),
        Some("--version" | "-V") => {
            return print(format_args!("browsed {}\n", env!("CARGO_PKG_VERSION")));
        }
        Some("config") => return config::main(&args[1..]),
        Some("upgrade") => return upgrade::main(&args[1..]),
        Some("remote-dashboard") => return remote_dashboard::main(),
        _ => {}
    }
    let started = match args.split_first() {
        Some((first, flags)) if first == "--pod" => run_pod(flags),
        _ => SettingsReader::from_process()
            .and_then(|reader| reader.read())
            .and_then(|settings| run(settings, None)),
    };
    match started {
        Ok(code) => code,
        Err(error) => {
            tracing::error!(%error, "the daemon did not start");
            report(&error)
        }
    }
}

/// Prints the JSON of a call that needs no daemon, or why it failed.
pub fn print_outcome(outcome: Result<serde_json::Value>) -> ExitCode {
    match outcome {
        Ok(result) => print(format_args!("{result}\n")),
        Err(error) => report(&error),
    }
}

/// Writes why this program cannot go on, in the lines that the command line reads.
pub fn report(error: &Error) -> ExitCode {
    // Not `eprintln!`: it panics when stderr is a file on a full disk.
    let (hint, reason) = (error.hint(), error.reason().name());
    let _ = writeln!(io::stderr(), "error: {error}\nhint: {hint}\nreason: {reason}");
    ExitCode::from(error.reason().rule().exit)
}

fn help() -> ExitCode {
    let mut text =
        "browsed: keeps one Chromium alive for a project. `browse` starts it.\n\n".to_owned();
    for key in KEYS {
        let (name, default) = (key.name.replace('_', "-"), key.default.replace('`', ""));
        let row = format!("  --{name:<26} {:<34} {} ({default})\n", key.variable, key.help);
        text.push_str(&row);
    }
    text.push_str(EXIT_CODES);
    print(format_args!("{text}"))
}

/// What a supervisor of daemons needs to know.
const EXIT_CODES: &str = "
Exit code:
  0      The daemon was stopped, or was idle for long enough. Also when one runs for the
         project already: then standard error has the line `a daemon already runs for ...`.
         Commands that start a daemon at the same time depend on this 0.
  other  It did not start: standard error has the lines `error:`, `hint:` and `reason:`.
";

/// Prints to a reader that may have gone, which `println!` panics about.
fn print(text: fmt::Arguments<'_>) -> ExitCode {
    match io::stdout().write_fmt(text) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// Closes what the caller of the command line had open: the daemon would keep
/// its pipes from ending, and hand them on to skills.
fn close_inherited() {
    let Ok(entries) = fs::read_dir("/proc/self/fd") else { return };
    let open: Vec<i32> =
        entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    for descriptor in open.into_iter().filter(|descriptor| *descriptor > 2) {
        // The listing's own descriptor is among them, and closed already.
        let _ = nix::unistd::close(descriptor);
    }
}

/// Runs it as a pod of a fleet, which ends by a signal alone.
fn run_pod(flags: &[String]) -> Result<ExitCode> {
    let pod = PodSettings::from_env()?;
    let flags: Vec<String> = flags.iter().cloned().chain(PodSettings::daemon_flags()).collect();
    let settings = SettingsReader::new(&flags, |name| env::var_os(name))?.read()?;
    fs::create_dir_all(&settings.project).map_err(|error| {
        let message = format!("`{}` cannot be made: {error}", settings.project.display());
        Error::new(Reason::FileUnwritable, message).with("path", settings.project.display())
    })?;
    // A pod is ready when its browser runs.
    let settings = Settings { idle_timeout: Duration::MAX, defer_browser: false, ..settings };
    run(settings, Some(pod))
}

fn run(settings: Settings, pod: Option<PodSettings>) -> Result<ExitCode> {
    let folder = settings.state_folder();
    Project::prepare(&folder)?;
    let Some(lock) = ProjectLock::acquire(&settings.project, || {
        state_file::is_daemon_running(&settings.state_file)
    })?
    else {
        let project = settings.project.display();
        let _ = writeln!(io::stderr(), "a daemon already runs for `{project}`");
        return Ok(ExitCode::SUCCESS);
    };
    match &pod {
        Some(_) => log::init_for_pod(),
        None => log::init(&settings.log_file())?,
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_stack_size(1 << 20)
        .enable_all()
        .build()
        .map_err(|error| Error::new(Reason::Bug, format!("no runtime: {error}")))?;
    let ending = runtime.block_on(serve_until_shutdown(settings, pod))?;
    runtime.shutdown_timeout(Duration::from_millis(200));
    drop(lock);
    match ending {
        ShutdownReason::Restart => Err(re_exec()),
        ShutdownReason::Stop | ShutdownReason::NoBrowser => Ok(ExitCode::SUCCESS),
    }
}

/// Becomes a new daemon; answers only when that did not work.
fn re_exec() -> Error {
    let program = own_program();
    let error = Command::new(&program).args(env::args_os().skip(1)).exec();
    let message = format!("`{}` does not start: {error}", program.display());
    Error::new(Reason::DaemonLaunchFailed, message).with("log", "daemon.log")
}

/// Our program; after an update the file that took the old one's place.
fn own_program() -> PathBuf {
    let path = env::current_exe().unwrap_or_default();
    let name = path.to_string_lossy();
    name.strip_suffix(" (deleted)").map(PathBuf::from).unwrap_or(path)
}

async fn serve_until_shutdown(
    settings: Settings,
    pod: Option<PodSettings>,
) -> Result<ShutdownReason> {
    let program = own_program();
    let guardian = Guardian::start(&program).map_err(|error| {
        Error::new(Reason::DaemonLaunchFailed, format!("no guardian: {error}"))
            .with("log", settings.log_file().display())
    })?;
    let (listener, address) = loopback::bind(settings.port).await?;
    let sessions = match &pod {
        Some(pod) => Sessions::restricted_to(SessionRules { hosts: pod.hosts.clone() }),
        None => Sessions::new(),
    };
    let fleet_sessions = match &pod {
        Some(pod) => pod.fleet_sessions(&sessions).await?,
        None => None,
    };
    let daemon = Daemon::new(DaemonParts {
        address,
        build_id: browse_proto::build_id(&program).unwrap_or_default(),
        authority: Arc::new(Authority::with_denied_commands(settings.deny.clone())?),
        sessions,
        fleet_sessions,
        guardian: Some(Arc::clone(&guardian)),
        services: serve::services,
        notice: unclean_shutdown_notice(&settings.state_folder()),
        settings,
    });
    DocumentCheck::install(&daemon);
    if daemon.settings().cdp_url.is_some()
        && let Some(session) = daemon.sessions().get(SessionName::default_session().as_str())
    {
        session.begin_attaching();
    }
    let closing = CancellationToken::new();
    let pod = match pod {
        Some(settings) => Some(Pod::start(&daemon, settings, &closing).await?),
        None => None,
    };
    // Before anybody can know of us and send one.
    handle_signals(&daemon, pod.as_ref());
    let path = daemon.settings().state_file.clone();
    guardian.remove_at_exit_if_pid(&path, std::process::id());
    let origin = OriginCheck::Loopback { port: address.port() };
    let services = serve::services(Arc::clone(&daemon), Listener::Local, origin).await?;
    let served = tokio::spawn(serve::serve(listener, services, closing.clone()));
    open_skill_socket(&daemon, &guardian, &closing).await?;
    let state = StateFile::write(path, &daemon_state(&daemon, None))?;
    write_unclean_marker(&daemon.settings().state_folder());
    tracing::info!(%address, project = %daemon.settings().project.display(), "the daemon serves");
    CaptureLogWriter::start(daemon.settings().state_folder(), daemon.sessions());
    daemon.sessions().downloads().spawn_sweeper();
    let kept = tokio::spawn(run_background_tasks(Arc::clone(&daemon), guardian.clone(), state));
    tokio::spawn(Arc::clone(daemon.kept_sessions()).run());
    watch_idleness(Arc::clone(&daemon));
    spawn_tunnel(Arc::clone(&daemon));

    let ending = daemon.shutdown_requested().await;
    tracing::info!(?ending, "the daemon ends");
    // From the outside in: no new callers find us, those that are here get
    // their answers, the browser goes.
    kept.abort();
    // The state file goes with the task that keeps it.
    let _ = kept.await;
    closing.cancel();
    wait_for_calls(&daemon).await;
    // A caller who keeps its connection open must not hold us up.
    let _ = tokio::time::timeout(RESPONSE_FLUSH_TIMEOUT, served).await;
    daemon.windows().close_kept(WINDOW_RETURN_TIMEOUT).await;
    daemon.kept_sessions().finish(KEPT_SESSIONS_TIMEOUT).await;
    close_resources(&daemon).await;
    if let Err(error) = daemon.sessions().journal().write(&daemon.settings().state_folder()) {
        tracing::debug!(%error, "the capture logs were not written");
    }
    let _ = fs::remove_file(daemon.settings().state_folder().join(UNCLEAN_MARKER));
    let swept = tokio::task::spawn_blocking(move || guardian.finish(GUARDIAN_SWEEP_TIMEOUT)).await;
    if !swept.unwrap_or(false) {
        tracing::warn!("the guardian is still tidying up");
    }
    // What was not whole has gone with the browser.
    let ended = Arc::clone(&daemon);
    let _ = tokio::task::spawn_blocking(move || ended.sessions().downloads().close()).await;
    Ok(ending)
}

/// Serves skills that are confined to a Unix socket. Without it they are
/// refused, or confined by other means.
async fn open_skill_socket(
    daemon: &Arc<Daemon>,
    guardian: &Guardian,
    closing: &CancellationToken,
) -> Result<()> {
    let services = serve::services(Arc::clone(daemon), Listener::Skills, OriginCheck::Any).await?;
    match serve::bind_skill_socket() {
        Ok((listener, door)) => {
            guardian.remove_at_exit(door.folder());
            daemon.skills().sandbox().set_socket(door, daemon.address().port());
            tokio::spawn(serve::serve_skill_socket(listener, services, closing.clone()));
        }
        Err(error) => tracing::warn!(%error, "there is no socket for skills"),
    }
    Ok(())
}

/// Waits until no call is in flight; the dispatcher cuts them in time.
async fn wait_for_calls(daemon: &Daemon) {
    let begun = Instant::now();
    while daemon.calls() > 0 && begun.elapsed() < SHUTDOWN_GRACE {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    if daemon.calls() > 0 {
        tracing::warn!(calls = daemon.calls(), "not every call has ended");
    }
}

/// Starts the tunnel that the settings want, beside everything else. Without it
/// the daemon is as good as ever, so that its failure is reported and no more.
fn spawn_tunnel(daemon: Arc<Daemon>) {
    tokio::spawn(async move {
        if let Err(error) = start_with_daemon(&daemon).await {
            tracing::error!(%error, "the tunnel does not start");
            let hint = match error.reason() {
                Reason::TunnelConsentMissing => "run `browse tunnel start`".to_owned(),
                _ => error.hint(),
            };
            let why = format!("did not start: {error}");
            daemon.tunnel().lifecycle().set_start_failure(why);
            daemon.add_notice(format!("the tunnel does not start: {error}; {hint}"));
        }
    });
}

async fn close_resources(daemon: &Daemon) {
    for session in daemon.sessions().all() {
        session.dismiss_questions(AnsweredBy::Closing);
    }
    tunnel::stop(daemon.tunnel()).await;
    if tokio::time::timeout(SHUTDOWN_GRACE, daemon.windows().close_all()).await.is_err() {
        tracing::warn!("a visible browser did not end in time; the guardian ends it");
    }
    if let BrowserState::Running(browser) = daemon.sessions().browser_handle().state()
        && tokio::time::timeout(SHUTDOWN_GRACE, browser.close()).await.is_err()
    {
        tracing::warn!("the browser did not end in time; the guardian ends it");
    }
}

/// Leaves a mark that an orderly end takes away.
fn write_unclean_marker(folder: &Path) {
    if let Err(error) = fs::write(folder.join(UNCLEAN_MARKER), "") {
        tracing::warn!(%error, "an unclean end could not be noticed");
    }
}

/// What to tell when the last daemon left its mark.
fn unclean_shutdown_notice(folder: &Path) -> Option<String> {
    let unclean = folder.join(UNCLEAN_MARKER).exists();
    unclean.then(|| {
        "the previous browser ended unexpectedly; its tabs are lost, except those of kept sessions"
            .to_owned()
    })
}

/// Ends the daemon in order at a signal that asks for it.
fn handle_signals(daemon: &Arc<Daemon>, pod: Option<&Arc<Pod>>) {
    for kind in [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup()] {
        let Ok(mut signals) = signal(kind) else { continue };
        let (daemon, pod) = (Arc::clone(daemon), pod.map(Arc::clone));
        tokio::spawn(async move {
            signals.recv().await;
            if let Some(pod) = pod {
                pod.drain().await;
            }
            daemon.shut_down(ShutdownReason::Stop);
        });
    }
}

/// Ends the daemon when nobody has called for long.
fn watch_idleness(daemon: Arc<Daemon>) {
    tokio::spawn(async move {
        let limit = daemon.settings().idle_timeout;
        let mut look = tokio::time::interval(
            MAX_IDLE_CHECK_INTERVAL.min(limit.max(Duration::from_millis(10))),
        );
        while !daemon.is_shutting_down() {
            look.tick().await;
            if daemon.idle_time() >= limit {
                tracing::info!("nobody has called for {limit:?}");
                daemon.shut_down(ShutdownReason::Stop);
            }
        }
    });
}
