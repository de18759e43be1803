//! One tab: its frames, its documents, its navigations.

pub(crate) mod contexts;
pub(crate) mod dialogs;
pub(crate) mod document_snapshot;
pub(crate) mod events;
pub(crate) mod fetch;
pub(crate) mod frames;
pub(crate) mod liveness;
pub(crate) mod memory;
pub(crate) mod navigate;
#[expect(clippy::module_inception, reason = "the module's main type has the module's name")]
pub(crate) mod page;
pub(crate) mod pending_navigation;
pub(crate) mod print;
pub(crate) mod process;
pub(crate) mod protocol;
pub(crate) mod raw;
pub(crate) mod render_count;
pub(crate) mod response;
pub(crate) mod routes;
pub(crate) mod screencast;
pub(crate) mod screenshot;
pub(crate) mod setup;
pub(crate) mod slot_lookup;
pub(crate) mod state;
pub(crate) mod styles;
mod styles_wire;
mod swap_retry;
pub(crate) mod title;
pub(crate) mod wait;
pub(crate) mod workers;
