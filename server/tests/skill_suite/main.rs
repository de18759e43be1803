//! Skills, run by a real daemon.
#![allow(clippy::unwrap_used)]

#[path = "../support/processes.rs"]
#[expect(dead_code, reason = "this suite wants one of them")]
mod processes;
#[path = "../support/site.rs"]
#[allow(dead_code)]
mod site;

mod daemon;
mod shelf;

mod ends;
#[cfg(target_os = "linux")]
mod escapes;
mod faults;
mod hosts;
mod lifecycle;
mod listing;
#[cfg(target_os = "linux")]
mod memory;
mod output;
mod rights;
mod runtimes;
mod trials;
mod trust;
