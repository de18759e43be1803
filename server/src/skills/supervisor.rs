//! The process between the daemon and a skill: `browsed --supervise`.
//!
//! Its standard input begins with a plan: what to start, and what to hold it
//! to. What is started has none of that input.
//!
//! It is the subreaper of everything that the skill starts: whoever leaves the
//! process group, or loses its parent, becomes its child, and is found below
//! it. It ends all of them when the skill ends, and when its standard input
//! does, which is when the daemon gives the run up, or is gone by whatever
//! death. (On systems other than Linux only the process group is ended.)
//!
//! What runs for long and free, as the program of a tunnel, has two of them on
//! Linux, one below the other, so that either may be killed: the inner one ends
//! when the outer one is gone, and what the inner one leaves becomes the outer
//! one's.
//!
//! What it does not reach: processes that another service starts on the
//! skill's behalf, and those of another user.

mod exit_report;
#[cfg(target_os = "linux")]
mod memory;
#[cfg(not(target_os = "linux"))]
#[path = "supervisor/no_memory.rs"]
mod memory;

use std::io::{self, Read, Write as _};
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::PathBuf;
use std::process::{Command, ExitCode, ExitStatus, Stdio};
use std::time::Duration;

use nix::{
    errno::Errno,
    sys::{
        signal::{Signal, kill, killpg},
        wait::{Id, WaitPidFlag, WaitStatus, waitid, waitpid},
    },
    unistd::Pid,
};

use super::{
    confinement::{self, CANNOT_START, ControlGroup, StartedProgram},
    process_plan::{Confinement, ProcessPlan, Purpose, frame, read_plan},
};
use browse_process::processes;

/// The argument that makes `browsed` a supervisor.
pub const SUPERVISE_FLAG: &str = "--supervise";

/// The argument after it that has namespaces made before the plan comes.
pub const PREFORK: &str = "ahead";

/// The argument after it that has another supervisor below this one.
pub const NESTED: &str = "twice";

/// Rounds of looking for what is left; each ends all that it finds.
const MAX_KILL_ROUNDS: usize = 500;

/// Starts the program that the plan names, and ends with its exit code; 128
/// and the number of the signal when one ended it.
pub fn run() -> ExitCode {
    adopt_orphans();
    let word = std::env::args_os().nth(2).unwrap_or_default();
    let (mut started, plan) = match start_program(word == PREFORK, word == NESTED) {
        Ok(started) => started,
        Err(error) => {
            eprintln!("error: the program cannot be started: {error}");
            return ExitCode::from(CANNOT_START);
        }
    };
    let child = started.child;
    let give_up = move || exit_report::unless_reported(|| kill_all(child));
    if plan.confinement != Confinement::None && started.group.is_none() {
        memory::watch(child, &plan, give_up);
    }
    std::thread::spawn(move || {
        let _ = io::stdin().lock().read_to_end(&mut Vec::new());
        give_up();
    });
    let code = match started.read_exit_code() {
        // It is the first process of a namespace, and has nothing left to do.
        Some(code) => code,
        None => {
            let code = wait_for_exit(child);
            give_up();
            code
        }
    };
    if started.group.as_ref().is_some_and(ControlGroup::was_exceeded) {
        eprintln!("{}", memory_exceeded_message(plan.limits.together));
    }
    exit_report::report_exit(code);
    let _ = kill(child, Signal::SIGKILL);
    let _ = waitpid(child, None);
    ExitCode::from(code)
}

/// What is reported of a run that was ended for its memory.
fn memory_exceeded_message(most: u64) -> String {
    format!(
        "error: the skill was ended: its processes took more than {} MiB of memory together",
        most >> 20
    )
}

/// Starts the program as the plan wants it; namespaces may be made before
/// there is one, and the inner supervisor of two starts it itself.
fn start_program(ahead: bool, twice: bool) -> io::Result<(StartedProgram, ProcessPlan)> {
    let begun = if ahead { Some(confinement::fork_pending(true)?) } else { None };
    let plan = read_plan(&mut io::stdin().lock())?;
    let free = |child| StartedProgram { child, exit_pipe: None, group: None };
    let started = match (begun, &plan.confinement) {
        // What waited may be dead.
        (Some(begun), Confinement::Namespaces { .. }) => {
            begun.run_plan(&plan).or_else(|_| confinement::start(&plan))?
        }
        (Some(_), _) => return Err(io::Error::other("the namespaces are for another plan")),
        // Where nobody adopts orphans, the group has to be the program's own.
        (None, Confinement::None) if twice && cfg!(target_os = "linux") => {
            free(start_inner(&plan)?)
        }
        (None, Confinement::None) => free(start_unconfined(&plan)?),
        (None, _) => confinement::start(&plan)?,
    };
    Ok((started, plan))
}

