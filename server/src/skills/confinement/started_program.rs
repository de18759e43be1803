//! A program that runs in its confinement.

use std::fs::File;
use std::io::Read as _;

use nix::unistd::Pid;

use super::ControlGroup;

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
