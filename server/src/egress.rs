//! What leaves the sites that it was read on.
//!
//! What a model reads is remembered as hashes, a reader at a time, off the
//! calls: an answer only hands over its text. An act that sends something is
//! looked at before its handler runs, by the rules of `browse_guard::egress`.
//! Skills get raw data and are no readers; their hosts limit them. Canaries
//! hold for everybody, whatever is switched off.

mod act;
mod check;
mod forms;
mod hops;
mod mode;
mod outgoing;
mod reader;
mod state;
mod verdict;

pub use check::{check, check_click};
pub use hops::{DocumentCheck, begin, check_hop, end};
pub use mode::Mode;
pub use outgoing::Outgoing;
pub use reader::{remember, remember_word};
pub use state::Egress;