/// Starts the inner supervisor, whose lifeline ends with this process.
fn start_inner(plan: &ProcessPlan) -> io::Result<Pid> {
    let mut command = Command::new(own_program());
    command.arg0("browsed").arg(SUPERVISE_FLAG).env_clear().current_dir("/");
    let mut child = command.stdin(Stdio::piped()).process_group(0).spawn()?;
    let lifeline = child.stdin.take();
    let mut lifeline = lifeline.ok_or_else(|| io::Error::other("it has no lifeline"))?;
    lifeline.write_all(&frame(&serde_json::to_vec(plan)?))?;
    // It is open as long as this process lives.
    std::mem::forget(lifeline);
    Ok(Pid::from_raw(child.id().cast_signed()))
}

/// Starts the program in a process group of its own.
fn start_unconfined(plan: &ProcessPlan) -> io::Result<Pid> {
    let mut command = Command::new(&plan.program);
    command.args(&plan.words).env_clear().envs(&plan.environment).current_dir(&plan.folder);
    if plan.purpose == Purpose::Terminal {
        use_terminal(&mut command)?;
    } else {
        command.stdin(Stdio::null()).process_group(0);
    }
    die_with_parent(&mut command);
    let child = command.spawn()?;
    Ok(Pid::from_raw(child.id().cast_signed()))
}

/// Starts a session in which the terminal that this process prints to is the controlling one.
#[allow(unsafe_code)]
fn use_terminal(command: &mut Command) -> io::Result<()> {
    command.stdin(Stdio::from(io::stdout().as_fd().try_clone_to_owned()?));
    // SAFETY: two system calls, between fork and exec, of a single thread; the standard input is
    // open there.
    unsafe {
        command.pre_exec(|| {
            rustix::process::setsid()?;
            rustix::process::ioctl_tiocsctty(BorrowedFd::borrow_raw(0))?;
            Ok(())
        });
    }
    Ok(())
}

/// Collects whoever ends, until the program itself does. The program stays
/// uncollected until all else is gone, so that its pid means it.
fn wait_for_exit(child: Pid) -> u8 {
    loop {
        let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT;
        match waitid(Id::All, flags) {
            Ok(status) if status.pid() == Some(child) => return exit_code_of(status),
            Ok(status) => {
                let _ = status.pid().map(|pid| waitpid(pid, None));
            }
            Err(Errno::EINTR) => {}
            Err(_) => return CANNOT_START,
        }
    }
}

fn exit_code_of(status: WaitStatus) -> u8 {
    match status {
        WaitStatus::Exited(_, code) => u8::try_from(code & 0xff).unwrap_or(u8::MAX),
        WaitStatus::Signaled(_, signal, _) => 128 + u8::try_from(signal as i32).unwrap_or(0),
        _ => u8::MAX,
    }
}

/// Ends everything below this process. What is found is stopped first and
/// killed when nothing new turns up, so that nothing can outrun it by forking.
fn kill_all(child: Pid) {
    let _ = killpg(child, Signal::SIGKILL);
    if has_no_descendants(child) {
        return;
    }
    let us = Pid::this().as_raw();
    let mut known: Vec<i32> = Vec::new();
    for _ in 0..MAX_KILL_ROUNDS {
        let all = processes::all_processes();
        let living = |pid: &i32| all.iter().any(|process| process.pid == *pid && !process.zombie);
        let below: Vec<_> =
            processes::process_tree(us, &all).into_iter().skip(1).filter(living).collect();
        if below.is_empty() {
            return;
        }
        let is_settled = below.iter().all(|pid| known.contains(pid));
        let signal = if is_settled { Signal::SIGKILL } else { Signal::SIGSTOP };
        for pid in &below {
            let _ = kill(Pid::from_raw(*pid), signal);
        }
        known = below;
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Whether nothing is below this process but the program, which has ended and
/// waits to be collected: orphans would have become our children. It is the
/// usual case, and spares the look at all processes.
fn has_no_descendants(child: Pid) -> bool {
    let ended = || processes::find_process(child.as_raw()).is_none_or(|process| process.zombie);
    let only = |children: Vec<i32>| children.iter().all(|pid| *pid == child.as_raw());
    ended() && processes::own_children().is_some_and(only)
}

/// Our own program, also when an update has replaced the file.
pub fn own_program() -> PathBuf {
    if cfg!(target_os = "linux") {
        return PathBuf::from("/proc/self/exe");
    }
    std::env::current_exe().unwrap_or_else(|_| PathBuf::from("browsed"))
}

/// The exit code of a supervisor that a signal ended, as it would have reported it.
pub fn exit_code(status: ExitStatus) -> i32 {
    status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0))
}

#[cfg(target_os = "linux")]
fn adopt_orphans() {
    let _ = nix::sys::prctl::set_child_subreaper(true);
}

#[cfg(not(target_os = "linux"))]
fn adopt_orphans() {}

#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
fn die_with_parent(command: &mut Command) {
    // SAFETY: one system call, between fork and exec, of a single thread.
    unsafe {
        command.pre_exec(|| {
            nix::sys::prctl::set_pdeathsig(Signal::SIGKILL).map_err(std::io::Error::from)
        });
    }
}

#[cfg(not(target_os = "linux"))]
fn die_with_parent(_command: &mut Command) {}
