//! The daemon of browse. The modules stand in the order in which a call meets
//! them.

pub mod policy;

pub mod content;
pub mod error;

pub mod skills;

pub mod engine;

pub mod chromium;
pub mod guardian;
