//! Files that pages send: kept for a day in a private folder, which outlives
//! the daemon.
//!
//! Chromium writes a file under a random name into a temporary folder beside it.
//! A whole one is renamed into the folder of its session, under the name that the
//! page wants, made harmless. Its bytes are never read here.

mod admission;
mod expectation;
mod folder;
mod mime;
mod record;
mod state;
mod store;

pub use expectation::AwaitedDownload;
pub use folder::downloads_dir;
pub use mime::is_known_mime_type;
pub use record::{DownloadFilter, DownloadRecord, DownloadSession, DownloadStatus};
pub use store::Downloads;
