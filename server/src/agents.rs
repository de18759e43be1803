//! Agent programs on this machine: each has a session and a token of its own.
//!
//! A handle names the session whatever connection or program shows it. It is a bearer
//! secret: the daemon keeps its hash alone, and no listing shows it.

mod handle;
mod table;

pub use handle::AgentHandle;
pub use table::{AgentSessions, AgentTerms, OpenedAgent};
