//! Diagnostics: the protocol of the browser itself, and traces.

mod allowed_methods;
mod cdp;
mod trace;

pub use cdp::cdp;
pub use trace::{start_trace, stop_trace};
