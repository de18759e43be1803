//! What keeps a page that floods its console from costing more than it should.
//!
//! With `Runtime.enable` a line costs the page 55 µs instead of 10, and us a
//! message each. Above a rate the domain is switched off for a moment. V8
//! keeps the last 1,000 lines of a page by itself and reports them when the
//! domain is switched on again; the ones we had before are identified by their time.
//! A loop that logs without ever yielding cannot be reached by the switch; its
//! lines beyond the rate are dropped here undecoded.

use std::time::{Duration, Instant};

/// Lines let through in one window.
pub(crate) const MAX_LINES_PER_WINDOW: u32 = 2000;
/// The window, and how long the domain stays off.
pub(crate) const THROTTLE_WINDOW: Duration = Duration::from_secs(1);

/// Lines after which the logged objects are let go.
const RELEASE_INTERVAL_LINES: u32 = 500;

/// The valve of one page.
#[derive(Debug)]
pub(crate) struct ConsoleThrottle {
    window_start: Instant,
    window_lines: u32,
    total_lines: u32,
    is_disabled: bool,
    is_replaying: bool,
    /// How often it was opened again.
    replays: u32,
    last_time: f64,
}

impl Default for ConsoleThrottle {
    fn default() -> Self {
        Self {
            window_start: Instant::now(),
            window_lines: 0,
            total_lines: 0,
            is_disabled: false,
            is_replaying: false,
            replays: 0,
            last_time: 0.0,
        }
    }
}

/// What to do with a line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ThrottleDecision {
    /// Take it.
    Keep,
    /// Drop it, and switch the domain off.
    Disable,
    /// Drop it.
    Drop,
}

impl ConsoleThrottle {
    /// Counts a line that came at `now`.
    pub(crate) fn count(&mut self, now: Instant) -> ThrottleDecision {
        if self.is_disabled {
            return ThrottleDecision::Drop;
        }
        if now.duration_since(self.window_start) > THROTTLE_WINDOW {
            self.window_start = now;
            self.window_lines = 0;
        }
        self.window_lines += 1;
        if self.window_lines <= MAX_LINES_PER_WINDOW {
            return ThrottleDecision::Keep;
        }
        self.is_disabled = true;
        ThrottleDecision::Disable
    }

    /// Whether a line is new, not one that is reported a second time.
    pub(crate) fn is_new(&mut self, time: f64) -> bool {
        let new = !self.is_replaying || time > self.last_time;
        self.last_time = self.last_time.max(time);
        new
    }

    /// Counts a line for the objects that it logs; whether those are to be let go now.
    pub(crate) fn is_release_due(&mut self) -> bool {
        self.total_lines = self.total_lines.wrapping_add(1);
        self.total_lines.is_multiple_of(RELEASE_INTERVAL_LINES)
    }

    /// Time of the latest line.
    pub(crate) fn last_time(&self) -> f64 {
        self.last_time
    }

    /// The lines that Chromium stored have all been reported again, for the time that
    /// [`ConsoleThrottle::reopen`] numbered so. On a slow machine the next replay may have begun.
    pub(crate) fn end_replay(&mut self, replay: u32) {
        if replay == self.replays {
            self.is_replaying = false;
        }
    }

    /// The domain is switched on again: what was stored meanwhile is replayed. Numbers the
    /// replay.
    pub(crate) fn reopen(&mut self) -> u32 {
        self.replays = self.replays.wrapping_add(1);
        self.is_disabled = false;
        self.is_replaying = true;
        self.window_start = Instant::now();
        self.window_lines = 0;
        self.replays
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_closes_the_valve_once_and_a_trickle_never() {
        let mut valve = ConsoleThrottle::default();
        let start = Instant::now();
        for second in 0..5 {
            for _ in 0..MAX_LINES_PER_WINDOW {
                assert_eq!(
                    valve.count(start + THROTTLE_WINDOW * second * 2),
                    ThrottleDecision::Keep
                );
            }
        }
        let late = start + THROTTLE_WINDOW * 8;
        assert_eq!(valve.count(late), ThrottleDecision::Disable);
        assert_eq!(valve.count(late + THROTTLE_WINDOW * 2), ThrottleDecision::Drop);
        valve.reopen();
        assert_eq!(valve.count(Instant::now()), ThrottleDecision::Keep);
    }

    #[test]
    fn replayed_lines_are_known() {
        let mut valve = ConsoleThrottle::default();
        assert!(valve.is_new(1.0) && valve.is_new(3.0) && valve.is_new(2.0));
        valve.reopen();
        assert!(!valve.is_new(2.0) && !valve.is_new(3.0) && valve.is_new(4.0));
    }

    #[test]
    fn the_end_of_an_earlier_replay_is_not_that_of_the_current_one() {
        let mut valve = ConsoleThrottle::default();
        assert!(valve.is_new(3.0));
        let first = valve.reopen();
        let second = valve.reopen();
        valve.end_replay(first);
        assert!(!valve.is_new(2.0), "it is reported a second time");
        valve.end_replay(second);
        assert!(valve.is_new(2.0));
    }
}
