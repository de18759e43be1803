//! What leaves the sites that it was read on.
//!
//! What a model reads is remembered as hashes, a reader at a time, off the
//! calls: an answer only hands over its text. An act that sends something is
//! looked at before its handler runs, by the rules of `browse_guard::egress`.
//! Skills get raw data and are no readers; their hosts limit them. Canaries
//! hold for everybody, whatever is switched off.

mod check;
mod client_taint;
mod document_check;
mod forms;
mod mode;
mod outbound_flow;
mod outgoing;
mod rule_outcome;
mod state;

pub use check::{check, check_click};
pub use client_taint::{record_response, record_value};
pub use document_check::{DocumentCheck, begin_action, check_redirect, finish_action};
pub use mode::EgressMode;
pub use outgoing::Outgoing;
pub use state::Egress;
