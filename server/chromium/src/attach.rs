//! A browser that runs already, which a person or another program has started.
//!
//! [`run_bridge`] is a process of its own that holds the one WebSocket to that browser.
//! It looks to the daemon like the pipe of a browser that has only the tabs which the
//! daemon opened there or was given, and closes the opened ones when the daemon ends.

pub(crate) mod address;
pub(crate) mod bridge;
pub(crate) mod connect;
pub(crate) mod endpoint;
pub(crate) mod web_socket;
