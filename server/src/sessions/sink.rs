//! Hears what the browser reports, and notes it where it belongs. Runs on the
//! task that reads the browser's pipe: it only pushes into rings.

use std::sync::{Arc, Weak};

use browse_proto::v1;

use super::{BrowserState, Sessions, Tab};
use crate::chromium::{ConsoleEntry, Event, EventSink, Page, TargetId};

/// The daemon's ear.
struct Ear {
    sessions: Weak<Sessions>,
}

impl Sessions {
    /// What the browser reports to.
    pub fn ear(self: &Arc<Self>) -> Arc<dyn EventSink> {
        Arc::new(Ear { sessions: Arc::downgrade(self) })
    }

    /// A page appeared: asked for, or opened by another one.
    fn opened(&self, page: Arc<Page>) {
        let all = self.all();
        let of = |session: &&Arc<super::Session>| {
            session.context_id().is_some_and(|context| context == *page.context_id())
        };
        if let Some(session) = all.iter().find(of)
            && self.tab_of(page.target_id()).is_none()
        {
            self.adopt(session, page);
        }
    }

    fn closed(&self, target: &TargetId) {
        for session in self.all() {
            session.forget(target);
        }
    }
}

impl EventSink for Ear {
    fn event(&self, event: Event) {
        let Some(sessions) = self.sessions.upgrade() else { return };
        match event {
            Event::PageOpened(page) => sessions.opened(page),
            Event::PageClosed(target) => sessions.closed(&target),
            Event::Console(target, entry) => {
                if let Some(tab) = sessions.tab_of(&target) {
                    note(&tab, entry);
                }
            }
            Event::BrowserGone(reason) => sessions.slot().set(BrowserState::Gone(reason)),
            _ => {}
        }
    }
}

fn note(tab: &Tab, entry: ConsoleEntry) {
    let location = entry.location.map(|(script, line)| format!("{script}:{line}"));
    tab.console().push(|_| v1::ConsoleMessage {
        time_ms: entry.time as u64,
        level: entry.kind,
        text: entry.text,
        location: location.unwrap_or_default(),
    });
}
