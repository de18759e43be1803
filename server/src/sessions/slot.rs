//! The place of the browser, which may still be starting, or never come.

use std::{sync::Arc, time::Duration};

use browse_proto::Reason;
use tokio::{
    sync::{Notify, watch},
    time::Instant,
};

use crate::{
    chromium::Browser,
    error::{Error, Result},
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
    /// It ended, and what it said.
    Gone(String),
}

/// Time after a failed start in which callers get the same answer.
const REST: Duration = Duration::from_secs(1);

/// Where callers wait for the browser.
pub struct BrowserSlot {
    state: watch::Sender<BrowserState>,
    wanted: Notify,
}

impl Default for BrowserSlot {
    fn default() -> Self {
        Self { state: watch::Sender::new(BrowserState::Starting), wanted: Notify::new() }
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

    /// Says that the browser ended. One that ends while it starts did not start,
    /// and who starts it knows better why.
    pub fn lose(&self, reason: String) {
        self.state.send_if_modified(|state| {
            let ran = matches!(state, BrowserState::Running(_));
            if ran {
                *state = BrowserState::Gone(reason);
            }
            ran
        });
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
    /// Why it did not start, or `BROWSER_GONE`.
    pub async fn browser(&self) -> Result<Arc<Browser>> {
        self.try_again();
        let mut state = self.state.subscribe();
        loop {
            match state.borrow_and_update().clone() {
                BrowserState::Running(browser) => return Ok(browser),
                BrowserState::Failed(error, _) => return Err(error),
                BrowserState::Gone(reason) => return Err(gone(&reason)),
                BrowserState::Starting => {}
            }
            // The sender lives as long as the slot.
            if state.changed().await.is_err() {
                return Err(gone("the daemon is ending"));
            }
        }
    }
}

fn gone(reason: &str) -> Error {
    Error::new(Reason::BrowserGone, format!("the browser is gone: {reason}"))
}
