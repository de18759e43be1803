//! seccomp: system calls that a confined program goes without.
//!
//! Landlock and namespaces leave much of the kernel in reach; what no skill
//! needs is refused here. A call of another architecture ends the program, if
//! it is not refused: its numbers mean something else.
//!
//! The kernel follows a filter once for each of its calls when it takes it, so
//! what is long costs each start.

use std::collections::BTreeMap;

use nix::libc;
use seccompiler::{
    BpfProgram, Error, SeccompAction, SeccompCmpArgLen::Dword, SeccompCmpArgLen::Qword,
    SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule, TargetArch, apply_filter,
    sock_filter,
};

use super::syscall_lists;
use crate::skills::process_plan::Confinement;

/// What is refused beside the usual.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallFilter {
    /// Whether only TCP sockets can be had, instead of only Unix ones.
    tcp_only: bool,
    /// Whether signals must stay within the own process.
    own_signals: bool,
}

/// `TIOCSTI` and `TIOCLINUX`: input that nobody typed.
const TERMINAL_INPUT_IOCTLS: [u64; 2] = [0x5412, 0x541c];

/// The level of the options of every socket.
const SOCKET_LEVEL: u64 = libc::SOL_SOCKET as u64;

/// `SO_SNDBUF` and `SO_SNDBUFFORCE`: a larger buffer.
const SEND_BUFFER_OPTIONS: [u64; 2] = [libc::SO_SNDBUF as u64, libc::SO_SNDBUFFORCE as u64];

type SyscallRules = BTreeMap<i64, Vec<SeccompRule>>;

impl CallFilter {
    /// What a confinement needs where Landlock is of this version.
    pub fn for_confinement(confinement: &Confinement, abi: u8) -> Self {
        let tcp = matches!(confinement, Confinement::Landlock { .. });
        Self { tcp_only: tcp, own_signals: tcp && abi < 6 }
    }
}

/// Refuses the calls from here on.
///
/// # Errors
/// The kernel does not take the filters.
pub fn enforce(calls: &CallFilter) -> Result<(), Error> {
    apply_filter(&filter(calls)?)
}

fn filter(calls: &CallFilter) -> Result<BpfProgram, Error> {
    let mut refused: SyscallRules =
        syscall_lists::DENIED_CALLS.iter().map(|call| (*call, Vec::new())).collect();
    restrict_sockets(calls.tcp_only, &mut refused)?;
    restrict_memory(&mut refused)?;
    restrict_processes(&mut refused)?;
    if calls.tcp_only {
        refused.extend(
            syscall_lists::DENIED_WITHOUT_NAMESPACES.iter().map(|call| (*call, Vec::new())),
        );
        restrict_path_calls(&mut refused)?;
        restrict_foreign_processes(calls.own_signals, &mut refused)?;
    }
    let arch = TargetArch::try_from(std::env::consts::ARCH)?;
    let filter =
        SeccompFilter::new(refused, SeccompAction::Allow, errno_action(libc::EPERM), arch)?;
    let program: BpfProgram = filter.try_into()?;
    Ok(number_filter().into_iter().chain(program).collect())
}

fn errno_action(number: i32) -> SeccompAction {
    SeccompAction::Errno(number.cast_unsigned())
}

/// What comes before the rules, for all that the number alone decides.
fn number_filter() -> BpfProgram {
    // On x86-64 each call has a second number, for programs with short pointers,
    // and those programs have some of their own: all of them are refused.
    const X32: u32 = 0x4000_0000;
    const NUMBER: u32 = 0;
    let step = |code: u32, k, jt| sock_filter { code: code as u16, jt, jf: 0, k };
    let give = |action| step(libc::BPF_RET | libc::BPF_K, u32::from(action), 0);
    let is = |kind, k, skips| step(libc::BPF_JMP | kind | libc::BPF_K, k, skips);
    let mut program = vec![step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, NUMBER, 0)];
    let (absent, unsuitable) = (syscall_lists::ENOSYS_CALLS, syscall_lists::EINVAL_CALLS);
    // To the answers behind the lists: all are passed over when nothing is met.
    let calls = absent.iter().map(|call| (call, 2)).chain(unsuitable.iter().map(|call| (call, 3)));
    let last = absent.len() + unsuitable.len();
    for ((call, answer), left) in calls.zip((0..last as u8).rev()) {
        program.push(is(libc::BPF_JEQ, *call as u32, left + answer));
    }
    program.push(is(libc::BPF_JGE, X32, 3));
    program.push(step(libc::BPF_JMP | libc::BPF_JA, 3, 0));
    program.push(give(errno_action(libc::ENOSYS)));
    program.push(give(errno_action(libc::EINVAL)));
    program.push(give(errno_action(libc::EPERM)));
    program
}

