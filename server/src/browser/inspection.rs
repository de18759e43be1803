//! Inspection: what the page is made of and what it did.

mod console;
mod element;
mod network;
mod script;
mod snapshot;

pub use console::{clear_console, console};
pub use element::{attrs, get, is, rectangle};
pub use network::{clear_network, network, show_body, show_request};
pub use script::{eval, js};
pub use snapshot::snapshot;
