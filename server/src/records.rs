//! What is remembered of the calls.

mod activity;
mod request_target;
mod security_log;
mod telemetry;

pub use request_target::without_query;

pub use activity::{ActivityLog, PendingActivity};
pub use security_log::{SecurityLog, SecurityLogRow, SecuritySurface, record_attempt};
pub use telemetry::{Telemetry, TelemetryEvent};
