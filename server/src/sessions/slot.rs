//! The place of the browser, which may still be starting, or never come.

use std::sync::Arc;

use browse_proto::Reason;
use tokio::sync::watch;

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
    /// It could not be started, and why.
    Failed(Error),
    /// It ended, and what it said.
    Gone(String),
}

/// Where callers wait for the browser.
pub struct BrowserSlot {
    state: watch::Sender<BrowserState>,
}

impl Default for BrowserSlot {
    fn default() -> Self {
        Self { state: watch::Sender::new(BrowserState::Starting) }
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

    /// The browser, as soon as it runs.
    ///
    /// # Errors
    /// Why it did not start, or `BROWSER_GONE`.
    pub async fn browser(&self) -> Result<Arc<Browser>> {
        let mut state = self.state.subscribe();
        loop {
            match state.borrow_and_update().clone() {
                BrowserState::Running(browser) => return Ok(browser),
                BrowserState::Failed(error) => return Err(error),
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
