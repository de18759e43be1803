//! From the settings to a browser that answers.

use std::process::{Command, Stdio};
use std::sync::Arc;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;

use super::options::BrowserOptions;
use super::registry::Registry;
use crate::connection::call::CdpCall;
use crate::connection::params::NoParams;
use crate::connection::pipe::CdpConnection;
use crate::emulation::identity::Identity;
use crate::error::{Error, Result};
use crate::launch::arguments::{ArgumentOptions, arguments};
use crate::launch::find::{BrowserBinary, find_browser};
use crate::launch::info::{BrowserInfo, Flavour, Sandbox};
use crate::launch::options::LaunchOptions;
use crate::launch::process::BrowserProcess;
use crate::launch::profile::{ProfileDirs, shared_memory_problem};
use crate::launch::spawn::{ChildEnd, spawn};
use crate::launch::user_agent;
use crate::page::setup;

/// What Chromium prints when its sandbox is not to be had.
const SANDBOX_ERRORS: [&str; 4] = [
    "No usable sandbox",
    "zygote_host_impl_linux",
    "Failed to move to new namespace",
    "without --no-sandbox is not supported",
];

/// Variables that say where windows are shown.
type DisplayVariables = [(String, std::ffi::OsString)];

/// A browser that has answered once.
pub(crate) struct StartedBrowser {
    pub registry: Arc<Registry>,
    pub process: BrowserProcess,
    pub info: BrowserInfo,
    /// What its sessions say instead of what it is by itself.
    pub identity: Option<Identity>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BrowserVersionResult {
    product: String,
    user_agent: String,
}

/// Starts the browser: with its sandbox if that can work, else without.
pub(crate) async fn start(options: &BrowserOptions) -> Result<StartedBrowser> {
    let launch = &options.launch;
    let found = find_browser(launch.executable.as_deref(), launch.headed)?;
    let within = tokio::time::timeout(launch.launch_timeout, async {
        if nix::unistd::geteuid().is_root() {
            let reason = "the daemon runs as root, and Chromium's sandbox refuses root".to_owned();
            return try_start(options, &found, Sandbox::Off { reason }).await;
        }
        match try_start(options, &found, Sandbox::On).await {
            Err(Error::LaunchFailed { stderr, .. }) if sandbox_error(&stderr).is_some() => {
                let reason = sandbox_error(&stderr).unwrap_or_default();
                try_start(options, &found, Sandbox::Off { reason }).await
            }
            outcome => outcome,
        }
    });
    let started = within.await.unwrap_or_else(|_| {
        Err(Error::LaunchFailed {
            path: found.executable.clone(),
            problem: format!("it gave no answer within {:?}", launch.launch_timeout),
            stderr: Vec::new(),
        })
    })?;
    if let Sandbox::Off { reason } = &started.info.sandbox {
        tracing::warn!(%reason, "Chromium runs without its sandbox");
    }
    if let Some(note) = &started.info.shared_memory_note {
        tracing::warn!(%note, "Chromium runs without shared memory in /dev/shm");
    }
    Ok(started)
}

/// What Chromium says of its sandbox, if it was that: the first sentence,
/// without the log's prefix and without the advice to live dangerously.
fn sandbox_error(stderr: &[String]) -> Option<String> {
    let complains = |line: &&String| SANDBOX_ERRORS.iter().any(|words| line.contains(words));
    let line = stderr.iter().find(complains)?;
    let text = line.split_once("] ").map_or(line.as_str(), |(_, text)| text);
    let end = text.find(['!', '.']).map_or(text.len(), |end| end + 1);
    Some(format!("Chromium says: {}", &text[..end]))
}

/// One try.
async fn try_start(
    options: &BrowserOptions,
    found: &BrowserBinary,
    sandbox: Sandbox,
) -> Result<StartedBrowser> {
    let launch = &options.launch;
    let profile =
        ProfileDirs::open(launch.profile.as_deref(), launch.downloads.as_deref(), |path| {
            if let Some(guardian) = &launch.guardian {
                guardian.remove_at_exit(path);
            }
        })?;
    let shared_memory_note = shared_memory_problem();
    let plain = user_agent::says_plain(launch, found.flavour);
    let version = match plain {
        true => user_agent::printed_version(&found.executable).await,
        false => None,
    };
    let expected = version.map(|version| user_agent::identity(found, launch, &version));
    let line = arguments(&ArgumentOptions {
        flavour: found.flavour,
        profile: profile.user_data_dir(),
        sandbox: &sandbox,
        avoid_shared_memory: shared_memory_note.is_some(),
        identity: expected.as_ref(),
        page_tools: launch.page_tools,
        extra_arguments: &launch.extra_args,
    })?;
    let command = build_command(found, &line, &profile, &launch.display_variables);
    let (downloads, uploads) = (profile.downloads().to_owned(), profile.uploads());
    let profile_path = profile.user_data_dir().to_owned();
    let (registry, process) = spawn_and_connect(command, profile, launch, options, found).await?;
    let version = send_setup(&registry, &downloads);
    let version = tokio::select! {
        version = version => version,
        _ = process.exited() => Err(Error::BrowserGone { reason: "it ended".to_owned() }),
    };
    match version {
        Ok(version) => Ok(StartedBrowser {
            identity: plain
                .then(|| user_agent::version_in(&version.product))
                .flatten()
                .map(|version| user_agent::identity(found, launch, version)),
            info: BrowserInfo {
                executable: found.executable.clone(),
                flavour: found.flavour,
                product: version.product,
                user_agent: version.user_agent,
                pid: process.pid(),
                sandbox,
                shared_memory_note,
                profile: profile_path,
                downloads,
                uploads,
            },
            registry,
            process,
        }),
        Err(_) => Err(launch_error(found, process).await),
    }
}

/// Variables with secrets of the daemon begin like this: of the store of a fleet, and its tokens.
/// The browser, which runs the code of pages, does not get them.
const SECRET_VARIABLE_PREFIXES: [&str; 4] =
    ["AWS_", "BROWSE_POD_", "BROWSE_TOKEN", "BROWSE_SKILL_TOKEN"];

fn build_command(
    found: &BrowserBinary,
    line: &[String],
    profile: &ProfileDirs,
    screen: &DisplayVariables,
) -> Command {
    let mut command = Command::new(&found.executable);
    command.args(line).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    if found.flavour == Flavour::Headed && std::env::var_os("XAUTHORITY").is_none() {
        // HOME moves into the profile; the key of the display stays where it is.
        if let Some(home) = std::env::home_dir() {
            command.env("XAUTHORITY", home.join(".Xauthority"));
        }
    }
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if SECRET_VARIABLE_PREFIXES.iter().any(|prefix| text.starts_with(prefix)) {
            command.env_remove(&name);
        }
    }
    command.envs(screen.iter().map(|(name, value)| (name, value)));
    command.envs(profile.environment());
    command
}

