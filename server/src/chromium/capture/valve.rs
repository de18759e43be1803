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
use crate::chromium::connection::session::Session;
use crate::chromium::error::Result;
use crate::chromium::page::page::Page;

/// Lines let through in one window.
const LIMIT: u32 = 2000;
/// The window, and how long the domain stays off.
const WINDOW: Duration = Duration::from_secs(1);

/// Lines after which the logged objects are let go.
const RELEASE: u32 = 500;

/// The valve of one page.
#[derive(Debug)]
pub(crate) struct Valve {
    since: Instant,
    count: u32,
    lines: u32,
    closed: bool,
    replaying: bool,
    last: f64,
}

impl Default for Valve {
    fn default() -> Self {
        Self {
            since: Instant::now(),
            count: 0,
            lines: 0,
            closed: false,
            replaying: false,
            last: 0.0,
        }
    }
}

/// What to do with a line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Take it.
    Keep,
    /// Drop it, and switch the domain off.
    Close,
    /// Drop it.
    Drop,
}

impl Valve {
    /// Counts a line that came at `now`.
    pub(crate) fn count(&mut self, now: Instant) -> Verdict {
        if self.closed {
            return Verdict::Drop;
        }
        if now.duration_since(self.since) > WINDOW {
            self.since = now;
            self.count = 0;
        }
        self.count += 1;
        if self.count <= LIMIT {
            return Verdict::Keep;
        }
        self.closed = true;
        Verdict::Close
    }

    /// Whether a line is new, not one that is reported a second time.
    pub(crate) fn is_new(&mut self, time: f64) -> bool {
        let new = !self.replaying || time > self.last;
        self.last = self.last.max(time);
        new
    }

    fn open(&mut self) {
        self.closed = false;
        self.replaying = true;
        self.since = Instant::now();
        self.count = 0;
    }
}

/// Puts a line into the sink, unless it comes a second time.
pub(crate) fn deliver(page: &Page, entry: ConsoleEntry) {
    if page.valve.lock().is_new(entry.time) {
        page.shared.sink.event(Event::Console(page.target_id().clone(), entry));
    }
}

/// Whether a line may be decoded at all.
pub(crate) fn admit(page: &Arc<Page>, session: &Session) -> bool {
    let (verdict, lines) = {
        let mut valve = page.valve.lock();
        valve.lines = valve.lines.wrapping_add(1);
        (valve.count(Instant::now()), valve.lines)
    };
    if lines % RELEASE == 0 {
        // What a page logs is kept alive for us, and would be for ever.
        session.send(&runtime::ReleaseObjectGroupParams::new("console"));
    }
    if verdict == Verdict::Close {
        close(page, session);
    }
    verdict == Verdict::Keep
}

fn close(page: &Arc<Page>, session: &Session) {
    session.send(&runtime::DisableParams::default());
    let entry = ConsoleEntry {
        kind: "dropped".to_owned(),
        text: format!("the page logs more than {LIMIT} lines a second; some are not kept"),
        location: None,
        time: page.valve.lock().last,
    };
    page.shared.sink.event(Event::Console(page.target_id().clone(), entry));
    let (page, session) = (Arc::downgrade(page), session.clone());
    tokio::spawn(async move {
        tokio::time::sleep(WINDOW).await;
        let Some(reopened) = page.upgrade() else {
            return;
        };
        reopened.valve.lock().open();
        session.call_then("Runtime.enable", &NoParams, move |_: Result<IgnoredAny>| {
            // All stored lines come before the answer.
            if let Some(page) = page.upgrade() {
                page.valve.lock().replaying = false;
            }
        });
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_closes_the_valve_once_and_a_trickle_never() {
        let mut valve = Valve::default();
        let start = Instant::now();
        for second in 0..5 {
            for _ in 0..LIMIT {
                assert_eq!(valve.count(start + WINDOW * second * 2), Verdict::Keep);
            }
        }
        let late = start + WINDOW * 8;
        assert_eq!(valve.count(late), Verdict::Close);
        assert_eq!(valve.count(late + WINDOW * 2), Verdict::Drop);
        valve.open();
        assert_eq!(valve.count(Instant::now()), Verdict::Keep);
    }

    #[test]
    fn replayed_lines_are_known() {
        let mut valve = Valve::default();
        assert!(valve.is_new(1.0) && valve.is_new(3.0) && valve.is_new(2.0));
        valve.open();
        assert!(!valve.is_new(2.0) && !valve.is_new(3.0) && valve.is_new(4.0));
    }
}
