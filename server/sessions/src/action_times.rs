//! When actions of ours were in a tab: what a page begins because of them was
//! asked for.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

use browse_chromium::{LoaderId, Page};

/// When an action of ours last was in a tab.
#[derive(Debug, Default)]
pub struct ActionTimes(Mutex<ActionTimesState>);

#[derive(Clone, Debug, Default)]
struct ActionTimesState {
    /// When it began.
    began_at: Option<Instant>,
    /// When it was last known to go on.
    last_active: Option<Instant>,
    /// The document that a navigation of ours leaves.
    leaving_document: Option<LoaderId>,
}

impl ActionTimes {
    /// Notes that an action begins.
    pub fn begin(&self) {
        let now = Some(Instant::now());
        *self.lock() = ActionTimesState { began_at: now, last_active: now, leaving_document: None };
    }

    /// Notes that the action goes on until now.
    pub fn extend(&self) {
        let mut times = self.lock();
        if times.leaving_document.is_none() {
            times.last_active = Some(Instant::now());
        }
    }

    /// Notes that a navigation begins in `page`: what is sent in place of its
    /// document was asked for; what that document begins was not.
    pub fn begin_navigation(&self, page: &Page) {
        let leaves = Some(page.loader());
        *self.lock() = ActionTimesState {
            began_at: Some(Instant::now()),
            last_active: None,
            leaving_document: leaves,
        };
    }

    /// Takes over what was done in the tab that opened this one.
    pub fn inherit_from(&self, opener: &Self) {
        let times = opener.lock().clone();
        *self.lock() = ActionTimesState { leaving_document: None, ..times };
    }

    /// Whether an action was in it within this time, or a navigation of `page`, its
    /// page, has not arrived yet.
    pub fn is_recent(&self, within: Duration, page: &Page) -> bool {
        let times = self.lock();
        let is_leaving = times.leaving_document.as_ref().is_some_and(|left| *left == page.loader());
        is_leaving || times.last_active.is_some_and(|last| last.elapsed() < within)
    }

    /// When the last action began that was not a navigation.
    pub fn last_action(&self) -> Option<Instant> {
        let times = self.lock();
        times.began_at.filter(|_| times.leaving_document.is_none())
    }

    /// When the last action or navigation began.
    pub fn began_at(&self) -> Option<Instant> {
        self.lock().began_at
    }

    fn lock(&self) -> MutexGuard<'_, ActionTimesState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
