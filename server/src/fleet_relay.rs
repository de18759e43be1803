//! Skills that this daemon runs and that drive the browser of a fleet. The calls of such a skill
//! come in as those of any other, by its own token; then they go on to the gateway, with the token
//! of the sign-in, which the skill never has.

mod fleet_runs;

mod fleet_run;

mod relayed_answer;

mod gateway_client;

mod gateway_connection;
mod sign_in;

mod fleet_remote;

pub use fleet_run::{FleetRun, FleetRunParts, RunSession};
pub use fleet_runs::{FleetRuns, RegisteredRun};
pub use sign_in::FleetSignIn;
