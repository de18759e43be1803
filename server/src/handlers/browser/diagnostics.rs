//! Diagnostics: the protocol of the browser itself, and traces.

mod allowed_methods;
mod cdp;
mod step_trace;
mod trace;

pub use cdp::cdp;
pub use step_trace::{
    list_traces, read_visible_trace, remove_trace, save_trace, show_step, show_trace,
    start_step_trace, stop_step_trace, trace_picture,
};
pub use trace::{start_trace, stop_trace};
