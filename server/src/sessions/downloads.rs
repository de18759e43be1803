//! Files that pages send: kept for a day in a private folder, which outlives
//! the daemon.
//!
//! Chromium writes a file under a random name into a temporary folder beside it.
//! A whole one is renamed into the folder of its session, under the name that the
//! page wants, made harmless. Its bytes are never read here.

mod admission;
mod folder;
mod kind;
mod record;
mod state;
mod store;
mod waiting;

pub use folder::place;
pub use kind::is_known_type;
pub use record::{DownloadRecord, DownloadStatus, Viewer};
pub use store::Downloads;
pub use waiting::AwaitedDownload;
