//! When a session was used last. A call that acts in it uses it until the call ends.

use std::{sync::Arc, time::Duration};

use browse_base::Lock;
use tokio::time::Instant;

/// The uses of a session.
pub(super) struct SessionUseTracker(Arc<Lock<UseState>>);

struct UseState {
    /// Calls that act in it now.
    running: usize,
    last: Instant,
}

/// A use of a session, until it is dropped.
pub struct SessionUseGuard(Arc<Lock<UseState>>);

impl Default for SessionUseTracker {
    fn default() -> Self {
        Self(Arc::new(Lock::new(UseState { running: 0, last: Instant::now() })))
    }
}

impl SessionUseTracker {
    /// Notes a use that is over at once.
    pub fn mark(&self) {
        self.0.lock().last = Instant::now();
    }

    /// Begins a use.
    pub fn begin(&self) -> SessionUseGuard {
        self.0.lock().running += 1;
        SessionUseGuard(Arc::clone(&self.0))
    }

    /// Time since the last use; none while there is one.
    pub fn idle_time(&self) -> Duration {
        let state = self.0.lock();
        match state.running {
            0 => state.last.elapsed(),
            _ => Duration::ZERO,
        }
    }
}

impl Drop for SessionUseGuard {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.running -= 1;
        state.last = Instant::now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_idle_from_the_end_of_its_last_use() {
        let uses = SessionUseTracker::default();
        let long = Duration::from_secs(60);
        let age = || {
            let long_ago = Instant::now().checked_sub(long).expect("it runs longer");
            uses.0.lock().last = long_ago;
        };
        age();
        assert!(uses.idle_time() >= long);
        let (first, second) = (uses.begin(), uses.begin());
        drop(first);
        age();
        assert!(uses.idle_time().is_zero(), "another call goes on");
        drop(second);
        assert!(uses.idle_time() < long);
        age();
        uses.mark();
        assert!(uses.idle_time() < long);
    }
}
