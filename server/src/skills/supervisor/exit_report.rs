//! How a supervisor tells the daemon what the program ended with. It is said
//! as soon as nothing of the program is left: what the kernel clears away
//! behind it takes longer than many a program runs.

use std::fs::File;
use std::io::{self, Read as _};
use std::sync::{Mutex, MutexGuard, PoisonError};

use nix::unistd::{Pid, close, write};

use super::group::ControlGroup;

/// Whether all is over. Held by whoever ends processes, so that nobody does
/// when their numbers may be those of others.
static HAS_REPORTED: Mutex<bool> = Mutex::new(false);

/// What was started, and where the first process of its namespace says that
/// it is the last one left.
pub struct StartedProgram {
    /// The process.
    pub child: Pid,
    /// One byte, the exit code of the program; the end without one when there
    /// are others left to end, or something else went wrong.
    pub exit_pipe: Option<File>,
    /// The control group that it is in.
    pub group: Option<ControlGroup>,
}

impl StartedProgram {
    /// The exit code of a program that has left nobody behind.
    pub fn read_exit_code(&mut self) -> Option<u8> {
        let mut code = [0];
        self.exit_pipe.take()?.read_exact(&mut code).is_ok().then_some(code[0])
    }
}

/// Ends all by `end`, unless all is over.
pub fn unless_reported(end: impl FnOnce()) {
    let over = lock_reported();
    if !*over {
        end();
    }
}

/// Says the code to whoever listens, who has heard everything else by then.
/// From now on nobody is ended.
pub fn report_exit(code: u8) {
    *lock_reported() = true;
    // Nothing is printed after this.
    let _ = (close(1), close(2));
    // A daemon that is gone does not hear it; what is no socket takes nothing.
    let _ = write(io::stdin(), &[code]);
}

fn lock_reported() -> MutexGuard<'static, bool> {
    HAS_REPORTED.lock().unwrap_or_else(PoisonError::into_inner)
}
