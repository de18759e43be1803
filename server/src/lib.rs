//! The daemon of browse. The modules stand in the order in which a call meets
//! them.

pub mod policy;

pub mod daemon;
pub mod dispatch;
pub mod tunnel;

pub mod browser;
pub mod control;
pub mod notes;
pub mod pairing;
pub mod skills;
pub mod window;

pub mod outbound;
pub mod recording;
pub mod records;
pub mod sessions;

pub mod content;
pub mod egress;
pub mod error;
pub mod models;
pub mod secrets;

pub mod engine;

pub mod keychain;

pub mod chromium;
pub mod guardian;

#[cfg(test)]
mod testing;
