//! What stands before an element while an action is under way.

use std::time::Duration;

use tokio::time::Instant;

/// How long a guard stands at most: when the daemon is gone, or its caller is, nobody
/// takes it away, and a person may be at the page.
const MAX_GUARD_LIFETIME: Duration = Duration::from_secs(60);

/// How long a guard stands at least. The events of an action whose time is nearly over are under way
/// already, and a busy page handles them later: without a guard they would reach what lies there by then.
const MIN_GUARD_LIFETIME: Duration = Duration::from_secs(5);

/// What stands before an element while an action is under way.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClickGuard {
    pub token: u64,
    /// When the action is over at the latest.
    pub until: Instant,
}

impl ClickGuard {
    /// For how long it stands: a page may take all that time for one event.
    pub fn lifetime_ms(self) -> u64 {
        let left = self.until.saturating_duration_since(Instant::now());
        let lifetime = left.clamp(MIN_GUARD_LIFETIME, MAX_GUARD_LIFETIME);
        u64::try_from(lifetime.as_millis()).unwrap_or(u64::MAX)
    }
}
