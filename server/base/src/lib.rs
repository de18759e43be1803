//! What every crate of the daemon uses: the error with its reason, random values,
//! a mutex without poisoning, private files, notices that wait, and the time.

mod error;
mod notice_queue;
mod private_file;
mod random;
mod sync;
mod time;

pub use error::{DOCUMENT_LEFT_KEY, ERROR_DOMAIN, Error, HINT_KEY, Result, quote, quote_up_to};
pub use notice_queue::NoticeQueue;
pub use private_file::{open_private, open_private_log, read_private};
pub use random::{hex, nonce, random};
pub use sync::Lock;
pub use time::now_ms;
