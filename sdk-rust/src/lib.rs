//! Drives the browser of a `browsed` daemon: every command as a method with
//! typed arguments and a typed result.
//!
//! It blocks, and depends on the standard library alone: a skill that vendors it
//! builds in seconds, without a registry, and starts in a millisecond. Work in
//! parallel is threads, each with a clone of the client.
//!
//! ```no_run
//! use browse_sdk::{SnapshotRequest, connect};
//!
//! # fn main() -> browse_sdk::Result<()> {
//! let browse = connect()?;
//! let page = browse.goto("https://example.com")?;
//! println!("{} {}", page.url, page.title);
//! let request = SnapshotRequest { interactive: true, ..Default::default() };
//! println!("{}", browse.snapshot_with(request)?.tree);
//! # Ok(())
//! # }
//! ```
//!
//! [`connect`] finds the daemon through `BROWSE_ADDR` and `BROWSE_TOKEN` or
//! `BROWSE_SKILL_TOKEN`, else through the state file of the project that the working
//! directory belongs to; with the feature `remote`, `BROWSE_REMOTE` names a remote.
//! [`skill`] is the `main` of a skill.

mod json;

mod base64;

mod error;

#[macro_use]
mod message;

mod value;

mod any;

mod http;

mod project;

mod discovery;

mod names;

mod output_names;

mod output_rule;

// The command line uses all of it.
#[allow(dead_code)]
mod output_place;

// The command line uses all of it.
#[allow(dead_code)]
mod output;

mod sha256;

// Without the feature `remote` a part of it has no user.
#[allow(dead_code)]
mod client;

mod environment;

#[rustfmt::skip]
mod messages;

mod save;

#[rustfmt::skip]
mod commands;

mod skill;

#[cfg(feature = "remote")]
mod remote;

pub use any::Any;
pub use client::{Browse, Stream};
pub use commands::*;
// That of `remote` takes its place.
#[allow(unused_imports)]
pub use environment::*;
pub use error::{Error, Result};
pub use json::Json;
pub use message::{Message, Request};
pub use messages::*;
#[cfg(feature = "remote")]
pub use remote::{connect, redeem, remote};
pub use save::{Failed, Saved, SavedFolder};
pub use skill::{Arguments, skill};
