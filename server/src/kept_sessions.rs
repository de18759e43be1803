//! Sessions that last: what they hold is written to the home of browse, sealed as states are,
//! and a later daemon opens them with it.
//!
//! One daemon at a time has a session that is kept. The projects that keep it are listed beside
//! its file in the home of browse, and not in the project: a project that was cloned must not
//! name a session whose cookies it would get.

mod close;
mod keep;
mod save;
mod session_lock;
mod table;

pub use close::KeptEnd;
pub use save::SaveOutcome;
pub use table::{KeptListing, KeptSessions, KeptSessionsParts, KeptState};

#[cfg(test)]
mod tests;
