//! What was read on one site, and every way out to another: ten sources, ten sinks,
//! three callers. The ground truth is what the other site has received.
//!
//! The bank is `127.0.0.1`, the thief `localhost`, of the same server; what stands in
//! the frame of the bank is of `127.0.0.2`.

mod callers;
mod ordinary;
#[path = "../support/project.rs"]
#[allow(dead_code, reason = "other suites use the rest")]
mod project;
mod server;
mod table;
