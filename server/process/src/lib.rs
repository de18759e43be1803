//! The guardian: a small process that outlives a killed daemon and tidies up.
//!
//! The daemon starts `browsed --guardian` before anything that could be left
//! behind, and writes into its standard input what must not stay: processes
//! and paths, one a line. When that pipe ends, because the daemon stopped,
//! crashed or was killed, the guardian ends those processes, removes those
//! paths and exits.

mod handle;
mod ledger;
mod mark;
mod process;
pub mod processes;
mod sweep;
pub mod usage;

pub use handle::Guardian;
pub use mark::ProcessMark;
pub use process::{GUARDIAN_FLAG, run};
