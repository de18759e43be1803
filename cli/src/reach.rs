//! Finds the daemon that a command is for, and starts one where that is meant.

use std::{
    thread,
    time::{Duration, Instant},
};

use browse_proto::{Command, Reason};

use crate::{
    address::{Address, Socket},
    failure::{Failure, Result},
    globals::Globals,
    link::Pin,
    project::Project,
    remote, start,
    state::State,
};

/// Time that a living daemon has to accept, while it starts or stops.
const PATIENCE: Duration = Duration::from_secs(3);

/// A daemon that accepted our connection.
#[derive(Debug)]
pub struct Daemon {
    /// The socket.
    pub socket: Socket,
    /// Its address.
    pub address: Address,
    /// The token to call it with.
    pub token: Option<String>,
    /// What it has to show, when it is elsewhere.
    pub pin: Option<Proof>,
    /// Its project and state, when the state file named it.
    pub ours: Option<(Project, State)>,
}

/// What a daemon elsewhere has to show.
#[derive(Clone, Copy, Debug)]
pub struct Proof {
    /// This public key.
    pub pin: Pin,
    /// Or a certificate that an authority vouches for.
    pub vouched: bool,
}

/// Connects to the daemon for `command`.
pub fn daemon(command: &Command, globals: &Globals) -> Result<Daemon> {
    if let Some(name) = &globals.remote {
        return remote::Remote::read(name)?.connect(globals.timeout);
    }
    if let Some(text) = &globals.addr {
        return at(text, globals);
    }
    let project = Project::find(globals.project.as_deref())?;
    let state = match running(&project)? {
        Some(state) => state,
        None if command.attach => return Err(not_running(&project)),
        None => start::ensure(&project, globals.timeout)?,
    };
    connect(project, state, globals)
}

/// Connects to the daemon of `project`, after starting it where needed.
pub fn started(project: Project, globals: &Globals) -> Result<Daemon> {
    let state = start::ensure(&project, globals.timeout)?;
    connect(project, state, globals)
}

/// The state of the daemon of `project`, when it lives.
pub fn running(project: &Project) -> Result<Option<State>> {
    let state = State::read(&project.state)?;
    Ok(state.filter(|state| state.is_alive(project)))
}

/// The failure of a command that starts no daemon.
pub fn not_running(project: &Project) -> Failure {
    let root = project.root.display().to_string();
    let message = format!("no daemon runs for `{root}`");
    Failure::with(Reason::DaemonNotRunning, message, [("project", root)])
}

/// The daemon at the address that the caller named. The state file gives the
/// token when it is the same daemon.
fn at(text: &str, globals: &Globals) -> Result<Daemon> {
    let address = Address::parse(text)?;
    let token = globals.token.clone().or_else(|| {
        let project = Project::find(globals.project.as_deref()).ok()?;
        let state = State::read(&project.state).ok()??;
        address.is(state.address).then_some(state.token)
    });
    let socket = address.connect().map_err(|error| address.unreachable(&error))?;
    Ok(Daemon { socket, address, token, pin: None, ours: None })
}

fn connect(project: Project, mut state: State, globals: &Globals) -> Result<Daemon> {
    let begin = Instant::now();
    loop {
        let address = Address::Tcp(state.address.to_string());
        let error = match address.connect() {
            Ok(socket) => {
                let token = globals.token.clone().or_else(|| Some(state.token.clone()));
                let ours = Some((project, state));
                return Ok(Daemon { socket, address, token, pin: None, ours });
            }
            Err(error) => error,
        };
        // It may be about to end, or be another one by now.
        match running(&project)? {
            Some(other) => state = other,
            None => state = start::ensure(&project, globals.timeout)?,
        }
        if begin.elapsed() > PATIENCE {
            return Err(address.unreachable(&error));
        }
        thread::sleep(Duration::from_millis(20));
    }
}
