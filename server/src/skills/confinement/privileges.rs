//! Who a confined program is, and the rights that it goes without.

use std::fs::OpenOptions;
use std::io;

use nix::{
    libc,
    sys::{prctl, signal::Signal},
    unistd::{Gid, Uid, dup2_stdin, setgroups, setresgid, setresuid},
};

/// Nobody's id.
const NOBODY_ID: u32 = 65534;

/// Reaches files as their owner does. Root's files stay readable with it for
/// the nobody that root's skills run as; what can be reached at all, and
/// written, is the business of mounts and of Landlock.
const DAC_OVERRIDE: u32 = 1;

/// Most capabilities that a kernel may have.
const MAX_CAPABILITIES: u32 = 64;

/// Who the program is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramIdentity {
    /// Who the daemon is.
    Same,
    /// Nobody: limits of processes do not bind root.
    Nobody,
}

impl ProgramIdentity {
    /// How the supervisor tells.
    pub fn to_byte(self) -> u8 {
        match self {
            Self::Same => b's',
            Self::Nobody => b'n',
        }
    }

    /// What the supervisor reported.
    pub fn from_byte(byte: u8) -> Self {
        if byte == b'n' { Self::Nobody } else { Self::Same }
    }
}

/// Ends this process when its parent does.
///
/// # Errors
/// The system refuses.
pub fn die_with_parent() -> io::Result<()> {
    Ok(prctl::set_pdeathsig(Signal::SIGKILL)?)
}

/// Puts nothing in the place of standard input, which is the supervisor's.
///
/// # Errors
/// There is no `/dev/null`.
pub fn null_stdin() -> io::Result<()> {
    let nothing = OpenOptions::new().read(true).open("/dev/null")?;
    Ok(dup2_stdin(nothing)?)
}

/// Has everything but the standard streams closed when the program starts.
///
/// # Errors
/// The kernel is older than 5.11.
#[allow(unsafe_code)]
pub fn close_other_fds() -> io::Result<()> {
    let flags = libc::CLOSE_RANGE_CLOEXEC;
    // The function of this name is in glibc 2.34 and later.
    // SAFETY: marks descriptors; none is closed under anybody's hands.
    let result = unsafe { libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, flags) };
    check(if result == 0 { 0 } else { -1 })
}

/// Takes on the identity, gives up every right that it does not need, and the
/// way to ever get one back.
///
/// # Errors
/// The system refuses.
pub fn drop_privileges(identity: ProgramIdentity) -> io::Result<()> {
    let kept = match identity {
        ProgramIdentity::Same => 0,
        ProgramIdentity::Nobody => 1 << DAC_OVERRIDE,
    };
    prctl::set_no_new_privs()?;
    drop_bounding_set(kept)?;
    if identity == ProgramIdentity::Nobody {
        prctl::set_keepcaps(true)?;
        setgroups(&[])?;
        let (user, group) = (Uid::from_raw(NOBODY_ID), Gid::from_raw(NOBODY_ID));
        setresgid(group, group, group)?;
        setresuid(user, user, user)?;
    }
    set_capabilities(kept)?;
    if identity == ProgramIdentity::Nobody { set_ambient_capability() } else { Ok(()) }
}

/// Takes capabilities out of what a program could ever get.
#[allow(unsafe_code)]
fn drop_bounding_set(kept: u32) -> io::Result<()> {
    for capability in (0..MAX_CAPABILITIES).filter(|it| *it >= 32 || kept & (1 << it) == 0) {
        let number = libc::c_ulong::from(capability);
        // SAFETY: plain numbers.
        let dropped = check(unsafe { libc::prctl(libc::PR_CAPBSET_DROP, number, 0, 0, 0) });
        match dropped.map_err(|error| error.raw_os_error()) {
            Ok(()) => {}
            // The first that this kernel does not know.
            Err(Some(libc::EINVAL)) => return Ok(()),
            // Only those who hold the right can give others up, and whoever
            // does not hold it gets nothing through an exec either.
            Err(Some(libc::EPERM)) => return Ok(()),
            Err(_) => return Err(io::Error::last_os_error()),
        }
    }
    Ok(())
}

#[repr(C)]
struct CapHeader {
    version: u32,
    pid: i32,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct CapSets {
    effective: u32,
    permitted: u32,
    inheritable: u32,
}

/// Holds these capabilities and no others.
#[allow(unsafe_code)]
fn set_capabilities(kept: u32) -> io::Result<()> {
    // The version whose sets have 64 bits, in two halves.
    let header = CapHeader { version: 0x2008_0522, pid: 0 };
    let low = CapSets { effective: kept, permitted: kept, inheritable: kept };
    let sets = [low, CapSets { effective: 0, permitted: 0, inheritable: 0 }];
    // SAFETY: both structures are those of the system call, and outlive it.
    let set = unsafe { libc::syscall(libc::SYS_capset, &raw const header, sets.as_ptr()) };
    check(set as libc::c_int)
}

#[allow(unsafe_code)]
fn set_ambient_capability() -> io::Result<()> {
    let (raise, capability) = (libc::PR_CAP_AMBIENT_RAISE, libc::c_ulong::from(DAC_OVERRIDE));
    // SAFETY: plain numbers.
    check(unsafe { libc::prctl(libc::PR_CAP_AMBIENT, raise, capability, 0, 0) })
}

fn check(result: libc::c_int) -> io::Result<()> {
    if result == -1 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
