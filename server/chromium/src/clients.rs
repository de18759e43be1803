//! Clients of the protocol beside the daemon: programs that drive the tabs of one context
//! over sessions of their own, on the one pipe.

pub(crate) mod events;
pub(crate) mod held_targets;
pub(crate) mod table;
