//! Sessions of a pod whose state lies in an object store, so that another pod can restore them.
//!
//! The store decides who may write: each object carries an epoch that rises with every write, and
//! each write names the version that it replaces. A pod whose write is refused has lost the session
//! to another one, and closes it. A pod that cannot reach the store refuses calls of its sessions
//! once the last write or check is older than the time for which it holds them.

mod close;
mod object;
mod open;
mod save;
mod store;
mod table;

pub use open::RestoredSession;
pub use store::StateObjects;
pub use table::{FleetSessions, FleetSessionsParts};

#[cfg(test)]
mod tests;
