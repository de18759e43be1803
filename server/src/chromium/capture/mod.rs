//! What pages do unasked: events for whoever keeps records.

pub(crate) mod console;
pub(crate) mod event;
pub(crate) mod screenshot;
pub(crate) mod body;
