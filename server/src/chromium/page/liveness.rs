//! Whether a tab answers, and making it answer again.

use std::time::{Duration, Instant};

use serde::de::IgnoredAny;
use serde_json::json;

use super::page::Page;
use crate::chromium::connection::call::Call;
use crate::chromium::connection::params::NoParams;
use crate::chromium::error::Result;

/// Between two attempts to end a script.
const PAUSE: Duration = Duration::from_millis(50);

impl Page {
    /// Asks the main frame for a sign of life.
    pub async fn answers(&self, within: Duration) -> bool {
        let params = json!({ "expression": "1", "returnByValue": true });
        let ping: Call<IgnoredAny> = self.session().call_method("Runtime.evaluate", &params);
        matches!(tokio::time::timeout(within, ping).await, Ok(Ok(_)))
    }

    /// Ends the script that runs in the main frame's process at this moment.
    /// One that has not begun yet is not hit; see [`Page::interrupt`].
    pub async fn terminate_execution(&self) -> Result<()> {
        let ended: Call<IgnoredAny> = self
            .session()
            .call_method("Runtime.terminateExecution", &NoParams);
        ended.await.map(drop)
    }

    /// Ends whatever scripts keep the tab from answering, the page's own
    /// included, until it answers or `within` is over. True when it answers.
    pub async fn interrupt(&self, within: Duration) -> bool {
        let deadline = Instant::now() + within;
        loop {
            let ended = tokio::time::timeout(PAUSE, self.terminate_execution()).await;
            if matches!(ended, Ok(Err(_))) {
                return false;
            }
            if self.answers(PAUSE).await {
                return true;
            }
            if Instant::now() >= deadline {
                return false;
            }
        }
    }
}
