//! A supervisor and its pipes.

use std::io;
use std::os::fd::OwnedFd;
use std::process::Stdio;
use std::time::Duration;

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

/// A supervisor whose program has a terminal.
#[derive(Debug)]
pub struct TerminalChild {
    child: Child,
    /// As that of a [`SupervisedChild`].
    pub lifeline: UnixStream,
}

impl SupervisedChild {
    /// Starts one.
    ///
    /// # Errors
    /// There are no processes to be had.
    pub fn spawn(words: &[&str]) -> io::Result<Self> {
        let (mut command, lifeline) = command(words)?;
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        match (child.stdout.take(), child.stderr.take()) {
            (Some(stdout), Some(stderr)) => Ok(Self { child, lifeline, stdout, stderr }),
            _ => Err(io::Error::other("it has no pipes")),
        }
    }
}

impl TerminalChild {
    /// Starts one that prints to `terminal`, which its program gets.
    ///
    /// # Errors
    /// There are no processes to be had.
    pub fn spawn(words: &[&str], terminal: OwnedFd) -> io::Result<Self> {
        let (mut command, lifeline) = command(words)?;
        command.stdout(terminal.try_clone()?).stderr(terminal);
        Ok(Self { child: command.spawn()?, lifeline })
    }

    /// Process id of the supervisor.
    pub fn pid(&self) -> u32 {
        self.child.id().unwrap_or_default()
    }

    /// Waits until the program has ended, and all that it started with it; answers the exit
    /// code of the program.
    ///
    /// # Errors
    /// It cannot be waited for.
    pub async fn exit_code(&mut self) -> io::Result<i32> {
        exit_code(&mut self.lifeline, &mut self.child).await
    }

    /// Ends the program and all that it started. Whether the supervisor did so in time; else it
    /// is killed itself, and what is left has to be found by other means.
    pub async fn end(self, max_wait: Duration) -> bool {
        let Self { mut child, lifeline } = self;
        drop(lifeline);
        let ended = tokio::time::timeout(max_wait, child.wait()).await;
        if ended.is_err() {
            let _ = child.kill().await;
        }
        ended.ok().and_then(Result::ok).is_some_and(|status| status.code().is_some())
    }
}

/// The command of a supervisor, and our end of its lifeline.
fn command(words: &[&str]) -> io::Result<(Command, UnixStream)> {
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
    command.stdin(OwnedFd::from(its)).process_group(0);
    Ok((command, lifeline))
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
