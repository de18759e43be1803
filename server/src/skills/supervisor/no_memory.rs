//! Systems whose processes do not say what memory they take: nothing is watched.

use nix::unistd::Pid;

/// Watches nothing.
pub fn watch(_: Pid, _: u64, _: impl FnOnce()) {}
