//! The one chokepoint for page-derived content.
//!
//! Everything that a page chose passes here before it leaves the daemon: the
//! fields that the contract marks, and page text in errors.

mod guard;
mod sources;

pub use browse_guard::clean;
pub use guard::{Delivery, envelope, guard, nonce};
pub use sources::Sources;
