//! Not waiting for what may never come.

use std::time::Duration;

use super::page::Page;
use crate::connection::call::CdpCall;
use crate::error::{Error, Result};

impl Page {
    /// Waits for the answer of a call, but ends with `NavigationPending` once
    /// the tab has waited for a server for as long as `delay`: Chromium
    /// answers no call then. For calls that follow an action, which may have
    /// started a navigation.
    pub async fn await_unless_pending<T>(&self, call: CdpCall<T>, max_wait: Duration) -> Result<T> {
        tokio::select! {
            biased;
            answer = call => answer,
            url = self.wait_pending_navigation(max_wait) => Err(Error::NavigationPending { url }),
        }
    }

    /// Ends when one navigation has waited for its server for that long.
    async fn wait_pending_navigation(&self, max_wait: Duration) -> String {
        loop {
            let pending = self.wait_until(|state| state.pending_navigation.clone()).await;
            let Ok(pending) = pending else {
                // Closed or crashed: the call itself says so.
                return std::future::pending().await;
            };
            let over = self.wait_until(|state| {
                let still = state
                    .pending_navigation
                    .as_ref()
                    .is_some_and(|now| now.loader == pending.loader);
                (!still).then_some(())
            });
            if tokio::time::timeout(max_wait, over).await.is_err() {
                return pending.url;
            }
        }
    }
}
