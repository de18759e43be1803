//! Turns TypeScript into the JavaScript that every runtime runs, by blanking
//! out what is only type: lines and columns stay, so that a trace points at
//! the source. What would need code in its place (enums, namespaces with
//! values, parameter properties) is refused with its line.

mod cache;
mod erase;
mod erase_process;
mod eraser;
mod source_buffer;
#[cfg(test)]
mod tests;

use browse_proto::Reason;

use crate::error::{Error, Result};

pub use cache::{translate, translate_all};
pub use erase_process::{ERASE_TYPES_FLAG, run as run_erase_process};

/// Runs what reads, translates and writes files, off the threads of the calls.
///
/// # Errors
/// That of `work`.
pub async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(Error::new(Reason::Bug, error.to_string())))
}
