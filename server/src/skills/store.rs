//! Files of skills on disk: every change is made below an open folder, never
//! follows a link, and lies on the disk before the next one depends on it.

pub mod copy;
pub mod failpoint;
mod folder;

pub use folder::{FolderEntry, OpenFolder};

/// Begins the name of a folder that a command works in, in the tier itself, so
/// that one rename makes it a skill. What a dead daemon left is swept away.
pub const STAGING_PREFIX: &str = ".work-";

/// The folder of a tier that removed skills move to.
pub const TOMBSTONES: &str = ".tombstones";

/// Eight hexadecimal digits that nobody can foresee.
pub fn random_id() -> String {
    format!("{:08x}", rand::random::<u32>())
}
