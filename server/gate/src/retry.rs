//! Errors that say when to ask again.

use std::time::Duration;

use browse_base::Error;
use browse_proto::Reason;

/// What a caller waits at least before it asks again.
pub const MIN_RETRY: Duration = Duration::from_secs(1);

/// `error`, after which the caller asks again in `wait` or a little later.
pub fn retry_later(error: Error, wait: Duration) -> Error {
    error.with("retry_ms", wait.max(MIN_RETRY).as_millis())
}

/// The gateway can not do it just now, for what `message` says.
pub fn unavailable(message: &str) -> Error {
    retry_later(Error::new(Reason::GateUnavailable, message.to_owned()), MIN_RETRY)
}