/// Unix sockets only, or TCP sockets only; connected ones, whose buffers have a bound:
/// one socket sends to one, and no more than the system gives a socket by itself.
fn restrict_sockets(tcp: bool, rules: &mut SyscallRules) -> Result<(), Error> {
    let (unix, inet, inet6) = (libc::AF_UNIX, libc::AF_INET, libc::AF_INET6);
    // Rust has its children say through packets what went wrong.
    let kinds = [libc::SOCK_STREAM, libc::SOCK_SEQPACKET];
    let pair: Vec<_> =
        [rule(&[arg_differs(0, unix)?])?].into_iter().chain(all_kinds_except(&kinds)?).collect();
    rules.insert(libc::SYS_socketpair, pair.clone());
    let larger: Result<_, Error> = SEND_BUFFER_OPTIONS
        .iter()
        .map(|option| rule(&[arg_equals(1, SOCKET_LEVEL)?, arg_equals(2, *option)?]))
        .collect();
    rules.insert(libc::SYS_setsockopt, larger?);
    if !tcp {
        rules.insert(libc::SYS_socket, pair);
        return Ok(());
    }
    let mut socket = vec![rule(&[arg_differs(0, inet)?, arg_differs(0, inet6)?])?];
    // Landlock knows TCP alone, and not its relatives.
    socket.push(rule(&[arg_differs(2, 0)?, arg_differs(2, libc::IPPROTO_TCP)?])?);
    socket.extend(all_kinds_except(&[libc::SOCK_STREAM])?);
    rules.insert(libc::SYS_socket, socket);
    // A connection that a send opens is one that Landlock does not see.
    let fast = libc::MSG_FASTOPEN as u64;
    for (call, argument) in [(libc::SYS_sendto, 3), (libc::SYS_sendmsg, 2), (libc::SYS_sendmmsg, 3)]
    {
        rules.insert(call, vec![rule(&[arg_masked(argument, fast, fast)?])?]);
    }
    Ok(())
}

/// Sockets of any kind but these; it is their second argument.
fn all_kinds_except(kinds: &[libc::c_int]) -> Result<Vec<SeccompRule>, Error> {
    let others = (0..16).filter(|kind| !kinds.contains(kind));
    others.map(|kind| rule(&[arg_masked(1, 0xf, kind as u64)?])).collect()
}

/// No mapping that several processes share and no file stands behind: its pages stay
/// when no process shows them any more. And no process that hides what it has.
fn restrict_memory(rules: &mut SyscallRules) -> Result<(), Error> {
    let shared = (libc::MAP_SHARED | libc::MAP_ANONYMOUS) as u64;
    rules.insert(libc::SYS_mmap, vec![rule(&[arg_masked(3, shared, shared)?])?]);
    rules.insert(libc::SYS_prctl, vec![rule(&[arg_equals(0, libc::PR_SET_DUMPABLE as u64)?])?]);
    Ok(())
}

/// No namespaces for children, and no typing into a terminal.
fn restrict_processes(rules: &mut SyscallRules) -> Result<(), Error> {
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
        kinds.iter().map(|kind| rule(&[arg_masked(0, *kind, *kind)?])).collect();
    rules.insert(libc::SYS_clone, clones?);
    let terminal: Result<_, Error> =
        TERMINAL_INPUT_IOCTLS.iter().map(|request| rule(&[arg_equals(1, *request)?])).collect();
    rules.insert(libc::SYS_ioctl, terminal?);
    Ok(())
}

