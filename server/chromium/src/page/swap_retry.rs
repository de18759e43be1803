//! Calls that meet a tab between two documents.
//!
//! Chromium reports a commit before it has moved its own side to the new
//! document. For a moment commands that its browser process answers are
//! refused with "Not attached to an active page". That is over in
//! milliseconds, or where the process of the old one hangs on a busy machine in
//! seconds, and no event tells when.

use std::time::{Duration, Instant};

use crate::connection::call::CdpCall;
use crate::error::{Error, Result};

const NOT_ACTIVE_MESSAGE: &str = "Not attached to an active page";
/// The first pause between two calls. Later ones are longer by half.
const FIRST_PAUSE: Duration = Duration::from_millis(3);
const MAX_PAUSE: Duration = Duration::from_millis(50);
/// How long the call is repeated. The deadline of the command may be sooner.
const RETRY_TIMEOUT: Duration = Duration::from_secs(30);

/// Makes the call again while the tab is between two documents.
pub(crate) async fn retry_on_swap<T>(mut call: impl FnMut() -> CdpCall<T>) -> Result<T> {
    let start = Instant::now();
    let mut pause = FIRST_PAUSE;
    loop {
        match call().await {
            Err(Error::Protocol { message, .. })
                if message == NOT_ACTIVE_MESSAGE && start.elapsed() < RETRY_TIMEOUT =>
            {
                tokio::time::sleep(pause).await;
                pause = (pause + pause / 2).min(MAX_PAUSE);
            }
            outcome => return outcome,
        }
    }
}
