//! The supervisor's part on Linux: starts a program inside its confinement.
//!
//! The supervisor has one thread while this runs, so what it forks may do
//! whatever it could do itself. The child reports what goes wrong on standard
//! error, and never goes on with less than was asked for.

use std::convert::Infallible;
use std::ffi::CString;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;

use nix::{
    errno::Errno,
    fcntl::OFlag,
    libc,
    poll::{PollFd, PollFlags, PollTimeout, poll},
    sys::{
        signal::{Signal, kill},
        wait::{WaitPidFlag, WaitStatus, wait, waitpid},
    },
    unistd::{ForkResult, Pid, close, pipe2, setsid, write},
};

use super::{
    PROBE_LIMITS_IGNORED,
    io_context::with_context,
    landlock_rules, limits, namespaces,
    privileges::{self, ProgramIdentity},
    rootfs,
    seccomp::{self, CallFilter},
};
use crate::skills::{
    confinement::{CANNOT_START, ControlGroup, StartedProgram},
    process_plan::{Confinement, ProcessPlan, frame, read_plan},
};

/// A process that waits for what it is to become.
pub struct PendingProgram {
    child: Pid,
    identity: ProgramIdentity,
    /// Its end tells the child that the supervisor is gone.
    start_pipe: File,
    /// See [`Started`].
    exit_pipe: File,
}

/// Starts the program of `plan`; the answer is its process.
///
/// # Errors
/// There are no processes or namespaces to be had.
pub fn start(plan: &ProcessPlan) -> io::Result<StartedProgram> {
    fork_pending(matches!(plan.confinement, Confinement::Namespaces { .. }))?.run_plan(plan)
}

/// Starts a process that waits for its plan, in new namespaces or in those of
/// the supervisor.
///
/// # Errors
/// There are no processes or namespaces to be had.
pub fn fork_pending(in_namespaces: bool) -> io::Result<PendingProgram> {
    let (wait, go) = pipe2(OFlag::O_CLOEXEC)?;
    let (report, last) = pipe2(OFlag::O_CLOEXEC)?;
    let child = match in_namespaces {
        true => with_context("new namespaces", namespaces::fork())?,
        false => with_context("a new process", fork())?,
    };
    let ForkResult::Parent { child } = child else {
        drop((go, report));
        let error = match become_program(wait, last) {
            Ok(never) => match never {},
            Err(error) => error,
        };
        let _ = writeln!(io::stderr(), "error: the program cannot be started: {error}");
        // Nothing of the supervisor may run on in here.
        exit(CANNOT_START);
    };
    drop((wait, last));
    let identity = match in_namespaces {
        true => with_context("the map of users", namespaces::write_id_maps(child))?,
        false => ProgramIdentity::Same,
    };
    Ok(PendingProgram {
        child,
        identity,
        start_pipe: File::from(go),
        exit_pipe: File::from(report),
    })
}

impl PendingProgram {
    /// Tells the process what to become; the answer is the process.
    ///
    /// # Errors
    /// It is dead.
    pub fn run_plan(mut self, plan: &ProcessPlan) -> io::Result<StartedProgram> {
        // Before it starts anything, so that all of it is in there.
        let group = ControlGroup::create(self.child, &plan.limits);
        let plan = [&[self.identity.to_byte()], &*frame(&serde_json::to_vec(plan)?)].concat();
        if let Err(error) = self.start_pipe.write_all(&plan) {
            // Somebody ended it while it waited.
            let _ = kill(self.child, Signal::SIGKILL);
            let _ = waitpid(self.child, None);
            return Err(error);
        }
        // Open for as long as this process lives.
        std::mem::forget(self.start_pipe);
        Ok(StartedProgram { child: self.child, exit_pipe: Some(self.exit_pipe), group })
    }
}

