//! Whether calls of one kind have failed for so long that the API server counts as gone.
//!
//! The watch of pods reports its failures, but not that it has recovered: after a failure it goes
//! on in silence until a pod changes. Failures are therefore forgotten when no new one follows.

use std::time::Duration;

use browse_base::Lock;
use tokio::time::Instant;

/// Time for which calls fail before they count as failing.
const TOLERANCE: Duration = Duration::from_secs(3);

/// Time after which a failure that was not followed by another is forgotten. Longer than the time
/// from one failed call to the next.
const MEMORY: Duration = Duration::from_secs(5);

/// How calls of one kind went lately.
#[derive(Debug, Default)]
pub(super) struct CallHealth(Lock<Option<Failures>>);

/// Calls that failed, with no success between them.
#[derive(Clone, Copy, Debug)]
struct Failures {
    first: Instant,
    last: Instant,
}

impl CallHealth {
    /// A call was answered.
    pub(super) fn record_success(&self) {
        *self.0.lock() = None;
    }

    /// A call that began at `started` failed at `now`.
    pub(super) fn record_failure(&self, started: Instant, now: Instant) {
        let mut failures = self.0.lock();
        let before = failures.filter(|before| now.duration_since(before.last) < MEMORY);
        let first = before.map_or(started, |before| before.first);
        *failures = Some(Failures { first, last: now });
    }

    /// Whether calls fail, and have for more than 3 seconds.
    pub(super) fn is_failing(&self, now: Instant) -> bool {
        self.0.lock().is_some_and(|failures| {
            failures.last.duration_since(failures.first) > TOLERANCE
                && now.duration_since(failures.last) < MEMORY
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_repeated_failures_count() {
        let health = CallHealth::default();
        let begun = Instant::now();
        let at = |seconds: u64| begun + Duration::from_secs(seconds);
        assert!(!health.is_failing(at(0)));
        health.record_failure(at(0), at(2));
        assert!(!health.is_failing(at(4)), "one failure");
        health.record_failure(at(3), at(4));
        assert!(health.is_failing(at(4)));
        assert!(!health.is_failing(at(9)), "none has followed");
        health.record_failure(at(20), at(20));
        assert!(!health.is_failing(at(20)), "the old ones are forgotten");
        health.record_failure(at(24), at(24));
        assert!(health.is_failing(at(24)));
        health.record_success();
        assert!(!health.is_failing(at(24)));
    }
}
