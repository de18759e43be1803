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

use browse_base::{Error, HINT_KEY, Result};
use browse_chromium::Browser;

/// How it stands with the browser.
#[derive(Clone)]
pub enum BrowserState {
    /// It is started when somebody asks for it.
    Deferred,
    /// It is being started.
    Starting,
    /// It runs.
    Running(Arc<Browser>),
    /// It could not be started, and why. Who asks later makes it be tried
    /// again: the cause may have been fixed.
    Failed(Error, Instant),
    /// It ended too often, the last time for this reason, and is not started before
    /// then.
    Gone(String, Instant),
}

/// Time after a failed start in which callers get the same answer.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// Ends within [`SPAN`] after which the browser is left alone for as long.
const MAX_EXITS: usize = 3;

/// See [`MAX_ENDS`].
const EXIT_WINDOW: Duration = Duration::from_secs(60);

/// Where callers wait for the browser.
pub struct BrowserHandle {
    state: watch::Sender<BrowserState>,
    retry_requested: Notify,
    /// When the browser ended, within [`SPAN`].
    recent_exits: Mutex<VecDeque<Instant>>,
    /// How often it has ended.
    exit_count: watch::Sender<u64>,
    /// Why it ended last.
    exit_reason: Mutex<String>,
}

impl Default for BrowserHandle {
    fn default() -> Self {
        Self {
            state: watch::Sender::new(BrowserState::Starting),
            retry_requested: Notify::new(),
            recent_exits: Mutex::default(),
            exit_count: watch::Sender::new(0),
            exit_reason: Mutex::default(),
        }
    }
}

impl BrowserHandle {
    /// How it stands now.
    pub fn state(&self) -> BrowserState {
        self.state.borrow().clone()
    }

    /// Says how it stands.
    pub fn set_state(&self, state: BrowserState) {
        self.state.send_replace(state);
    }

    /// Says that the browser ended: the next one is being started, unless it ended
    /// too often. One that ends while it starts did not start, and who starts it
    /// knows better why.
    pub fn mark_gone(&self, reason: &str) {
        let ran = self.state.send_if_modified(|state| {
            let ran = matches!(state, BrowserState::Running(browser) if browser.is_gone());
            if ran {
                *state = match self.backoff_until(Instant::now()) {
                    Some(until) => BrowserState::Gone(reason.to_owned(), until),
                    None => BrowserState::Starting,
                };
            }
            ran
        });
        if ran {
            reason.clone_into(&mut self.lock_exit_reason());
            self.exit_count.send_modify(|ended| *ended += 1);
        }
    }

    /// Says better why the browser ended: its process tells more than its pipe.
    pub fn set_exit_reason(&self, reason: &str) {
        reason.clone_into(&mut self.lock_exit_reason());
        self.state.send_if_modified(|state| match state {
            BrowserState::Gone(why, _) => {
                reason.clone_into(why);
                true
            }
            _ => false,
        });
    }

    /// Why the browser ended last.
    pub fn exit_reason(&self) -> String {
        self.lock_exit_reason().clone()
    }

    fn lock_exit_reason(&self) -> MutexGuard<'_, String> {
        self.exit_reason.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes with every end of the browser.
    pub fn watch_exits(&self) -> watch::Receiver<u64> {
        self.exit_count.subscribe()
    }

    /// Notes that the browser ended `now`. Until when it is left alone, if that was
    /// once too often.
    fn backoff_until(&self, now: Instant) -> Option<Instant> {
        let mut ends = self.recent_exits.lock().unwrap_or_else(PoisonError::into_inner);
        ends.retain(|end| now - *end < EXIT_WINDOW);
        ends.push_back(now);
        if ends.len() < MAX_EXITS {
            return None;
        }
        ends.clear();
        Some(now + EXIT_WINDOW)
    }

    /// Waits until the browser may be started again, and says that it is.
    pub async fn wait_for_backoff(&self) {
        if let BrowserState::Gone(_, until) = self.state() {
            tokio::time::sleep_until(until).await;
            self.set_state(BrowserState::Starting);
        }
    }

