//! The daemon as a whole: as a process, and in memory with a real browser.
#![allow(clippy::unwrap_used)]

#[path = "../support/mod.rs"]
mod support;

mod process;
mod world;

mod arrivals;
mod attacks;
mod deaths;
mod denied;
mod devtools;
mod diagnostics;
mod dialogs;
mod fetching;
mod keeping;
mod library;
mod limits;
mod models;
mod ownership;
mod pairing;
mod records;
mod remote_host;
mod restarts;
mod routing;
mod starts;
mod state;
mod steps;
mod wire;
