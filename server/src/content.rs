//! The one chokepoint for page-derived content.
//!
//! Everything that a page chose passes here before it leaves the daemon: the
//! fields that the contract marks, and page text in errors.

mod guard;
mod scanner;
mod sources;

pub use browse_guard::{Judgement, Rule, Scores, Surface, Verdict, clean};
pub use guard::{Delivery, envelope, guard, nonce};
pub use scanner::{Assessment, Digest, INLINE, Scanner, ScannerStatus, Switch, scan};
pub use sources::Sources;
