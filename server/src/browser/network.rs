//! Network: what the daemon fetches itself, and what a tab's requests meet.

mod approve;
mod fetch;

pub use approve::approve;
pub use fetch::{fetch, fetch_send};
