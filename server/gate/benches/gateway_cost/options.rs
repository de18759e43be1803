//! What a run measures, and how large it is.

use std::{path::PathBuf, time::Duration};

use super::failure::{Failure, Outcome};

/// The help.
pub const USAGE: &str = "gateway_cost [--quick] [--no-pin] [--gate FILE] [--browsed FILE] [--json FILE]\n\n\
    Measures what the gateway of a fleet costs: time of a call beside the same call without it, calls\n\
    a second on one core, memory, and the time to open a session. The gateway is a process of its own;\n\
    the API server and the pods are played by this program.\n\n\
    --quick         a small run of some seconds, whose figures mean nothing\n\
    --no-pin        does not keep the gateway on one core and this program on the others\n\
    --gate FILE     the program browse-gate; the one built with this program without it\n\
    --browsed FILE  also measures a real pod, `FILE --pod`, with its browser\n\
    --json FILE     writes the figures there\n";

/// What was asked for.
#[derive(Clone, Debug)]
pub struct Options {
    /// The program `browse-gate`.
    pub gate: PathBuf,
    /// The program `browsed`, to measure a real pod as well.
    pub browsed: Option<PathBuf>,
    /// The file for the figures.
    pub json: Option<PathBuf>,
    /// How large the run is.
    pub size: Size,
    /// Whether the gateway gets a core of its own.
    pub pins: bool,
}

/// How large a run is.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// Pairs of calls, one direct and one through the gateway, for each command and protocol.
    pub pairs: usize,
    /// Pods that get sessions by calls.
    pub pods: usize,
    /// Sessions in a pod.
    pub sessions_per_pod: usize,
    /// Sessions that the gateway knows at the end.
    pub routes: usize,
    /// Pods that get sessions by calls when the gateway knows all of those.
    pub late_pods: usize,
    /// Connections at a time, one call on each.
    pub connections: &'static [usize],
    /// Time of one load.
    pub load_time: Duration,
    /// Time for which the gateway is watched without calls; none to leave that out.
    pub idle_time: Option<Duration>,
    /// Rounds of commands in the sessions of a real pod.
    pub rounds: usize,
}

/// What the arguments ask for.
pub enum Request {
    /// The help.
    Help,
    /// A run.
    Run(Options),
}

impl Size {
    /// The size of a measurement.
    pub const FULL: Self = Self {
        pairs: 3000,
        pods: 100,
        sessions_per_pod: 10,
        routes: 10_000,
        late_pods: 50,
        connections: &[16, 64],
        load_time: Duration::from_secs(10),
        idle_time: Some(Duration::from_secs(30)),
        rounds: 20,
    };

    /// The size of a test.
    pub const QUICK: Self = Self {
        pairs: 10,
        pods: 2,
        sessions_per_pod: 3,
        routes: 30,
        late_pods: 1,
        connections: &[2],
        load_time: Duration::from_millis(200),
        idle_time: None,
        rounds: 1,
    };

    /// Pods with a tenant at the end.
    pub fn all_pods(&self) -> usize {
        self.routes.div_ceil(self.sessions_per_pod) + self.late_pods
    }
}

impl Options {
    /// A run of this size with the program `gate`.
    pub fn new(gate: PathBuf, size: Size) -> Self {
        Self { gate, browsed: None, json: None, size, pins: false }
    }
}

impl Request {
    /// Reads the arguments. `gate` is the program for a run that names none.
    ///
    /// # Errors
    /// An argument is unknown, or its value is missing.
    pub fn read(args: impl IntoIterator<Item = String>, gate: PathBuf) -> Outcome<Self> {
        let mut options = Options { pins: true, ..Options::new(gate, Size::FULL) };
        let mut args = args.into_iter();
        while let Some(arg) = args.next() {
            let mut path = || {
                let value = args.next().filter(|value| !value.starts_with("--"));
                value.map(PathBuf::from).ok_or_else(|| {
                    Failure::new(format!("`{arg}` needs a file"), "Run it with `--help`")
                })
            };
            match arg.as_str() {
                "--help" | "-h" => return Ok(Self::Help),
                // `cargo bench` adds it.
                "--bench" => {}
                "--quick" => (options.size, options.pins) = (Size::QUICK, false),
                "--no-pin" => options.pins = false,
                "--gate" => options.gate = path()?,
                "--browsed" => options.browsed = Some(path()?),
                "--json" => options.json = Some(path()?),
                _ => {
                    let message = format!("unknown argument `{arg}`");
                    return Err(Failure::new(message, "Run it with `--help`"));
                }
            }
        }
        Ok(Self::Run(options))
    }
}
