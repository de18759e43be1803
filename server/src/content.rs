//! The one chokepoint for page-derived content.
//!
//! Everything that a page chose passes here before it leaves the daemon: the
//! fields that the contract marks, and page text in errors.

mod findings;
mod guard;
mod sources;
mod watch;

pub use browse_guard::clean;
pub use findings::Findings;
pub use guard::{Delivery, Guarded, Handling, envelope, guard, nonce};
pub use sources::Sources;
pub use watch::{Layers, Watch};
