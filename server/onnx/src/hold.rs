//! What the program may do from here on: read its own files, compute, and
//! answer. No network, no other program, no file of the user.

use std::{io, path::Path};

use nix::sys::resource::{Resource, setrlimit};

/// Bytes of address space besides the model: libraries, threads, what a run
/// needs.
const ROOM: u64 = 2 << 30;

/// Times that a model is in memory while it is loaded.
const COPIES: u64 = 4;

/// Files that it has open at most.
const FILES: u64 = 64;

/// Confines this process, which has one thread. `bytes` is the size of the
/// model. Answers what holds it, in words; nothing where the system has no
/// means.
///
/// # Errors
/// The system has means that do not work.
pub fn hold(readable: &[&Path], bytes: u64) -> io::Result<String> {
    let memory = ROOM.saturating_add(bytes.saturating_mul(COPIES));
    for (resource, most) in [
        (Resource::RLIMIT_CORE, 0),
        (Resource::RLIMIT_FSIZE, 0),
        (Resource::RLIMIT_NOFILE, FILES),
        #[cfg(target_os = "linux")]
        (Resource::RLIMIT_AS, memory),
    ] {
        setrlimit(resource, most, most)?;
    }
    let _ = memory;
    confine(readable)
}

#[cfg(not(target_os = "linux"))]
fn confine(_: &[&Path]) -> io::Result<String> {
    Ok(String::new())
}

#[cfg(target_os = "linux")]
fn confine(readable: &[&Path]) -> io::Result<String> {
    let landlock = linux::landlock(readable)?;
    linux::seccomp()?;
    Ok(if landlock { "Landlock and seccomp" } else { "seccomp" }.to_owned())
}

#[cfg(target_os = "linux")]
#[path = "hold_linux.rs"]
mod linux;
