//! Finds the daemon that a command is for, and starts one where that is meant.

use std::{
    path::PathBuf,
    thread,
    time::{Duration, Instant},
};

use browse_proto::{Command, Reason};

use crate::{
    address::{Address, DaemonSocket},
    failure::{Failure, Result},
    fleet_place::CommandPlace,
    fleet_remote::FleetRemote,
    fleet_token,
    globals::Globals,
    in_process::InProcessService,
    pairing_link::PublicKeyPin,
    print,
    project::ProjectPaths,
    remote::{Remote, RemoteBrowser, UNREACHABLE_HINT},
    start::{self, BrowserStart},
    state::RunningDaemon,
};

/// Time that a living daemon has to accept, while it starts or stops.
const ACCEPT_TIMEOUT: Duration = Duration::from_secs(3);

/// A daemon that accepted our connection.
#[derive(Debug)]
pub struct ConnectedDaemon {
    /// The socket.
    pub socket: DaemonSocket,
    /// Its address.
    pub address: Address,
    /// The token to call it with.
    pub token: Option<String>,
    /// The credentials that it needs when it is remote.
    pub expected_identity: Option<ServerIdentity>,
    /// Its project and state, when the state file named it.
    pub project_state: Option<(ProjectPaths, RunningDaemon)>,
}

/// What a server on another machine has to show.
#[derive(Clone, Debug)]
pub enum ServerIdentity {
    /// A daemon that has a pairing with this user.
    Paired {
        /// This public key.
        pin: PublicKeyPin,
        /// Or a certificate that an authority vouches for.
        allows_public_ca: bool,
    },
    /// The gateway of a fleet.
    Gateway(GatewayIdentity),
}

/// How the gateway of a fleet is known.
#[derive(Clone, Debug)]
pub struct GatewayIdentity {
    /// Whether it has TLS: not on a loopback address.
    pub is_tls: bool,
    /// The host that its certificate is for, without the brackets of an IPv6 address.
    pub host: String,
    /// The `:authority` of calls: without a port where that is the usual one.
    pub authority: String,
    /// A file with authorities that count beside those of this machine.
    pub ca: Option<PathBuf>,
    /// The command that signs in again; none where callers bring a token.
    pub login: Option<String>,
}

/// What to do when the gateway of a fleet does not answer.
pub const GATEWAY_UNREACHABLE_HINT: &str =
    "Check the network and the address of the fleet, and ask its operator";

/// What the gateway of this process is called.
const IN_PROCESS_AUTHORITY: &str = "browse-gate";

impl ConnectedDaemon {
    /// The gateway that this process is.
    pub fn in_process(service: InProcessService, token: Option<String>) -> Self {
        let identity = GatewayIdentity {
            is_tls: false,
            host: IN_PROCESS_AUTHORITY.to_owned(),
            authority: IN_PROCESS_AUTHORITY.to_owned(),
            ca: None,
            login: None,
        };
        Self {
            socket: DaemonSocket::InProcess(service),
            address: Address::Tcp(IN_PROCESS_AUTHORITY.to_owned()),
            token,
            expected_identity: Some(ServerIdentity::Gateway(identity)),
            project_state: None,
        }
    }
}

/// Connects to the daemon for `command`; to that of the project for a skill that drives the browser
/// of a fleet.
pub fn connect_for_command(command: &Command, globals: &Globals) -> Result<ConnectedDaemon> {
    if let Some(name) = &globals.remote {
        return match Remote::read(name)? {
            Remote::Paired(remote) => connect_remote(&remote, globals.timeout),
            Remote::Fleet(fleet) => match CommandPlace::of(command, globals)? {
                CommandPlace::Gateway => {
                    let fleet = fleet_token::with_good_token(name, fleet, globals.timeout)?;
                    connect_gateway(&fleet, name, globals.timeout)
                }
                CommandPlace::Here => {
                    // The daemon reads it from the file.
                    if command.function == "run_skill" {
                        fleet_token::with_good_token(name, fleet, globals.timeout)?;
                    }
                    connect_project(command, globals)
                }
            },
        };
    }
    if let Some(text) = &globals.addr {
        return connect_address(text, globals);
    }
    connect_project(command, globals)
}

/// Connects to the daemon of the project, after starting it where needed.
fn connect_project(command: &Command, globals: &Globals) -> Result<ConnectedDaemon> {
    let project = ProjectPaths::find(globals.project.as_deref())?;
    let state = match running_state(&project)? {
        Some(state) => state,
        None if command.no_autostart => return Err(not_running(&project)),
        None => start::ensure_running(&project, globals.timeout, browser_start(globals))?,
    };
    connect_state(project, state, globals)
}

/// When a daemon that is started for a command starts its browser. With a fleet, the browser that
/// is driven is another one.
fn browser_start(globals: &Globals) -> BrowserStart {
    match globals.remote {
        Some(_) => BrowserStart::WhenNeeded,
        None => BrowserStart::WithDaemon,
    }
}

