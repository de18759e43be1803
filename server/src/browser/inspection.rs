//! Inspection: what the page is made of and what it did.

mod console;
mod dialog;
mod element;
mod expect;
mod network;
mod perf;
mod script;
mod snapshot;

pub use console::{clear_console, console};
pub use dialog::{clear_dialog, dialog};
pub use element::{attrs, get, is, rectangle};
pub use expect::expect;
pub use network::{clear_network, network, show_body, show_request};
pub use perf::perf;
pub use script::{eval, js};
pub use snapshot::snapshot;
