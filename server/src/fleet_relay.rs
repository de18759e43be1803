//! Skills that this daemon runs and that drive the browser of a fleet. The calls of such a skill
//! come in as those of any other, by its own token; then they go on to the gateway, with the token
//! of the sign-in, which the skill never has.

mod fleet_runs;

mod open_run;

mod fleet_run;

mod relayed_answer;

pub use fleet_run::{FleetRun, FleetRunParts, RunSession};
pub use fleet_runs::{FleetRuns, RegisteredRun};
pub use open_run::OpenFleetRun;
