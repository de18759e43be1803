//! Which system calls are refused. Each list says why.

use nix::libc::*;

/// As though the kernel did not know them; those who try know another way.
pub const ENOSYS_CALLS: &[c_long] = &[
    // Its flags are out of sight of a filter; `clone` stands in.
    SYS_clone3,
    SYS_io_uring_setup,
    SYS_io_uring_enter,
    SYS_io_uring_register,
    // Files in memory, which count for nobody when they are not mapped; programs
    // take a file instead.
    SYS_memfd_create,
    SYS_memfd_secret,
    // Rules take memory that nobody counts. The sandbox has made its own by now.
    SYS_landlock_create_ruleset,
];

/// Answered as for a file that cannot do it; those who try copy by themselves. They
/// put pages into pipes and sockets, where a byte of a page keeps all of it.
pub const EINVAL_CALLS: &[c_long] = &[SYS_splice, SYS_tee, SYS_vmsplice, SYS_sendfile];

/// Refused always.
pub const DENIED_CALLS: &[c_long] = &[
    // Into other processes.
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_process_madvise,
    SYS_process_mrelease,
    SYS_pidfd_getfd,
    SYS_kcmp,
    // Into other namespaces, and other file systems.
    SYS_unshare,
    SYS_setns,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_open_tree,
    SYS_move_mount,
    SYS_fsopen,
    SYS_fsconfig,
    SYS_fsmount,
    SYS_fspick,
    SYS_mount_setattr,
    SYS_quotactl,
    SYS_quotactl_fd,
    SYS_open_by_handle_at,
    SYS_name_to_handle_at,
    SYS_fanotify_init,
    SYS_swapon,
    SYS_swapoff,
    // Into the kernel, by what has been a way in before.
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
    SYS_kexec_file_load,
    SYS_seccomp,
    SYS_syslog,
    SYS_acct,
    SYS_reboot,
    SYS_lookup_dcookie,
    SYS_nfsservctl,
    SYS_vhangup,
    // Memory and queues that outlive their processes, and count for none of them.
    SYS_shmget,
    SYS_shmat,
    SYS_shmctl,
    SYS_semget,
    SYS_semop,
    SYS_semctl,
    SYS_semtimedop,
    SYS_msgget,
    SYS_msgsnd,
    SYS_msgrcv,
    SYS_msgctl,
    SYS_mq_open,
    SYS_mq_unlink,
    // The machine's name and clock.
    SYS_sethostname,
    SYS_setdomainname,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_clock_adjtime,
    SYS_adjtimex,
    // Device files.
    SYS_mknodat,
    #[cfg(target_arch = "x86_64")]
    SYS_mknod,
    #[cfg(target_arch = "x86_64")]
    SYS_kexec_file_load,
    #[cfg(target_arch = "x86_64")]
    SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    SYS_ioperm,
    #[cfg(target_arch = "x86_64")]
    SYS_modify_ldt,
    #[cfg(target_arch = "x86_64")]
    SYS__sysctl,
    #[cfg(target_arch = "x86_64")]
    SYS_uselib,
];

/// Refused beside them where the file system and the processes of everybody else
/// are in sight.
pub const DENIED_WITHOUT_NAMESPACES: &[c_long] = &[
    // A socket that listens without a name gets one by itself, past Landlock, and is
    // reached from other machines.
    SYS_listen,
    SYS_accept,
    SYS_accept4,
    // Change what Landlock does not hold: owner, mode, times, attributes.
    SYS_fchmodat,
    FCHMODAT2,
    SYS_fchownat,
    SYS_setxattr,
    SYS_lsetxattr,
    SYS_removexattr,
    SYS_lremovexattr,
    #[cfg(target_arch = "x86_64")]
    SYS_chmod,
    #[cfg(target_arch = "x86_64")]
    SYS_chown,
    #[cfg(target_arch = "x86_64")]
    SYS_lchown,
    #[cfg(target_arch = "x86_64")]
    SYS_utime,
    #[cfg(target_arch = "x86_64")]
    SYS_utimes,
    #[cfg(target_arch = "x86_64")]
    SYS_futimesat,
    // Watches files of others.
    SYS_inotify_add_watch,
    // Memory of others.
    SYS_migrate_pages,
    SYS_move_pages,
];

/// Take a pid first, of which only one's own, 0, is allowed.
pub const PID_FIRST_CALLS: &[c_long] = &[
    SYS_prlimit64,
    SYS_sched_setaffinity,
    SYS_sched_setscheduler,
    SYS_sched_setparam,
    SYS_sched_setattr,
];

/// Take a pid as their second argument.
pub const PID_SECOND_CALLS: &[c_long] = &[SYS_setpriority, SYS_ioprio_set];

/// Signals by ways that cannot be distinguished.
pub const SIGNAL_CALLS: &[c_long] =
    &[SYS_tkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, SYS_pidfd_send_signal];

/// The number is the same everywhere, and the library does not know it yet.
const FCHMODAT2: c_long = 452;
