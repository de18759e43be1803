//! What the gateway of a fleet costs: `make bench-fleet`.
//!
//! The gateway is the program `browse-gate`, a process of its own, so that its processor time and
//! memory can be read. The API server and the pods are played in this process: the API server
//! writes at once, and the pods have no browser. Figures of docs/fleet.md come from here.

use std::{env, fs, path::PathBuf, process::ExitCode};

mod api_server;
mod api_store;
mod certificates;
mod client;
mod failure;
mod gate_process;
mod latency;
mod load;
mod openings;
pub mod options;
mod played_pods;
mod process;
mod real_pod;
mod report;
pub mod run;
mod stats;
mod world;

use failure::{During as _, Outcome};
use options::{Request, USAGE};

/// The gateway that is built with this program.
pub const GATE: &str = env!("CARGO_BIN_EXE_browse-gate");

fn main() -> ExitCode {
    match measure() {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::FAILURE
        }
    }
}

/// Does what the arguments ask for, and returns what is to be printed.
fn measure() -> Outcome<String> {
    let options = match Request::read(env::args().skip(1), PathBuf::from(GATE))? {
        Request::Help => return Ok(USAGE.to_owned()),
        Request::Run(options) => options,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let report = runtime.during("the runtime")?.block_on(run::run(&options))?;
    if let Some(path) = &options.json {
        let text = serde_json::to_string_pretty(&report).during("the figures")?;
        fs::write(path, text + "\n").during(path.display())?;
    }
    Ok(report.to_string())
}
