//! Landlock for files and TCP, seccomp for the rest.

use std::{collections::BTreeMap, io, path::Path};

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, CompatLevel, Compatible as _, PathBeneath, PathFd,
    Ruleset, RulesetAttr as _, RulesetCreatedAttr as _, RulesetError, RulesetStatus,
};
use nix::libc::*;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen::Dword, SeccompCmpOp, SeccompCondition,
    SeccompFilter, SeccompRule, TargetArch, apply_filter,
};

/// Where the system keeps libraries, and what the runtime asks of the machine.
const READABLE_PATHS: [&str; 10] = [
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/usr/local/lib",
    "/etc/ld.so.cache",
    "/proc/cpuinfo",
    "/proc/self",
    "/sys/devices/system/cpu",
    "/dev/urandom",
];

/// As though the kernel did not know them; those who try know another way.
const ENOSYS_CALLS: [c_long; 4] =
    [SYS_clone3, SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register];

/// Calls that scoring a text has no use for: to the network, into other
/// processes and programs, into the kernel.
const DENIED_CALLS: &[c_long] = &[
    SYS_socket,
    SYS_socketpair,
    SYS_execve,
    SYS_execveat,
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_pidfd_open,
    SYS_pidfd_getfd,
    SYS_pidfd_send_signal,
    SYS_kill,
    SYS_tkill,
    SYS_rt_sigqueueinfo,
    SYS_rt_tgsigqueueinfo,
    SYS_unshare,
    SYS_setns,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_open_tree,
    SYS_move_mount,
    SYS_fsopen,
    SYS_open_by_handle_at,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_kexec_load,
    SYS_reboot,
    SYS_mknodat,
    SYS_fchmodat,
    SYS_fchownat,
    SYS_setxattr,
    SYS_removexattr,
    SYS_shmget,
    SYS_shmat,
    SYS_msgget,
    SYS_semget,
    SYS_mq_open,
    SYS_inotify_add_watch,
    #[cfg(target_arch = "x86_64")]
    SYS_fork,
    #[cfg(target_arch = "x86_64")]
    SYS_vfork,
    #[cfg(target_arch = "x86_64")]
    SYS_chmod,
    #[cfg(target_arch = "x86_64")]
    SYS_chown,
    #[cfg(target_arch = "x86_64")]
    SYS_mknod,
];

/// Lets this process read `readable` and the libraries of the system, and
/// write and connect nowhere. Answers whether the kernel has Landlock.
///
/// # Errors
/// It has, and does not take the rules.
pub fn apply_landlock(readable: &[&Path]) -> io::Result<bool> {
    apply_rules(readable).map_err(io::Error::other)
}

fn apply_rules(readable: &[&Path]) -> Result<bool, RulesetError> {
    // What an older kernel does not know is left out: the program then still
    // cannot run anything or open a socket.
    let known = ABI::V5;
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(known))?
        .handle_access(AccessNet::from_all(known))?
        .create()?;
    let files = AccessFs::ReadFile;
    let all = files | AccessFs::ReadDir;
    for path in READABLE_PATHS.iter().map(Path::new).chain(readable.iter().copied()) {
        let Ok(place) = PathFd::new(path) else { continue };
        let access = if path.is_dir() { all } else { files.into() };
        rules = rules.add_rule(PathBeneath::new(place, access))?;
    }
    Ok(rules.restrict_self()?.ruleset != RulesetStatus::NotEnforced)
}

/// Refuses the calls.
///
/// # Errors
/// The kernel does not take the filters.
pub fn apply_seccomp() -> io::Result<()> {
    for filter in seccomp_filters().map_err(io::Error::other)? {
        apply_filter(&filter).map_err(io::Error::other)?;
    }
    Ok(())
}

fn seccomp_filters() -> Result<Vec<BpfProgram>, seccompiler::Error> {
    let mut refused: BTreeMap<i64, Vec<SeccompRule>> =
        DENIED_CALLS.iter().map(|call| (*call, Vec::new())).collect();
    // Threads, and no processes.
    let thread = u64::from(CLONE_THREAD.cast_unsigned());
    let process = SeccompCondition::new(0, Dword, SeccompCmpOp::MaskedEq(thread), 0)?;
    refused.insert(SYS_clone, vec![SeccompRule::new(vec![process])?]);
    let absent = ENOSYS_CALLS.iter().map(|call| (*call, Vec::new())).collect();
    [(absent, ENOSYS), (refused, EPERM)]
        .map(|(calls, error)| seccomp_filter(calls, error))
        .into_iter()
        .collect()
}

fn seccomp_filter(
    mut calls: BTreeMap<i64, Vec<SeccompRule>>,
    error: i32,
) -> Result<BpfProgram, seccompiler::Error> {
    // On x86-64 each call has a second number, for programs with short pointers.
    if cfg!(target_arch = "x86_64") {
        let others: Vec<_> =
            calls.iter().map(|(call, rules)| (call | 0x4000_0000, rules.clone())).collect();
        calls.extend(others);
    }
    let error = SeccompAction::Errno(error.cast_unsigned());
    let arch = TargetArch::try_from(std::env::consts::ARCH)?;
    Ok(SeccompFilter::new(calls, SeccompAction::Allow, error, arch)?.try_into()?)
}

#[cfg(test)]
mod tests {
    use super::seccomp_filters;

    #[test]
    fn the_filters_compile() {
        let filters = seccomp_filters().expect("they compile");
        assert!(filters.iter().all(|filter| (5..4096).contains(&filter.len())));
    }
}
