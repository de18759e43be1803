//! Diagnostics: the protocol of the browser itself, and traces.

mod cdp;
mod methods;
mod trace;

pub use cdp::cdp;
pub use trace::{start_trace, stop_trace};
