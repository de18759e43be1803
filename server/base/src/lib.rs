//! What every crate of the daemon uses: the error with its reason, random values,
//! and a mutex without poisoning.

mod error;
mod random;
mod sync;

pub use error::{DOCUMENT_LEFT_KEY, ERROR_DOMAIN, Error, HINT_KEY, Result, quote, quote_up_to};
pub use random::{hex, nonce, random};
pub use sync::Lock;
