//! What is remembered of the calls.

mod activity;
mod request_target;
mod security_log;
mod telemetry;

pub use activity::{ActivityLog, CallFacts, ClientActivity, PendingActivity};
pub use security_log::{SecurityLog, SecurityLogRow, SecuritySurface};
pub use telemetry::{Telemetry, TelemetryEvent};
