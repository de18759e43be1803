//! What is remembered of the calls.

mod activity;
mod call_counters;
mod request_target;
mod security_log;
mod telemetry;

pub use activity::{ActivityLog, CallFacts, ClientActivity, PendingActivity};
pub use call_counters::{CallCounters, CommandCounts, DURATION_BUCKETS};
pub use security_log::{SecurityLog, SecurityLogRow, SecuritySurface};
pub use telemetry::{Telemetry, TelemetryEvent};
