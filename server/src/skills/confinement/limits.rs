//! What a confined program may use up.

use std::io;

use nix::{
    libc,
    sys::resource::{Resource, setrlimit},
};

use crate::skills::process_plan::{Confinement, Limits};

/// Sets the limits of this process and of all that it starts.
///
/// # Errors
/// The system refuses.
pub fn set(limits: &Limits, confinement: &Confinement) -> io::Result<()> {
    let processes = match confinement {
        // A user namespace counts its own.
        Confinement::Namespaces { .. } => limits.processes,
        // Everything of the user counts, and the whole system is no less.
        _ => limits.processes + existing()?,
    };
    for (resource, most) in [
        (Resource::RLIMIT_NPROC, processes),
        (Resource::RLIMIT_DATA, limits.memory),
        (Resource::RLIMIT_FSIZE, limits.scratch),
        (Resource::RLIMIT_NOFILE, limits.files),
        (Resource::RLIMIT_CORE, 0),
        (Resource::RLIMIT_MEMLOCK, 0),
        (Resource::RLIMIT_MSGQUEUE, 0),
    ] {
        setrlimit(resource, most, most)?;
    }
    Ok(())
}

/// Processes and threads that there are.
#[allow(unsafe_code)]
fn existing() -> io::Result<u64> {
    // SAFETY: a plain C structure, which the call fills.
    let info = unsafe {
        let mut info: libc::sysinfo = std::mem::zeroed();
        if libc::sysinfo(&raw mut info) == -1 {
            return Err(io::Error::last_os_error());
        }
        info
    };
    Ok(u64::from(info.procs))
}
