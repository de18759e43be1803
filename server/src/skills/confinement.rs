//! What untrusted skills are held to, so that they can do nothing but their
//! job: no file of the user, no network but the daemon, no process of others.
//!
//! The supervisor confines the program that it starts.

mod seatbelt;

#[cfg(target_os = "linux")]
mod spawn;

#[cfg(target_os = "linux")]
mod io_context;
#[cfg(target_os = "linux")]
mod namespaces;
#[cfg(target_os = "linux")]
mod rootfs;

#[cfg(target_os = "linux")]
mod landlock_rules;
#[cfg(target_os = "linux")]
mod limits;
#[cfg(target_os = "linux")]
mod privileges;

#[cfg(target_os = "linux")]
mod seccomp;
#[cfg(target_os = "linux")]
mod syscall_lists;

#[cfg(target_os = "linux")]
mod group;
#[cfg(not(target_os = "linux"))]
#[path = "confinement/no_group.rs"]
mod group;

mod profile;
mod started_program;

pub use group::ControlGroup;
#[cfg(not(target_os = "linux"))]
pub use seatbelt::{fork_pending, start};
#[cfg(target_os = "linux")]
pub use spawn::{fork_pending, start};
pub use started_program::StartedProgram;

/// Where the daemon is found inside namespaces.
pub const SOCKET: &str = "/run/browse.sock";

/// The folder that can be written inside namespaces.
pub const SCRATCH: &str = "/tmp";

/// What a probe answers where the limit of processes does not hold.
pub const PROBE_LIMITS_IGNORED: u8 = 10;

/// What it exits with when the program cannot be started.
pub const CANNOT_START: u8 = 126;
