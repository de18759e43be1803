//! New namespaces for a process, and who its users are in there.

use std::fs;
use std::io;

use nix::{
    libc,
    unistd::{ForkResult, Pid, getegid, geteuid},
};

use super::privileges::ProgramIdentity;

/// A namespace of each kind: no user, mount, network device, process, queue or
/// host name of the outside is in there.
const NAMESPACE_FLAGS: libc::c_int = libc::CLONE_NEWUSER
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS;

/// Forks into new namespaces. The child is their first process: all of them
/// end with it.
///
/// # Errors
/// The system does not allow it.
#[allow(unsafe_code)]
pub fn fork() -> io::Result<ForkResult> {
    let flags = libc::c_long::from(NAMESPACE_FLAGS | libc::SIGCHLD);
    let zero: libc::c_long = 0;
    // SAFETY: without a new stack this is a fork, of a process with one thread.
    let child = unsafe { libc::syscall(libc::SYS_clone, flags, zero, zero, zero, zero) };
    match child {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(ForkResult::Child),
        pid => i32::try_from(pid)
            .map(|pid| ForkResult::Parent { child: Pid::from_raw(pid) })
            .map_err(io::Error::other),
    }
}

/// Says who the users of the child's namespace are. For root all of them stay
/// who they are, so that the program can be another one; anybody else can only
/// be themselves.
///
/// # Errors
/// The maps cannot be written.
pub fn write_id_maps(child: Pid) -> io::Result<ProgramIdentity> {
    let file = |name: &str| format!("/proc/{child}/{name}");
    if geteuid().is_root() {
        let users = identity_map(&fs::read_to_string("/proc/self/uid_map")?);
        let groups = identity_map(&fs::read_to_string("/proc/self/gid_map")?);
        let written = fs::write(file("uid_map"), users);
        if written.and_then(|()| fs::write(file("gid_map"), groups)).is_ok() {
            return Ok(ProgramIdentity::Nobody);
        }
    }
    let (user, group) = (geteuid(), getegid());
    // Without this a group that denies access could be left.
    fs::write(file("setgroups"), "deny")?;
    fs::write(file("gid_map"), format!("{group} {group} 1"))?;
    fs::write(file("uid_map"), format!("{user} {user} 1"))?;
    Ok(ProgramIdentity::Same)
}

/// The map that leaves everybody who they are, for those that we know here.
fn identity_map(map: &str) -> String {
    let line = |line: &str| {
        let mut fields = line.split_whitespace();
        let (first, _, count) = (fields.next()?, fields.next()?, fields.next()?);
        Some(format!("{first} {first} {count}\n"))
    };
    map.lines().filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::identity_map;

    #[test]
    fn everybody_stays_who_they_are() {
        let map = "         0     100000       1000\n      1000       1000          1\n";
        assert_eq!(identity_map(map), "0 0 1000\n1000 1000 1\n");
    }
}
