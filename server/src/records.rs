//! What is remembered of the calls.

mod activity;
mod target;

pub use activity::{Activity, Entry};
