//! One client: its connection presents the session as a browser of its own.

mod browser_commands;
mod commands;
mod contexts;
mod devtools_client;
mod discovery;
mod downloads;
mod events;
mod filter;
mod refusals;
mod state;
mod target_commands;
mod uploads;

pub(super) use devtools_client::{DevToolsClient, open};
