//! Records what the browser reports, and waits for it.

use std::sync::Arc;

use browse_chromium::{Event, EventSink};
use tokio::sync::watch;

/// Keeps every event.
#[derive(Clone)]
pub struct Recorder(Arc<watch::Sender<Vec<Event>>>);

impl Default for Recorder {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(Vec::new())))
    }
}

impl EventSink for Recorder {
    fn event(&self, event: Event) {
        self.0.send_modify(|events| events.push(event));
    }
}

impl Recorder {
    /// Waits for the first event that `pick` takes.
    pub async fn wait_for<T>(&self, mut pick: impl FnMut(&Event) -> Option<T>) -> T {
        let mut events = self.0.subscribe();
        loop {
            if let Some(found) = events.borrow_and_update().iter().find_map(&mut pick) {
                return found;
            }
            events.changed().await.unwrap();
        }
    }

    /// Waits until the events so far are as wanted.
    pub async fn wait_until(&self, mut wanted: impl FnMut(&[Event]) -> bool) {
        let mut events = self.0.subscribe();
        events.wait_for(|events| wanted(events)).await.unwrap();
    }

    /// All events so far that `pick` takes.
    pub fn all<T>(&self, pick: impl FnMut(&Event) -> Option<T>) -> Vec<T> {
        self.0.borrow().iter().filter_map(pick).collect()
    }
}
