//! Whether a tab answers, and making it answer again.

use std::time::{Duration, Instant};

use serde::de::IgnoredAny;
use serde_json::json;

use super::page::Page;
use crate::connection::call::CdpCall;
use crate::connection::params::NoParams;
use crate::error::{Error, Result};
use crate::ids::LoaderId;

/// Between two attempts to end a script.
const INTERRUPT_INTERVAL: Duration = Duration::from_millis(50);

impl Page {
    /// Refuses at once what Chromium would queue for an unknown time: the tab
    /// is closed or crashed, or a navigation waits for its server.
    pub fn ensure_answering(&self) -> Result<()> {
        let (url, loader) = {
            let mut state = self.state.lock();
            state.ensure_alive()?;
            let Some(pending) = &mut state.pending_navigation else {
                return Ok(());
            };
            if std::mem::replace(&mut pending.is_probed, true) {
                return Err(Error::NavigationPending { url: pending.url.clone() });
            }
            (pending.url.clone(), pending.loader.clone())
        };
        self.probe_pending_navigation(loader);
        Err(Error::NavigationPending { url })
    }

    /// Some navigations end without a word, such as those to `mailto:`. If the
    /// renderer answers, none is waiting, whatever we believed.
    fn probe_pending_navigation(&self, loader: LoaderId) {
        let page = self.weak();
        let params = json!({ "expression": "1" });
        let answered = move |answer: Result<IgnoredAny>| {
            if let (Some(page), Ok(_)) = (page.upgrade(), answer) {
                let mut state = page.state.lock();
                if state.pending_navigation.as_ref().is_some_and(|pending| pending.loader == loader)
                {
                    state.pending_navigation = None;
                }
                drop(state);
                page.notify();
            }
        };
        self.session().call_then("Runtime.evaluate", &params, answered);
    }

    /// Whether a document that was answered is not shown within `delay`: the
    /// process that is to show it hangs, and other documents wait behind it.
    pub async fn is_stuck(&self, max_wait: Duration) -> bool {
        if !self.state.lock().awaits_commit() {
            return false;
        }
        let shown = self.wait_until(|state| (!state.awaits_commit()).then_some(()));
        tokio::time::timeout(max_wait, shown).await.is_err()
    }

    /// Asks the main frame for a sign of life.
    pub async fn is_responsive(&self, within: Duration) -> bool {
        let params = json!({ "expression": "1", "returnByValue": true });
        let ping: CdpCall<IgnoredAny> = self.session().call_method("Runtime.evaluate", &params);
        matches!(tokio::time::timeout(within, ping).await, Ok(Ok(_)))
    }

    /// Ends the script that runs in the main frame's process at this moment.
    /// One that has not begun yet is not hit; see [`Page::interrupt`].
    pub async fn terminate_execution(&self) -> Result<()> {
        let ended: CdpCall<IgnoredAny> =
            self.session().call_method("Runtime.terminateExecution", &NoParams);
        ended.await.map(drop)
    }

    /// Ends whatever scripts keep the tab from answering, the page's own
    /// included, until it answers or `within` is over. True when it answers.
    pub async fn interrupt(&self, within: Duration) -> bool {
        let deadline = Instant::now() + within;
        loop {
            let ended = tokio::time::timeout(INTERRUPT_INTERVAL, self.terminate_execution()).await;
            if matches!(ended, Ok(Err(_))) {
                return false;
            }
            if self.is_responsive(INTERRUPT_INTERVAL).await {
                return true;
            }
            if Instant::now() >= deadline {
                return false;
            }
        }
    }

    /// Whether its renderer is dead, now or `within` a while.
    pub async fn wait_crashed(&self, within: Duration) -> bool {
        let crashed = self.wait_until(|state| state.crashed.then_some(()));
        matches!(tokio::time::timeout(within, crashed).await, Ok(Ok(())))
    }

    /// Ends the process of the main frame, whatever runs there; answers when it is
    /// gone. The tab is crashed then: it keeps its history, and goes on with the next
    /// navigation. So are other tabs that share the process, which hung with it.
    ///
    /// # Errors
    /// The tab is closed.
    pub async fn end_process(&self) -> Result<()> {
        // What it was on its way to is not begun again.
        self.state.lock().last_navigation_url = None;
        self.session().call_method::<IgnoredAny>("Page.crash", &NoParams).ignore();
        self.wait_until(|state| state.crashed.then_some(())).await
    }
}
