//! The public collection of notes: fetched at the first use, kept for a day,
//! answered from the cache meanwhile, and scanned before anything is shown.

pub(crate) mod cache;
mod collection;
mod hosts;
mod index;
mod matching;
mod refresh;
mod service;

pub use collection::LibrarySettings;
pub(crate) use service::Library;
