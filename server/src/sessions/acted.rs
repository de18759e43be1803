//! When actions of ours were in a tab: what a page begins because of them was
//! asked for.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

use crate::chromium::{LoaderId, Page};

/// When an action of ours last was in a tab.
#[derive(Debug, Default)]
pub struct Acted(Mutex<Times>);

#[derive(Clone, Debug, Default)]
struct Times {
    /// When it began.
    from: Option<Instant>,
    /// When it was last known to go on.
    last: Option<Instant>,
    /// The document that a navigation of ours leaves.
    leaves: Option<LoaderId>,
}

impl Acted {
    /// Notes that an action begins.
    pub fn begin(&self) {
        let now = Some(Instant::now());
        *self.lock() = Times { from: now, last: now, leaves: None };
    }

    /// Notes that the action goes on until now.
    pub fn go_on(&self) {
        let mut times = self.lock();
        if times.leaves.is_none() {
            times.last = Some(Instant::now());
        }
    }

    /// Notes that a navigation begins in `page`: what is sent in place of its
    /// document was asked for; what that document begins was not.
    pub fn begin_leaving(&self, page: &Page) {
        let leaves = Some(page.loader());
        *self.lock() = Times { from: Some(Instant::now()), last: None, leaves };
    }

    /// Takes over what was done in the tab that opened this one.
    pub fn take_over(&self, opener: &Self) {
        let times = opener.lock().clone();
        *self.lock() = Times { leaves: None, ..times };
    }

    /// Whether an action was in it within this time, or a navigation of `page`, its
    /// page, has not arrived yet.
    pub fn is_recent(&self, within: Duration, page: &Page) -> bool {
        let times = self.lock();
        let is_leaving = times.leaves.as_ref().is_some_and(|left| *left == page.loader());
        is_leaving || times.last.is_some_and(|last| last.elapsed() < within)
    }

    /// When the last action began that was no navigation.
    pub fn last_action(&self) -> Option<Instant> {
        let times = self.lock();
        times.from.filter(|_| times.leaves.is_none())
    }

    /// When the last action or navigation began.
    pub fn from(&self) -> Option<Instant> {
        self.lock().from
    }

    fn lock(&self) -> MutexGuard<'_, Times> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
