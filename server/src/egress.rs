//! What is known of text that may leave the site that it was read on.
//!
//! What a model reads is remembered as hashes, a reader at a time, off the
//! calls: an answer only hands over its text. `dispatch::egress` looks at an act that
//! sends something before its handler runs, by the rules of `browse_guard::egress`.
//! Skills get raw data and are not readers; their hosts limit them. Canaries
//! hold for everybody, whatever is switched off.

mod client_taint;
mod mode;
mod outgoing;
mod recent_actions;
mod state;

pub use client_taint::{ClientTaint, TaintItem};
pub use mode::EgressMode;
pub use outgoing::Outgoing;
pub use recent_actions::{RecentAction, RecentActions};
pub use state::Egress;