/// Takes on the confinement, and the program in it.
fn become_program(wait: OwnedFd, last: OwnedFd) -> io::Result<Infallible> {
    privileges::die_with_parent()?;
    let mut byte = [0];
    let mut file = File::from(wait);
    file.read_exact(&mut byte)?;
    let plan = &read_plan(&mut file)?;
    let identity = ProgramIdentity::from_byte(byte[0]);
    let _ = setsid();
    with_context("no standard input", privileges::null_stdin())?;
    if let Confinement::Namespaces { socket } = &plan.confinement {
        rootfs::build(plan, socket.as_deref())?;
        let _ = nix::unistd::sethostname("skill");
    }
    if !plan.program.as_os_str().is_empty() {
        with_context("the folder", nix::unistd::chdir(&plan.folder).map_err(Into::into))?;
    }
    with_context("limits", limits::set(&plan.limits, &plan.confinement))?;
    with_context("fewer rights", privileges::drop_privileges(identity))?;
    // Shedding rights has taken it back.
    privileges::die_with_parent()?;
    if is_supervisor_gone(&file) {
        return Err(io::Error::other("its supervisor has ended"));
    }
    drop(file);
    with_context("no other files", privileges::close_other_fds())?;
    let abi = landlock_rules::abi();
    with_context("Landlock", landlock_rules::enforce(plan, abi).map_err(io::Error::other))?;
    let calls = CallFilter::for_confinement(&plan.confinement, abi);
    with_context("seccomp", seccomp::enforce(&calls).map_err(io::Error::other))?;
    if plan.program.as_os_str().is_empty() {
        answer_probe();
    }
    if matches!(plan.confinement, Confinement::Namespaces { .. })
        && let ForkResult::Parent { child } = with_context("a new process", fork())?
    {
        run_as_init(child, last);
    }
    execute(plan)
}

/// Is the first process of the namespace for as long as the program lives: to
/// the first, signals do not mean what programs expect. It is as confined as
/// the program is, and everything else ends with it. When nothing else is
/// there any more, it says so: the kernel takes its time over a namespace.
fn run_as_init(program: Pid, last: OwnedFd) -> ! {
    // What the program prints is whole when the program and its children end.
    let _ = (close(1), close(2));
    let code = loop {
        match wait() {
            Ok(WaitStatus::Exited(pid, code)) if pid == program => break code as u8,
            Ok(WaitStatus::Signaled(pid, signal, _)) if pid == program => {
                break 128 + signal as u8;
            }
            Ok(_) | Err(Errno::EINTR) => {}
            Err(_) => exit(CANNOT_START),
        }
    };
    if is_only_process() {
        let _ = write(last, &[code]);
    }
    exit(code)
}

/// Whether the first process of a namespace is the only one: whoever loses its
/// parent becomes its child.
fn is_only_process() -> bool {
    loop {
        match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
            Ok(WaitStatus::StillAlive) => return false,
            Ok(_) | Err(Errno::EINTR) => {}
            Err(_) => return true,
        }
    }
}

/// Whether the supervisor, which holds the other end while it lives, is gone.
fn is_supervisor_gone(pipe: &File) -> bool {
    let mut ends = [PollFd::new(pipe.as_fd(), PollFlags::empty())];
    let _ = poll(&mut ends, PollTimeout::ZERO);
    ends[0].revents().is_some_and(|seen| seen.contains(PollFlags::POLLHUP))
}

/// A plan without a program asks whether all of this works, and whether the
/// limit of processes holds.
fn answer_probe() -> ! {
    exit(match fork() {
        Ok(ForkResult::Child) => 0,
        Ok(ForkResult::Parent { .. }) => PROBE_LIMITS_IGNORED,
        Err(_) => 0,
    })
}

fn execute(plan: &ProcessPlan) -> io::Result<Infallible> {
    let text = |bytes: &[u8]| CString::new(bytes).map_err(io::Error::other);
    let program = text(plan.program.as_os_str().as_bytes())?;
    let mut words = vec![program.clone()];
    for word in &plan.words {
        words.push(text(word.as_bytes())?);
    }
    let mut environment = Vec::new();
    for (name, value) in &plan.environment {
        environment.push(text(format!("{name}={value}").as_bytes())?);
    }
    with_context(
        "the program",
        nix::unistd::execve(&program, &words, &environment).map_err(Into::into),
    )
}

#[allow(unsafe_code)]
fn fork() -> io::Result<ForkResult> {
    // SAFETY: the supervisor has one thread at this point.
    Ok(unsafe { nix::unistd::fork() }?)
}

#[allow(unsafe_code)]
fn exit(code: u8) -> ! {
    // SAFETY: ends the process without running what the supervisor left behind.
    unsafe { libc::_exit(i32::from(code)) }
}