/// Connects to a remote daemon, which has to prove itself when it is called.
/// The attempt gets `time` at most, where it is given.
pub fn connect_remote(remote: &RemoteBrowser, time: Option<Duration>) -> Result<ConnectedDaemon> {
    print::mark_remote_output();
    let address = Address::Tcp(remote.address.clone());
    let unreachable = |error| address.unreachable_failure(&error).with_hint(UNREACHABLE_HINT);
    let socket = address.connect_within(time).map_err(unreachable)?;
    let token = Some(remote.token.clone()).filter(|token| !token.is_empty());
    let RemoteBrowser { pin, allows_public_ca, .. } = *remote;
    let identity = Some(ServerIdentity::Paired { pin, allows_public_ca });
    Ok(ConnectedDaemon { socket, address, token, expected_identity: identity, project_state: None })
}

/// Connects to the gateway of the fleet `name`, which has to prove itself when it is called.
/// The attempt gets `time` at most, where it is given.
pub fn connect_gateway(
    fleet: &FleetRemote,
    name: &str,
    time: Option<Duration>,
) -> Result<ConnectedDaemon> {
    print::mark_remote_output();
    let address = Address::Tcp(fleet.url.address());
    let socket = address
        .connect_within(time)
        .map_err(|error| address.unreachable_failure(&error).with_hint(GATEWAY_UNREACHABLE_HINT))?;
    if let DaemonSocket::Tcp(stream) = &socket {
        fleet.url.check_peer(stream).map_err(|why| {
            let message = format!("the gateway at `{}` is not called: {why}", fleet.url.origin());
            Failure::new(Reason::DaemonUnreachable, message).with_hint("Use its `https://` address")
        })?;
    }
    let identity = GatewayIdentity {
        is_tls: fleet.url.is_tls(),
        host: fleet.url.host().to_owned(),
        authority: fleet.url.authority().to_owned(),
        ca: fleet.ca.clone(),
        login: Some(fleet.login_command(name)),
    };
    Ok(ConnectedDaemon {
        socket,
        address,
        token: Some(fleet.token.clone()),
        expected_identity: Some(ServerIdentity::Gateway(identity)),
        project_state: None,
    })
}

/// Connects to the daemon of `project`, after starting it where needed.
pub fn connect_or_start(project: ProjectPaths, globals: &Globals) -> Result<ConnectedDaemon> {
    let state = start::ensure_running(&project, globals.timeout, browser_start(globals))?;
    connect_state(project, state, globals)
}

/// The state of the daemon of `project`, when it lives.
pub fn running_state(project: &ProjectPaths) -> Result<Option<RunningDaemon>> {
    let state = RunningDaemon::read(&project.state_file)?;
    Ok(state.filter(|state| state.is_alive(project)))
}

/// The failure of a command that starts no daemon.
pub fn not_running(project: &ProjectPaths) -> Failure {
    let root = project.root.display().to_string();
    let message = format!("no daemon runs for `{root}`");
    Failure::with_values(Reason::DaemonNotRunning, message, [("project", root)])
}

/// The daemon at the address that the caller named. The state file gives the
/// token when it is the same daemon.
fn connect_address(text: &str, globals: &Globals) -> Result<ConnectedDaemon> {
    let address = Address::parse(text)?;
    let token = globals.token.clone().or_else(|| {
        let project = ProjectPaths::find(globals.project.as_deref()).ok()?;
        let state = RunningDaemon::read(&project.state_file).ok()??;
        address.is_at(state.address).then_some(state.token)
    });
    let socket = address.connect().map_err(|error| address.unreachable_failure(&error))?;
    Ok(ConnectedDaemon { socket, address, token, expected_identity: None, project_state: None })
}

fn connect_state(
    project: ProjectPaths,
    mut state: RunningDaemon,
    globals: &Globals,
) -> Result<ConnectedDaemon> {
    let begin = Instant::now();
    loop {
        let address = Address::Tcp(state.address.to_string());
        let error = match address.connect() {
            Ok(socket) => {
                // One that was named with a fleet is not for this daemon.
                let named = globals.token.clone().filter(|_| globals.remote.is_none());
                let token = named.or_else(|| Some(state.token.clone()));
                let ours = Some((project, state));
                return Ok(ConnectedDaemon {
                    socket,
                    address,
                    token,
                    expected_identity: None,
                    project_state: ours,
                });
            }
            Err(error) => error,
        };
        // It may be about to end, or be another one by now.
        match running_state(&project)? {
            Some(other) => state = other,
            None => {
                state = start::ensure_running(&project, globals.timeout, browser_start(globals))?;
            }
        }
        if begin.elapsed() > ACCEPT_TIMEOUT {
            return Err(address.unreachable_failure(&error));
        }
        thread::sleep(Duration::from_millis(20));
    }
}
