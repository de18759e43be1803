//! What pages do unasked: events for whoever keeps records.

pub(crate) mod console;
pub(crate) mod event;
