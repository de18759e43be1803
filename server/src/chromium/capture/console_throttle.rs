//! What keeps a page that floods its console from costing more than it should.
//!
//! With `Runtime.enable` a line costs the page 55 µs instead of 10, and us a
//! message each. Above a rate the domain is switched off for a moment. V8
//! keeps the last 1,000 lines of a page by itself and reports them when the
//! domain is switched on again; the ones we had before are told by their time.
//! A loop that logs without ever yielding cannot be reached by the switch; its
//! lines beyond the rate are dropped here undecoded.

use std::sync::Arc;
use std::time::{Duration, Instant};

use chromiumoxide_cdp::cdp::js_protocol::runtime;
use serde::de::IgnoredAny;

use super::console::ConsoleEntry;
use super::event::Event;
use crate::chromium::connection::params::NoParams;
use crate::chromium::connection::session::CdpSession;
use crate::chromium::error::Result;
use crate::chromium::page::page::Page;

/// Lines let through in one window.
const MAX_LINES_PER_WINDOW: u32 = 2000;
/// The window, and how long the domain stays off.
const THROTTLE_WINDOW: Duration = Duration::from_secs(1);

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

    fn reopen(&mut self) {
        self.is_disabled = false;
        self.is_replaying = true;
        self.window_start = Instant::now();
        self.window_lines = 0;
    }
}

/// Puts a line into the sink, unless it comes a second time.
pub(crate) fn report_entry(page: &Page, entry: ConsoleEntry) {
    if page.console_throttle.lock().is_new(entry.time) {
        page.shared.sink.event(Event::Console(page.target_id().clone(), entry));
    }
}

/// Whether a line may be decoded at all.
pub(crate) fn admit(page: &Arc<Page>, session: &CdpSession) -> bool {
    let (verdict, lines) = {
        let mut valve = page.console_throttle.lock();
        valve.total_lines = valve.total_lines.wrapping_add(1);
        (valve.count(Instant::now()), valve.total_lines)
    };
    if lines % RELEASE_INTERVAL_LINES == 0 {
        // What a page logs is kept alive for us, and would be for ever.
        session.send(&runtime::ReleaseObjectGroupParams::new("console"));
    }
    if verdict == ThrottleDecision::Disable {
        disable_console(page, session);
    }
    verdict == ThrottleDecision::Keep
}

fn disable_console(page: &Arc<Page>, session: &CdpSession) {
    session.send(&runtime::DisableParams::default());
    let entry = ConsoleEntry {
        kind: "dropped".to_owned(),
        text: format!(
            "the page logs more than {MAX_LINES_PER_WINDOW} lines a second; some are not kept"
        ),
        location: None,
        time: page.console_throttle.lock().last_time,
    };
    page.shared.sink.event(Event::Console(page.target_id().clone(), entry));
    let (page, session) = (Arc::downgrade(page), session.clone());
    tokio::spawn(async move {
        tokio::time::sleep(THROTTLE_WINDOW).await;
        let Some(reopened) = page.upgrade() else {
            return;
        };
        reopened.console_throttle.lock().reopen();
        session.call_then("Runtime.enable", &NoParams, move |_: Result<IgnoredAny>| {
            // All stored lines come before the answer.
            if let Some(page) = page.upgrade() {
                page.console_throttle.lock().is_replaying = false;
            }
        });
    });
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
}
