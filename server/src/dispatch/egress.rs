//! Checks what a call sends before it is sent: the act itself, the forms of its page,
//! and the documents that it leads to.

mod check;
mod document_check;
mod forms;
mod outbound_flow;
mod record;
mod rule_outcome;

pub use check::{check, check_click};
pub use document_check::{DocumentCheck, begin_action, check_redirect, finish_action};
pub use record::{record_response, record_value};
