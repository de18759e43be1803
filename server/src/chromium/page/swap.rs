//! Calls that meet a tab between two documents.
//!
//! Chromium reports a commit before it has moved its own side to the new
//! document. For a moment commands that its browser process answers are
//! refused with "Not attached to an active page". That is over in
//! milliseconds, or where the process of the old one hangs on a busy machine in
//! a second, and no event tells when.

use std::time::Duration;

use crate::chromium::connection::call::Call;
use crate::chromium::error::{Error, Result};

const REFUSAL: &str = "Not attached to an active page";
const PAUSE: Duration = Duration::from_millis(3);
const TRIES: u32 = 1000;

/// Makes the call again while the tab is between two documents.
pub(crate) async fn across_swap<T>(mut call: impl FnMut() -> Call<T>) -> Result<T> {
    let mut tries = 1;
    loop {
        match call().await {
            Err(Error::Protocol { message, .. }) if message == REFUSAL && tries < TRIES => {
                tries += 1;
                tokio::time::sleep(PAUSE).await;
            }
            outcome => return outcome,
        }
    }
}
