//! What the tabs of a context pretend to be.
//!
//! One state per browser context, and one function that says which messages
//! lead from one state to another. Tabs, frames of other processes and workers
//! get them when they attach, before they run, and again when the state
//! changes; nothing else in the daemon sends them.

pub(crate) mod brands;
pub(crate) mod identity;
pub(crate) mod messages;
pub(crate) mod state;
pub(crate) mod user_agent;
pub(crate) mod viewport;
