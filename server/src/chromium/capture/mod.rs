//! What pages do unasked: events for whoever keeps records.

pub(crate) mod begun;
pub(crate) mod body;
pub(crate) mod console;
pub(crate) mod downloads;
pub(crate) mod event;
pub(crate) mod har;
pub(crate) mod network;
pub(crate) mod sheets;
pub(crate) mod valve;
