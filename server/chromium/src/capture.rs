//! What pages do unasked: events for whoever keeps records.

pub(crate) mod action_requests;
pub(crate) mod body;
pub(crate) mod console;
pub(crate) mod console_throttle;
pub(crate) mod downloads;
pub(crate) mod har;
pub(crate) mod network;
