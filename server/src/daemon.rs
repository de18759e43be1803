//! The state of a running daemon, which calls share.

mod attach;
mod browser_options;
mod instance;

pub use attach::{attach_default_session, attach_session};
pub use browser_options::browser_options;
pub use instance::{Daemon, DaemonParts, InFlightCall, ServiceFactory, ShutdownReason};
