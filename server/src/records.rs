//! What is remembered of the calls.

mod activity;
mod target;

pub use target::without_query;

pub use activity::{Activity, Entry};
