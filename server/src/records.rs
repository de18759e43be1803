//! What is remembered of the calls.

mod activity;
mod attempts;
mod target;
mod telemetry;

pub use target::without_query;

pub use activity::{Activity, Entry};
pub use attempts::{Attempts, Row, Surface, attempt};
pub use telemetry::{Happening, Telemetry};
