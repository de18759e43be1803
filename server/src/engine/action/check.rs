//! Setting and clearing check marks.

use std::time::Duration;

use tokio::time::Instant;

use super::click::Click;
use super::receipt::{Fact, Receipt};
use crate::engine::error::{Error, Kind, Result};
use crate::engine::page::engine::Engine;
use crate::engine::read::facts::State;
use crate::engine::target::target::Target;

/// Time that a page gets to show the check mark after the click.
const SETTLING: Duration = Duration::from_secs(1);

/// Time between two looks at it.
const LOOK: Duration = Duration::from_millis(25);

/// A check mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Checked {
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
        checked: Checked,
        deadline: Instant,
    ) -> Result<Receipt> {
        let wanted = checked == Checked::On;
        let word = if wanted { "checked" } else { "unchecked" };
        if self.is(target, State::Checked).await? == wanted {
            return Ok(Receipt {
                result: Some(Fact::new(format!("{word} already"))),
                ..Receipt::default()
            });
        }
        let mut receipt = self.click(target, &Click::default(), deadline).await?;
        // A switch that asks its server first changes a little later.
        let last = deadline.min(Instant::now() + SETTLING);
        let mut now = self.is(target, State::Checked).await;
        while matches!(now, Ok(now) if now != wanted) && Instant::now() + LOOK < last {
            tokio::time::sleep(LOOK).await;
            now = self.is(target, State::Checked).await;
        }
        match now {
            Ok(now) if now == wanted => {
                receipt.result = Some(Fact::new(word));
                Ok(receipt)
            }
            // A page may replace the element, or leave: then it took the click.
            Err(error) if error.kind() == Some(Kind::RefStale) || receipt.navigated => Ok(receipt),
            Ok(_) if receipt.navigated => Ok(receipt),
            Ok(_) => {
                let message = format!("`{target}` took the click but is not {word}");
                Err(Error::refused(Kind::WrongKind, message))
            }
            Err(error) => Err(error),
        }
    }
}
