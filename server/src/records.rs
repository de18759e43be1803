//! What is remembered of the calls.

mod activity;
mod attempts;
mod target;

pub use target::without_query;

pub use activity::{Activity, Entry};
pub use attempts::{Attempts, Row, Surface, attempt};
