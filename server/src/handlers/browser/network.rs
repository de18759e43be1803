//! Network: what the daemon fetches itself, and what a tab's requests meet.

mod approve;
mod fetch;
mod har;
mod route;

pub use approve::approve;
pub(crate) use fetch::fetch_document;
pub use fetch::{fetch, fetch_send};
pub use har::{start_har, stop_har};
pub use route::{list_routes, route, unroute};
