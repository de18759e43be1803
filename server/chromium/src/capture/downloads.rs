//! Files that pages send.

use std::path::PathBuf;

use crate::ids::TargetId;

/// How far a download is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DownloadState {
    /// It began.
    Started,
    /// More of it came.
    Progress,
    /// The file is whole.
    Completed,
    /// It was given up.
    Canceled,
}

/// One download.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Download {
    /// Chromium's id, which is also the file's name.
    pub id: String,
    /// The tab it came from, while that is known.
    pub tab: Option<TargetId>,
    /// Where from.
    pub url: String,
    /// The name the server or the page wants it to have. Not to be trusted as
    /// a path.
    pub suggested_name: String,
    /// Where it lies: in a temporary 0700 directory, gone with the browser.
    pub path: PathBuf,
    /// Bytes so far.
    pub received: u64,
    /// Bytes that it will have, where the server says so.
    pub total: Option<u64>,
    /// How far it is.
    pub state: DownloadState,
}
