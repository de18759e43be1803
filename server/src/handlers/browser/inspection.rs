//! Inspection: what the page is made of and what it did.

mod console;
mod dialog;
mod element;
mod expect;
mod highlight;
mod network;
mod perf;
mod picture;
mod script;
mod snapshot;

pub use console::{clear_console, console};
pub use dialog::{clear_dialog, dialog};
pub use element::{attrs, get, is};
pub use expect::expect;
pub use highlight::highlight;
pub use network::{clear_network, network, show_body, show_request};
pub use perf::perf;
pub use picture::{annotate_snapshot, heat_snapshot};
pub use script::{eval, js};
pub use snapshot::snapshot;

use crate::dispatch::CallContext;

/// Notes that the answer is about the current page, where there is more.
fn note_earlier(cx: &CallContext, earlier: u64, what: &str) {
    if earlier > 0 {
        cx.add_notice(&format!(
            "of the current page; {earlier} {what} of earlier pages with `--all`"
        ));
    }
}
