//! Passes on the console lines of a page, and switches its console off while it
//! floods it.

use std::sync::Arc;
use std::time::Instant;

use serde::de::IgnoredAny;
use serde_json::json;

use super::event::Event;
use super::page::Page;
use crate::capture::console::ConsoleEntry;
use crate::capture::console_throttle::{MAX_LINES_PER_WINDOW, THROTTLE_WINDOW, ThrottleDecision};
use crate::connection::params::NoParams;
use crate::connection::session::CdpSession;
use crate::error::Result;

/// Puts a line into the sink, unless it comes a second time.
pub(crate) fn report_entry(page: &Page, entry: ConsoleEntry) {
    if page.console_throttle.lock().is_new(entry.time) {
        page.shared.sink.event(Event::Console(page.target_id().clone(), entry));
    }
}

/// Whether a line may be decoded at all.
pub(crate) fn admit(page: &Arc<Page>, session: &CdpSession) -> bool {
    let (verdict, is_release_due) = {
        let mut valve = page.console_throttle.lock();
        let is_release_due = valve.is_release_due();
        (valve.count(Instant::now()), is_release_due)
    };
    if is_release_due {
        // What a page logs is kept alive for us, and would be for ever.
        session.send("Runtime.releaseObjectGroup", &json!({ "objectGroup": "console" }));
    }
    if verdict == ThrottleDecision::Disable {
        disable_console(page, session);
    }
    verdict == ThrottleDecision::Keep
}

fn disable_console(page: &Arc<Page>, session: &CdpSession) {
    session.send("Runtime.disable", &NoParams);
    let entry = ConsoleEntry {
        kind: "dropped".to_owned(),
        text: format!(
            "the page logs more than {MAX_LINES_PER_WINDOW} lines a second; some are not kept"
        ),
        location: None,
        time: page.console_throttle.lock().last_time(),
    };
    page.shared.sink.event(Event::Console(page.target_id().clone(), entry));
    let (page, session) = (Arc::downgrade(page), session.clone());
    tokio::spawn(async move {
        tokio::time::sleep(THROTTLE_WINDOW).await;
        let Some(reopened) = page.upgrade() else {
            return;
        };
        let replay = reopened.console_throttle.lock().reopen();
        session.call_then("Runtime.enable", &NoParams, move |_: Result<IgnoredAny>| {
            // All stored lines come before the answer.
            if let Some(page) = page.upgrade() {
                page.console_throttle.lock().end_replay(replay);
            }
        });
    });
}
