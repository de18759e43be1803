//! The place of the browser, which may be starting, or never come, or have ended.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use browse_proto::Reason;
use tokio::{
    sync::{Notify, watch},
    time::Instant,
};

use crate::{
    chromium::Browser,
    error::{Error, HINT, Result},
};

/// How it stands with the browser.
#[derive(Clone)]
pub enum BrowserState {
    /// It is being started.
    Starting,
    /// It runs.
    Running(Arc<Browser>),
    /// It could not be started, and why. Who asks later makes it be tried
    /// again: the cause may have been mended.
    Failed(Error, Instant),
    /// It ended too often, the last time for this reason, and is not started before
    /// then.
    Gone(String, Instant),
}

/// Time after a failed start in which callers get the same answer.
const REST: Duration = Duration::from_secs(1);

/// Ends within [`SPAN`] after which the browser is left alone for as long.
const MAX_ENDS: usize = 3;

/// See [`MAX_ENDS`].
const SPAN: Duration = Duration::from_secs(60);

/// Where callers wait for the browser.
pub struct BrowserSlot {
    state: watch::Sender<BrowserState>,
    wanted: Notify,
    /// When the browser ended, within [`SPAN`].
    ends: Mutex<VecDeque<Instant>>,
    /// How often it has ended.
    ended: watch::Sender<u64>,
    /// Why it ended last.
    why: Mutex<String>,
}

impl Default for BrowserSlot {
    fn default() -> Self {
        Self {
            state: watch::Sender::new(BrowserState::Starting),
            wanted: Notify::new(),
            ends: Mutex::default(),
            ended: watch::Sender::new(0),
            why: Mutex::default(),
        }
    }
}

impl BrowserSlot {
    /// How it stands now.
    pub fn state(&self) -> BrowserState {
        self.state.borrow().clone()
    }

    /// Says how it stands.
    pub fn set(&self, state: BrowserState) {
        self.state.send_replace(state);
    }

    /// Says that the browser ended: the next one is being started, unless it ended
    /// too often. One that ends while it starts did not start, and who starts it
    /// knows better why.
    pub fn lose(&self, reason: &str) {
        let ran = self.state.send_if_modified(|state| {
            let ran = matches!(state, BrowserState::Running(browser) if browser.is_gone());
            if ran {
                *state = match self.rest_from(Instant::now()) {
                    Some(until) => BrowserState::Gone(reason.to_owned(), until),
                    None => BrowserState::Starting,
                };
            }
            ran
        });
        if ran {
            reason.clone_into(&mut self.lock_why());
            self.ended.send_modify(|ended| *ended += 1);
        }
    }

    /// Says better why the browser ended: its process tells more than its pipe.
    pub fn explain(&self, reason: &str) {
        reason.clone_into(&mut self.lock_why());
        self.state.send_if_modified(|state| match state {
            BrowserState::Gone(why, _) => {
                reason.clone_into(why);
                true
            }
            _ => false,
        });
    }

    /// Why the browser ended last.
    pub fn why(&self) -> String {
        self.lock_why().clone()
    }

    fn lock_why(&self) -> MutexGuard<'_, String> {
        self.why.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes with every end of the browser.
    pub fn ended(&self) -> watch::Receiver<u64> {
        self.ended.subscribe()
    }

    /// Notes that the browser ended `now`. Until when it is left alone, if that was
    /// once too often.
    fn rest_from(&self, now: Instant) -> Option<Instant> {
        let mut ends = self.ends.lock().unwrap_or_else(PoisonError::into_inner);
        ends.retain(|end| now - *end < SPAN);
        ends.push_back(now);
        if ends.len() < MAX_ENDS {
            return None;
        }
        ends.clear();
        Some(now + SPAN)
    }

    /// Waits until the browser may be started again, and says that it is.
    pub async fn rested(&self) {
        if let BrowserState::Gone(_, until) = self.state() {
            tokio::time::sleep_until(until).await;
            self.set(BrowserState::Starting);
        }
    }

    /// Waits until somebody wants a browser that did not start.
    pub async fn wanted_again(&self) {
        self.wanted.notified().await;
    }

    fn try_again(&self) {
        let tried = self.state.send_if_modified(|state| match state {
            BrowserState::Failed(_, when) if when.elapsed() > REST => {
                *state = BrowserState::Starting;
                true
            }
            _ => false,
        });
        if tried {
            self.wanted.notify_one();
        }
    }

    /// The browser, as soon as it runs.
    ///
    /// # Errors
    /// Why it did not start, or `BROWSER_GONE` while it is left alone.
    pub async fn browser(&self) -> Result<Arc<Browser>> {
        self.try_again();
        let mut state = self.state.subscribe();
        loop {
            match state.borrow_and_update().clone() {
                // Its end is about to be said.
                BrowserState::Running(browser) if browser.is_gone() => {}
                BrowserState::Running(browser) => return Ok(browser),
                BrowserState::Failed(error, _) => return Err(error),
                BrowserState::Gone(reason, until) => return Err(left_alone(&reason, until)),
                BrowserState::Starting => {}
            }
            // The sender lives as long as the slot.
            if state.changed().await.is_err() {
                return Err(Error::new(Reason::BrowserGone, "the daemon is ending"));
            }
        }
    }
}

fn left_alone(reason: &str, until: Instant) -> Error {
    let left = until.saturating_duration_since(Instant::now());
    let message = format!("the browser ended {MAX_ENDS} times within a minute: {reason}");
    let hint = format!(
        "Run the command again in {} s: the browser is not started before. `browse doctor` \
         says what may be wrong with it",
        left.as_secs() + 1
    );
    let error = Error::new(Reason::BrowserGone, message).with(HINT, hint);
    error.with("retry_ms", left.as_millis() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_ends_within_a_minute_are_once_too_often() {
        let slot = BrowserSlot::default();
        let now = Instant::now();
        let ends = |seconds| slot.rest_from(now + Duration::from_secs(seconds));
        assert!(ends(0).is_none() && ends(1).is_none());
        assert!(ends(62).is_none(), "those before are more than a minute ago");
        assert!(ends(63).is_none());
        assert_eq!(ends(70), Some(now + Duration::from_secs(130)));
        assert!(ends(131).is_none(), "it counts anew afterwards");
    }

    #[tokio::test]
    async fn callers_hear_why_and_for_how_long() {
        let slot = BrowserSlot::default();
        slot.set(BrowserState::Gone("its pipe broke".to_owned(), Instant::now() + SPAN));
        slot.explain("it was killed");
        let error = slot.browser().await.err().expect("an error");
        assert_eq!(error.reason(), Reason::BrowserGone);
        assert!(error.to_string().contains("it was killed"), "{error}");
        assert!(error.hint().contains("again in 60 s"), "{}", error.hint());
        slot.set(BrowserState::Gone("it was killed".to_owned(), Instant::now()));
        slot.rested().await;
        assert!(matches!(slot.state(), BrowserState::Starting));
    }
}
