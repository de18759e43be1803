//! seccomp: system calls that a confined program goes without.
//!
//! Landlock and namespaces leave much of the kernel in reach; what no skill
//! needs is refused here. A call of another architecture ends the program: its
//! numbers mean something else.

use std::collections::BTreeMap;

use nix::libc;
use seccompiler::{
    BpfProgram, Error, SeccompAction, SeccompCmpArgLen::Dword, SeccompCmpArgLen::Qword,
    SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule, TargetArch, apply_filter,
};

use super::{Confinement, calls_by_name};

/// What is refused beside the usual.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Calls {
    /// Whether only TCP sockets can be had, instead of only Unix ones.
    tcp: bool,
    /// Whether signals must stay within the own process.
    own_signals: bool,
}

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

impl Calls {
    /// What a confinement needs where Landlock is of this version.
    pub fn of(confinement: &Confinement, abi: u8) -> Self {
        let tcp = matches!(confinement, Confinement::Landlock { .. });
        Self { tcp, own_signals: tcp && abi < 6 }
    }
}

/// Refuses the calls from here on.
///
/// # Errors
/// The kernel does not take the filters.
pub fn enforce(calls: &Calls) -> Result<(), Error> {
    // The last filter would refuse the installing of another one.
    for filter in filters(calls)? {
        apply_filter(&filter)?;
    }
    Ok(())
}

fn filters(calls: &Calls) -> Result<Vec<BpfProgram>, Error> {
    let mut refused: Rules =
        calls_by_name::REFUSED.iter().map(|call| (*call, Vec::new())).collect();
    sockets(calls.tcp, &mut refused)?;
    processes(&mut refused)?;
    if calls.tcp {
        refused.extend(calls_by_name::REFUSED_OUTSIDE.iter().map(|call| (*call, Vec::new())));
        by_descriptor_only(&mut refused)?;
        others(calls.own_signals, &mut refused)?;
    }
    let absent: Rules = calls_by_name::ABSENT.iter().map(|call| (*call, Vec::new())).collect();
    Ok(vec![filter(absent, libc::ENOSYS)?, filter(refused, libc::EPERM)?])
}

fn filter(rules: Rules, error: i32) -> Result<BpfProgram, Error> {
    let error = SeccompAction::Errno(error.cast_unsigned());
    let arch = TargetArch::try_from(std::env::consts::ARCH)?;
    let filter = SeccompFilter::new(with_other_numbers(rules), SeccompAction::Allow, error, arch)?;
    Ok(filter.try_into()?)
}

/// On x86-64 each call has a second number, for programs with short pointers.
fn with_other_numbers(rules: Rules) -> Rules {
    const X32: i64 = 0x4000_0000;
    if !cfg!(target_arch = "x86_64") {
        return rules;
    }
    let more: Vec<_> = rules.iter().map(|(call, rules)| (call | X32, rules.clone())).collect();
    // The calls of those programs alone; they are refused with all the others.
    let own = (512..=547).map(|call| (call | X32, Vec::new()));
    rules.into_iter().chain(more).chain(own).collect()
}

/// Unix sockets only, or TCP sockets only.
fn sockets(tcp: bool, rules: &mut Rules) -> Result<(), Error> {
    let (unix, inet, inet6) = (libc::AF_UNIX, libc::AF_INET, libc::AF_INET6);
    let pair = vec![rule(&[not(0, unix)?])?];
    rules.insert(libc::SYS_socketpair, pair);
    if !tcp {
        rules.insert(libc::SYS_socket, vec![rule(&[not(0, unix)?])?]);
        return Ok(());
    }
    let mut socket = vec![rule(&[not(0, inet)?, not(0, inet6)?])?];
    // Landlock knows TCP alone, and not its relatives.
    socket.push(rule(&[not(2, 0)?, not(2, libc::IPPROTO_TCP)?])?);
    for kind in (0..16).filter(|kind| *kind != libc::SOCK_STREAM) {
        socket.push(rule(&[masked(1, 0xf, kind as u64)?])?);
    }
    rules.insert(libc::SYS_socket, socket);
    // A connection that a send opens is one that Landlock does not see.
    let fast = libc::MSG_FASTOPEN as u64;
    for (call, argument) in [(libc::SYS_sendto, 3), (libc::SYS_sendmsg, 2), (libc::SYS_sendmmsg, 3)]
    {
        rules.insert(call, vec![rule(&[masked(argument, fast, fast)?])?]);
    }
    Ok(())
}

/// No namespaces for children, and no typing into a terminal.
fn processes(rules: &mut Rules) -> Result<(), Error> {
    let kinds = [
        libc::CLONE_NEWUSER,
        libc::CLONE_NEWNS,
        libc::CLONE_NEWPID,
        libc::CLONE_NEWNET,
        libc::CLONE_NEWIPC,
        libc::CLONE_NEWUTS,
        libc::CLONE_NEWCGROUP,
    ];
    let kinds = kinds.map(|kind| u64::from(kind.cast_unsigned()));
    let clones: Result<_, Error> =
        kinds.iter().map(|kind| rule(&[masked(0, *kind, *kind)?])).collect();
    rules.insert(libc::SYS_clone, clones?);
    let terminal = [libc::TIOCSTI, libc::TIOCLINUX];
    let terminal: Result<_, Error> =
        terminal.iter().map(|request| rule(&[is(1, *request as u64)?])).collect();
    rules.insert(libc::SYS_ioctl, terminal?);
    Ok(())
}

/// Landlock does not hold what changes a file by its name and not its contents;
/// by a descriptor, only what is open already can be meant.
fn by_descriptor_only(rules: &mut Rules) -> Result<(), Error> {
    let named = SeccompCondition::new(1, Qword, SeccompCmpOp::Ne, 0)?;
    rules.insert(libc::SYS_utimensat, vec![SeccompRule::new(vec![named])?]);
    Ok(())
}

/// Leaves the processes of others alone.
fn others(own_signals: bool, rules: &mut Rules) -> Result<(), Error> {
    for call in calls_by_name::OF_OTHERS {
        rules.insert(*call, vec![rule(&[not(0, 0)?])?]);
    }
    for call in calls_by_name::OF_OTHERS_SECOND {
        rules.insert(*call, vec![rule(&[not(1, 0)?])?]);
    }
    if own_signals {
        let pid = std::process::id().cast_signed();
        rules.insert(libc::SYS_kill, vec![rule(&[not(0, pid)?, not(0, 0)?])?]);
        rules.insert(libc::SYS_tgkill, vec![rule(&[not(0, pid)?])?]);
        rules.extend(calls_by_name::SIGNALS.iter().map(|call| (*call, Vec::new())));
    }
    Ok(())
}

fn rule(conditions: &[SeccompCondition]) -> Result<SeccompRule, Error> {
    Ok(SeccompRule::new(conditions.to_vec())?)
}

fn is(argument: u8, value: u64) -> Result<SeccompCondition, Error> {
    Ok(SeccompCondition::new(argument, Dword, SeccompCmpOp::Eq, value)?)
}

fn not(argument: u8, value: i32) -> Result<SeccompCondition, Error> {
    let value = u64::from(value.cast_unsigned());
    Ok(SeccompCondition::new(argument, Dword, SeccompCmpOp::Ne, value)?)
}

fn masked(argument: u8, mask: u64, value: u64) -> Result<SeccompCondition, Error> {
    Ok(SeccompCondition::new(argument, Dword, SeccompCmpOp::MaskedEq(mask), value)?)
}
