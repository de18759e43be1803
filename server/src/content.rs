//! The one chokepoint for page-derived content.
//!
//! Everything that a page chose passes here before it leaves the daemon: the
//! fields that the contract marks, and page text in errors.

mod address;
mod findings;
mod guard;
#[cfg(test)]
mod law;
mod scanner;
mod sources;
mod watch;

pub use browse_guard::{Judgement, Rule, Scores, Surface, Verdict, clean, line};
pub use findings::Findings;
pub use guard::{Delivery, Guarded, Handling, guard, nonce};
pub use scanner::{Assessment, Digest, INLINE, Scanner, ScannerStatus, Switch, scan};
pub use sources::Sources;
pub use watch::{Layers, Watch};
