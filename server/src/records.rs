//! What is remembered of the calls.

mod activity;
mod secret;
mod target;

pub use secret::is_secret_header;
pub use target::without_query;

pub use activity::{Activity, Entry};
