//! Starting the process with its pipe on fds 3 and 4.
//!
//! All browsers are started by one thread that never ends: the kernel sends
//! the parent-death signal when the *thread* that forked ends, and a worker
//! of the runtime may.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::sync::{OnceLock, mpsc};

use nix::libc;

/// Highest fd the browser's side of the pipe occupies.
const LAST_PIPE_FD: RawFd = 4;

type SpawnJob = Box<dyn FnOnce() + Send>;

/// When a child ends, if nobody ends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChildEnd {
    /// With the daemon.
    WithDaemon,
    /// By itself, when it has noticed the end of its pipe.
    Own,
}

/// Starts `command` with `theirs` on fds 3 and 4, from the lasting thread.
pub(crate) async fn spawn(
    command: Command,
    theirs: UnixStream,
    end: ChildEnd,
) -> io::Result<Child> {
    static LAUNCHER: OnceLock<mpsc::Sender<SpawnJob>> = OnceLock::new();
    let launcher = LAUNCHER.get_or_init(|| {
        let (jobs, inbox) = mpsc::channel::<SpawnJob>();
        std::thread::Builder::new()
            .name("browser-parent".to_owned())
            .spawn(move || inbox.into_iter().for_each(|job| job()))
            .map(|_| jobs)
            .unwrap_or_else(|_| mpsc::channel().0)
    });
    let (answer, outcome) = tokio::sync::oneshot::channel();
    let job = Box::new(move || {
        let _ = answer.send(spawn_here(command, &theirs, end));
    });
    launcher
        .send(job)
        .map_err(|_| io::Error::other("the launching thread could not be started"))?;
    outcome.await.map_err(|_| io::Error::other("the launching thread ended"))?
}

/// Forks on this thread.
fn spawn_here(mut command: Command, theirs: &UnixStream, end: ChildEnd) -> io::Result<Child> {
    // The child puts the pipe on fds 3 and 4. If those were free here, std's
    // own pipe for reporting a failed exec could sit there; so they are filled.
    let mut fillers = Vec::new();
    loop {
        let filler = File::open("/dev/null")?;
        let above = filler.as_raw_fd() > LAST_PIPE_FD;
        fillers.push(filler);
        if above {
            break;
        }
    }
    prepare_child(&mut command, theirs.as_raw_fd(), end);
    let child = command.process_group(0).spawn();
    drop(fillers);
    child
}

/// Arranges what happens in the child between fork and exec.
#[allow(unsafe_code)]
fn prepare_child(command: &mut Command, pipe: RawFd, end: ChildEnd) {
    let parent = std::process::id();
    // SAFETY: only async-signal-safe system calls, no allocation; `pipe` is
    // open in the parent until after the fork.
    unsafe {
        command.pre_exec(move || {
            if end == ChildEnd::WithDaemon {
                die_with(parent)?;
            }
            // First out of the way of 3 and 4; dup2 then clears CLOEXEC.
            let above = libc::fcntl(pipe, libc::F_DUPFD_CLOEXEC, LAST_PIPE_FD + 1);
            if above < 0 || libc::dup2(above, 3) < 0 || libc::dup2(above, 4) < 0 {
                return Err(io::Error::last_os_error());
            }
            Ok(())
        });
    }
}

/// Asks the kernel to kill this child when its parent ends.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
fn die_with(parent: u32) -> io::Result<()> {
    // SAFETY: prctl and getppid touch nothing but this process's attributes.
    unsafe {
        if libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) < 0 {
            return Err(io::Error::last_os_error());
        }
        // The parent may have died before the request took hold.
        if libc::getppid() as u32 != parent {
            return Err(io::Error::from_raw_os_error(libc::ESRCH));
        }
    }
    Ok(())
}

/// Otherwise the broken pipe and the guardian do it.
#[cfg(not(target_os = "linux"))]
fn die_with(_parent: u32) -> io::Result<()> {
    Ok(())
}
