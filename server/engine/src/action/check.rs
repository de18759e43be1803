//! Setting and clearing check marks.

use std::time::Duration;

use tokio::time::Instant;

use super::gesture::Click;
use super::receipt::ActionReceipt;
use crate::error::{Error, RefusalKind, Result};
use crate::page::engine::Engine;
use crate::page::fact::Fact;
use crate::read::element_state::ElementStateKind;
use crate::target::target::Target;

/// Time that a page gets to show the check mark after the click.
const CHECKED_STATE_TIMEOUT: Duration = Duration::from_secs(1);

/// Time between two looks at it.
const CHECKED_STATE_POLL_INTERVAL: Duration = Duration::from_millis(25);

/// A check mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckState {
    /// Set.
    On,
    /// Not set.
    Off,
}

impl Engine {
    /// Sets or clears the check mark; what is so already is left alone.
    pub async fn set_checked(
        &self,
        target: &Target,
        checked: CheckState,
        deadline: Instant,
    ) -> Result<ActionReceipt> {
        let wanted = checked == CheckState::On;
        let word = if wanted { "checked" } else { "unchecked" };
        if self.has_state(target, ElementStateKind::Checked).await? == wanted {
            return Ok(ActionReceipt {
                result: Some(Fact::new(format!("{word} already"))),
                ..ActionReceipt::default()
            });
        }
        let mut receipt = self.click(target, &Click::default(), deadline).await?;
        // A switch that asks its server first changes a little later.
        let last = deadline.min(Instant::now() + CHECKED_STATE_TIMEOUT);
        let mut now = self.has_state(target, ElementStateKind::Checked).await;
        while matches!(now, Ok(now) if now != wanted)
            && Instant::now() + CHECKED_STATE_POLL_INTERVAL < last
        {
            tokio::time::sleep(CHECKED_STATE_POLL_INTERVAL).await;
            now = self.has_state(target, ElementStateKind::Checked).await;
        }
        match now {
            Ok(now) if now == wanted => {
                receipt.result = Some(Fact::new(word));
                Ok(receipt)
            }
            // A page may replace the element, or leave: then it took the click.
            Err(error) if error.kind() == Some(RefusalKind::RefStale) || receipt.navigated => {
                Ok(receipt)
            }
            Ok(_) if receipt.navigated => Ok(receipt),
            Ok(_) => {
                let message = format!("`{target}` took the click but is not {word}");
                Err(Error::refused(RefusalKind::WrongKind, message))
            }
            Err(error) => Err(error),
        }
    }
}
