//! The event loop of one command: one thread, which is all that a call needs.

use browse_proto::Reason;
use tokio::runtime::{Builder, Runtime};

use crate::{
    failure::{Failure, Result},
    io_failure,
};

/// A loop for connections and times.
///
/// # Errors
/// The system has none to give.
pub fn new() -> Result<Runtime> {
    Builder::new_current_thread().enable_io().enable_time().build().map_err(|error| {
        let message = format!("no event loop can be made: {}", io_failure::error_text(&error));
        Failure::new(Reason::Bug, message)
    })
}
