//! Which downloads are let begin and go on: those that an action of ours began,
//! from hosts that the session may reach, within the quota of a session.

use std::{path::Path, time::Duration};

use url::Url;

use super::record::{DownloadRecord, DownloadSession, DownloadStatus, allows_source};
use crate::Tab;
use browse_net::is_metadata_host;

/// Files that are kept for a session.
const MAX_SESSION_FILES: usize = 100;

/// Bytes that are kept for a session.
const MAX_SESSION_BYTES: u64 = 2 << 30;

/// How long after an action a download counts as begun by it: servers take their
/// time to make a report.
pub const ACTION_WINDOW: Duration = Duration::from_secs(60);

/// What stands behind a refusal for the quota.
const QUOTA_HINT: &str = "`browse downloads --clear` makes room";

/// Why the download from `url` in `tab` is not ours to keep, if it is not.
pub fn refusal_reason(
    session: &dyn DownloadSession,
    tab: &Tab,
    url: &str,
    is_awaited: bool,
) -> Option<String> {
    let host_denied = match Url::parse(url) {
        Ok(url) => url.host().is_some_and(|host| is_metadata_host(&host)),
        Err(_) => true,
    };
    if host_denied || !allows_source(session.hosts(), url) {
        return Some("the session may not reach its host".to_owned());
    }
    if session.is_visible() || is_awaited || tab.action_times().is_recent(ACTION_WINDOW, tab.page())
    {
        return None;
    }
    Some("the page began it by itself; an action in the tab has to begin it".to_owned())
}

/// Files and bytes that a session has, and those of them that a caller has saved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DownloadUsage {
    files: usize,
    bytes: u64,
}

impl DownloadUsage {
    /// What `records` take.
    pub fn of<'a>(records: impl Iterator<Item = &'a DownloadRecord>) -> Self {
        records.filter(|record| record.counts_toward_quota()).fold(
            Self::default(),
            |sum, record| {
                let is_running = record.status == DownloadStatus::Running;
                let announced = record.total.filter(|_| is_running).unwrap_or_default();
                let bytes = record.received.max(announced);
                Self { files: sum.files + 1, bytes: sum.bytes.saturating_add(bytes) }
            },
        )
    }

    /// Why it is too much, if it is.
    pub fn excess(self) -> Option<String> {
        if self.files > MAX_SESSION_FILES {
            return Some(format!(
                "the session has {MAX_SESSION_FILES} files already; {QUOTA_HINT}"
            ));
        }
        (self.bytes > MAX_SESSION_BYTES)
            .then(|| format!("the files of the session would exceed 2 GiB; {QUOTA_HINT}"))
    }
}

/// Why `needed` more bytes do not fit on the disk of `folder`, if they do not.
pub fn lacks_space(folder: &Path, needed: u64) -> Option<String> {
    let stat = nix::sys::statvfs::statvfs(folder).ok()?;
    // The types differ between systems.
    #[allow(clippy::unnecessary_cast)]
    let free = stat.blocks_available() as u64 * stat.fragment_size() as u64;
    too_small(free, needed)
}

fn too_small(free: u64, needed: u64) -> Option<String> {
    (free < needed).then(|| format!("the disk is full: {free} bytes are free, {needed} are needed"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quota_counts_what_a_server_announces() {
        let at = |files, bytes| DownloadUsage { files, bytes }.excess();
        assert_eq!((at(100, MAX_SESSION_BYTES), at(0, 0)), (None, None));
        assert!(at(101, 0).is_some_and(|why| why.contains("100 files")));
        assert!(at(1, MAX_SESSION_BYTES + 1).is_some_and(|why| why.contains("2 GiB")));
    }

    #[test]
    fn a_full_disk_is_named() {
        assert_eq!(too_small(10, 10), None);
        assert!(too_small(9, 10).is_some_and(|why| why.starts_with("the disk is full: 9 bytes")));
    }
}
