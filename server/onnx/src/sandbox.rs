//! What the program may do from here on: read its own files, compute, and
//! answer. No network, no other program, no file of the user.

use std::{io, path::Path};

use nix::sys::resource::{Resource, setrlimit};

/// Bytes of address space besides the model: libraries, threads, what a run
/// needs.
const BASE_ADDRESS_SPACE_BYTES: u64 = 2 << 30;

/// Times that a model is in memory while it is loaded.
const LOADED_MODEL_COPIES: u64 = 4;

/// Files that it has open at most.
const MAX_OPEN_FILES: u64 = 64;

/// Confines this process, which has one thread. `bytes` is the size of the
/// model. Answers what holds it, in words; nothing where the system has no
/// means.
///
/// # Errors
/// The system has means that do not work.
pub fn enter_sandbox(readable: &[&Path], bytes: u64) -> io::Result<String> {
    let memory = BASE_ADDRESS_SPACE_BYTES.saturating_add(bytes.saturating_mul(LOADED_MODEL_COPIES));
    for (resource, most) in [
        (Resource::RLIMIT_CORE, 0),
        (Resource::RLIMIT_FSIZE, 0),
        (Resource::RLIMIT_NOFILE, MAX_OPEN_FILES),
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
    let landlock = linux::apply_landlock(readable)?;
    linux::apply_seccomp()?;
    Ok(if landlock { "Landlock and seccomp" } else { "seccomp" }.to_owned())
}

#[cfg(target_os = "linux")]
#[path = "sandbox_linux.rs"]
mod linux;