/// Starts the process and takes its pipe.
async fn spawn_and_connect(
    command: Command,
    profile: ProfileDirs,
    launch: &LaunchOptions,
    options: &BrowserOptions,
    found: &BrowserBinary,
) -> Result<(Arc<Registry>, BrowserProcess)> {
    let (ours, theirs) = std::os::unix::net::UnixStream::pair()
        .map_err(|error| Error::system("the pipe to Chromium", error))?;
    let connection = CdpConnection::new(ours)?;
    let child = spawn(command, theirs, ChildEnd::WithDaemon).await.map_err(|error| {
        Error::LaunchFailed {
            path: found.executable.clone(),
            problem: error.to_string(),
            stderr: Vec::new(),
        }
    })?;
    let downloads = profile.downloads().to_owned();
    let process = BrowserProcess::adopt(child, profile, launch.guardian.clone())?;
    let registry = Registry::new(connection.clone(), options, downloads, found.flavour);
    connection.run(Arc::clone(&registry) as Arc<_>);
    Ok((registry, process))
}

/// Says all that a new browser must hear, in one flight.
fn send_setup(registry: &Registry, downloads: &std::path::Path) -> CdpCall<BrowserVersionResult> {
    let connection = &registry.shared.connection;
    let say = |method: &'static str, params: &serde_json::Value| {
        connection.call_method::<IgnoredAny>(None, method, params).ignore();
    };
    say("Target.setDiscoverTargets", &json!({ "discover": true }));
    connection.send(None, setup::AUTO_ATTACH, &setup::auto_attach());
    let documents = json!([{ "resourceType": "Document" }]);
    // And the credentials of proxies.
    say("Fetch.enable", &json!({ "patterns": documents, "handleAuthRequests": true }));
    say(
        "Browser.setDownloadBehavior",
        &json!({ "behavior": "allowAndName", "downloadPath": downloads, "eventsEnabled": true }),
    );
    connection.call_method(None, "Browser.getVersion", &NoParams)
}

/// Says why a browser that did not come up did not.
async fn launch_error(found: &BrowserBinary, mut process: BrowserProcess) -> Error {
    // Its pipe broke because it is ending; its own status tells more than ours.
    process.wait_exit(std::time::Duration::from_millis(300)).await;
    process.kill();
    let problem = match process.exited().await {
        Some(status) => format!("it ended with {status}"),
        None => "it ended".to_owned(),
    };
    let stderr = process.final_stderr().await;
    process.reap().await;
    Error::LaunchFailed { path: found.executable.clone(), problem, stderr }
}
