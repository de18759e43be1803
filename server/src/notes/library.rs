//! The public collection of notes: fetched at the first use, kept for a day,
//! answered from the cache meanwhile, and scanned before anything is shown.

mod cache;
mod collection;
mod handlers;
mod hosts;
mod index;
mod matching;
mod refresh;
mod service;

pub use collection::LibrarySettings;
pub use handlers::{list_library, refresh_library, show_library_note};
pub(super) use service::Library;
