//! Setting and clearing check marks.

use tokio::time::Instant;

use super::click::Click;
use super::receipt::Receipt;
use crate::engine::error::{Error, Kind, Result};
use crate::engine::page::engine::Engine;
use crate::engine::read::facts::State;
use crate::engine::target::target::Target;

impl Engine {
    /// Sets the check mark; what is checked already is left alone.
    pub async fn check(&self, target: &Target, deadline: Instant) -> Result<Receipt> {
        self.set_checked(target, true, deadline).await
    }

    /// Clears it.
    pub async fn uncheck(&self, target: &Target, deadline: Instant) -> Result<Receipt> {
        self.set_checked(target, false, deadline).await
    }

    async fn set_checked(&self, target: &Target, wanted: bool, deadline: Instant) -> Result<Receipt> {
        let word = if wanted { "checked" } else { "unchecked" };
        if self.is(target, State::Checked).await? == wanted {
            return Ok(Receipt { result: Some(format!("{word} already")), ..Receipt::default() });
        }
        let mut receipt = self.click(target, Click::default(), deadline).await?;
        match self.is(target, State::Checked).await {
            Ok(now) if now == wanted => {
                receipt.result = Some(word.to_owned());
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
