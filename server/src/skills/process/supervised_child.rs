//! A supervisor and its pipes.

use std::io;
use std::os::fd::OwnedFd;
use std::process::Stdio;

use tokio::io::AsyncReadExt as _;
use tokio::net::UnixStream;
use tokio::process::{Child, ChildStderr, ChildStdout, Command};

use crate::skills::supervisor;

/// A supervisor that has begun, or waits for its plan.
#[derive(Debug)]
pub struct SupervisedChild {
    /// It itself.
    pub child: Child,
    /// Its standard input: the plan, then nothing; its end ends everything. It
    /// answers with one byte: the exit code, when all else is dead.
    pub lifeline: UnixStream,
    /// What the program prints.
    pub stdout: ChildStdout,
    /// What the program says.
    pub stderr: ChildStderr,
}

impl SupervisedChild {
    /// Starts one.
    ///
    /// # Errors
    /// There are no processes to be had.
    pub fn spawn(words: &[&str]) -> io::Result<Self> {
        let mut command = Command::new(supervisor::own_program());
        command
            .arg0("browsed")
            .arg(supervisor::SUPERVISE_FLAG)
            .args(words)
            .env_clear()
            .current_dir("/");
        let (lifeline, its) = std::os::unix::net::UnixStream::pair()?;
        lifeline.set_nonblocking(true)?;
        let lifeline = UnixStream::from_std(lifeline)?;
        command.stdin(OwnedFd::from(its)).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.process_group(0);
        let mut child = command.spawn()?;
        match (child.stdout.take(), child.stderr.take()) {
            (Some(stdout), Some(stderr)) => Ok(Self { child, lifeline, stdout, stderr }),
            _ => Err(io::Error::other("it has no pipes")),
        }
    }
}

/// Waits for the exit code that a supervisor tells, or ends with.
///
/// # Errors
/// It cannot be waited for.
pub async fn exit_code(lifeline: &mut UnixStream, child: &mut Child) -> io::Result<i32> {
    match lifeline.read_u8().await {
        Ok(code) => Ok(i32::from(code)),
        Err(_) => Ok(supervisor::exit_code(child.wait().await?)),
    }
}
