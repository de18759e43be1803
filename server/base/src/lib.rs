//! What every crate of the daemon uses: the error with its reason, random values,
//! a mutex without poisoning, and the time.

mod error;
mod random;
mod sync;
mod time;

pub use error::{DOCUMENT_LEFT_KEY, ERROR_DOMAIN, Error, HINT_KEY, Result, quote, quote_up_to};
pub use random::{hex, nonce, random};
pub use sync::Lock;
pub use time::now_ms;
