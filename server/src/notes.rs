//! Notes on hosts, which agents write and read: a note must earn its way into
//! prompts. And the public collection of such notes.

mod compact;
mod event_row;
mod failpoints;
mod file;
mod host;
pub(crate) mod library;
pub(crate) mod note;
mod safe_files;
pub(crate) mod scan;
mod slug;
pub(crate) mod store;
pub(crate) mod usage_tracker;
mod visits;

mod service;

#[cfg(test)]
mod tests;

pub use host::NoteHost;
pub use library::LibrarySettings;
pub use service::{NoteFolders, NoteService};