/// Landlock does not hold what changes a file by its name and not its contents;
/// by a descriptor, only what is open already can be meant.
fn restrict_path_calls(rules: &mut SyscallRules) -> Result<(), Error> {
    let named = SeccompCondition::new(1, Qword, SeccompCmpOp::Ne, 0)?;
    rules.insert(libc::SYS_utimensat, vec![SeccompRule::new(vec![named])?]);
    Ok(())
}

/// Leaves the processes of others alone.
fn restrict_foreign_processes(own_signals: bool, rules: &mut SyscallRules) -> Result<(), Error> {
    for call in syscall_lists::PID_FIRST_CALLS {
        rules.insert(*call, vec![rule(&[arg_differs(0, 0)?])?]);
    }
    for call in syscall_lists::PID_SECOND_CALLS {
        rules.insert(*call, vec![rule(&[arg_differs(1, 0)?])?]);
    }
    if own_signals {
        let pid = std::process::id().cast_signed();
        rules.insert(libc::SYS_kill, vec![rule(&[arg_differs(0, pid)?, arg_differs(0, 0)?])?]);
        rules.insert(libc::SYS_tgkill, vec![rule(&[arg_differs(0, pid)?])?]);
        rules.extend(syscall_lists::SIGNAL_CALLS.iter().map(|call| (*call, Vec::new())));
    }
    Ok(())
}

fn rule(conditions: &[SeccompCondition]) -> Result<SeccompRule, Error> {
    Ok(SeccompRule::new(conditions.to_vec())?)
}

fn arg_equals(argument: u8, value: u64) -> Result<SeccompCondition, Error> {
    Ok(SeccompCondition::new(argument, Dword, SeccompCmpOp::Eq, value)?)
}

fn arg_differs(argument: u8, value: i32) -> Result<SeccompCondition, Error> {
    let value = u64::from(value.cast_unsigned());
    Ok(SeccompCondition::new(argument, Dword, SeccompCmpOp::Ne, value)?)
}

fn arg_masked(argument: u8, mask: u64, value: u64) -> Result<SeccompCondition, Error> {
    Ok(SeccompCondition::new(argument, Dword, SeccompCmpOp::MaskedEq(mask), value)?)
}

#[cfg(test)]
mod tests {
    use super::{CallFilter, filter, libc, number_filter, syscall_lists};

    const CALLS: [(bool, bool); 3] = [(false, false), (true, false), (true, true)];

    #[test]
    fn every_set_of_calls_compiles() {
        for (tcp, own_signals) in CALLS {
            let filter = filter(&CallFilter { tcp_only: tcp, own_signals }).expect("it compiles");
            // The kernel takes 4096 instructions.
            assert!((100..4096).contains(&filter.len()));
        }
    }

    /// What the beginning answers to a number; nothing when the rules decide.
    fn answer(number: u32) -> Option<u32> {
        let program = number_filter();
        let mut at = 1;
        while let Some(step) = program.get(at) {
            let code = u32::from(step.code);
            at += 1 + match code & 0xf0 {
                _ if code & 0x07 == libc::BPF_RET => return Some(step.k),
                libc::BPF_JEQ if number == step.k => usize::from(step.jt),
                libc::BPF_JGE if number >= step.k => usize::from(step.jt),
                libc::BPF_JA => step.k as usize,
                _ => usize::from(step.jf),
            };
        }
        assert_eq!(at, program.len(), "a jump leads into the rules");
        None
    }

    #[test]
    fn numbers_alone_decide_about_what_is_absent_and_what_has_short_pointers() {
        let refusal = |error: i32| Some(libc::SECCOMP_RET_ERRNO | error.cast_unsigned());
        for call in syscall_lists::ENOSYS_CALLS {
            assert_eq!(answer(*call as u32), refusal(libc::ENOSYS));
        }
        for call in syscall_lists::EINVAL_CALLS {
            assert_eq!(answer(*call as u32), refusal(libc::EINVAL));
        }
        for call in [0, 1, libc::SYS_clone as u32, 511, 0x3fff_ffff] {
            assert_eq!(answer(call), None);
        }
        for call in [0x4000_0000, 0x4000_0200, u32::MAX] {
            assert_eq!(answer(call), refusal(libc::EPERM));
        }
    }
}