    /// Has the browser started when somebody asks for it, and waits for that.
    pub async fn defer(&self) {
        self.set_state(BrowserState::Deferred);
        self.wait_for_retry().await;
    }

    /// Waits until somebody wants a browser that did not start.
    pub async fn wait_for_retry(&self) {
        self.retry_requested.notified().await;
    }

    fn start_if_wanted(&self) {
        let tried = self.state.send_if_modified(|state| match state {
            BrowserState::Failed(_, when) if when.elapsed() <= RETRY_DELAY => false,
            BrowserState::Failed(..) | BrowserState::Deferred => {
                *state = BrowserState::Starting;
                true
            }
            _ => false,
        });
        if tried {
            self.retry_requested.notify_one();
        }
    }

    /// The browser, as soon as it runs.
    ///
    /// # Errors
    /// Why it did not start, or `BROWSER_GONE` while it is left alone.
    pub async fn browser(&self) -> Result<Arc<Browser>> {
        self.start_if_wanted();
        let mut state = self.state.subscribe();
        loop {
            let current = state.borrow_and_update().clone();
            match current {
                // It was deferred just now.
                BrowserState::Deferred => self.start_if_wanted(),
                // Its end is about to be reported.
                BrowserState::Running(browser) if browser.is_gone() => {}
                BrowserState::Running(browser) => return Ok(browser),
                BrowserState::Failed(error, _) => return Err(error),
                BrowserState::Gone(reason, until) => return Err(backoff_error(&reason, until)),
                BrowserState::Starting => {}
            }
            // The sender lives as long as the slot.
            if state.changed().await.is_err() {
                return Err(Error::new(Reason::BrowserGone, "the daemon is ending"));
            }
        }
    }
}

fn backoff_error(reason: &str, until: Instant) -> Error {
    let left = until.saturating_duration_since(Instant::now());
    let message = format!("the browser ended {MAX_EXITS} times within a minute: {reason}");
    let hint = format!(
        "Run the command again in {} s: the browser is not started before. `browse doctor` \
         says what may be wrong with it",
        left.as_secs() + 1
    );
    let error = Error::new(Reason::BrowserGone, message).with(HINT_KEY, hint);
    error.with("retry_ms", left.as_millis() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_ends_within_a_minute_are_once_too_often() {
        let slot = BrowserHandle::default();
        let now = Instant::now();
        let ends = |seconds| slot.backoff_until(now + Duration::from_secs(seconds));
        assert!(ends(0).is_none() && ends(1).is_none());
        assert!(ends(62).is_none(), "those before are more than a minute ago");
        assert!(ends(63).is_none());
        assert_eq!(ends(70), Some(now + Duration::from_secs(130)));
        assert!(ends(131).is_none(), "it counts anew afterwards");
    }

    #[tokio::test]
    async fn who_asks_has_a_deferred_browser_started() {
        let slot = BrowserHandle::default();
        let started = async {
            slot.defer().await;
            assert!(matches!(slot.state(), BrowserState::Starting));
            let error = Error::new(Reason::BrowserMissing, "none");
            slot.set_state(BrowserState::Failed(error, Instant::now()));
        };
        // Also one that has asked before it was deferred.
        let (early, (), late) = tokio::join!(slot.browser(), started, slot.browser());
        for answer in [early, late] {
            assert_eq!(answer.err().map(|error| error.reason()), Some(Reason::BrowserMissing));
        }
    }

    #[tokio::test]
    async fn callers_hear_why_and_for_how_long() {
        let slot = BrowserHandle::default();
        slot.set_state(BrowserState::Gone(
            "its pipe broke".to_owned(),
            Instant::now() + EXIT_WINDOW,
        ));
        slot.set_exit_reason("it was killed");
        let error = slot.browser().await.err().expect("an error");
        assert_eq!(error.reason(), Reason::BrowserGone);
        assert!(error.to_string().contains("it was killed"), "{error}");
        assert!(error.hint().contains("again in 60 s"), "{}", error.hint());
        slot.set_state(BrowserState::Gone("it was killed".to_owned(), Instant::now()));
        slot.wait_for_backoff().await;
        assert!(matches!(slot.state(), BrowserState::Starting));
    }
}
