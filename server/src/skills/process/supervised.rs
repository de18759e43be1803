//! A supervisor and its pipes.

use std::io;
use std::path::PathBuf;
use std::process::Stdio;

use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};

use crate::skills::supervisor;

/// A supervisor that has begun, or waits for its plan.
#[derive(Debug)]
pub struct Supervised {
    /// It itself.
    pub child: Child,
    /// Its standard input: the plan, then nothing; its end ends everything.
    pub lifeline: ChildStdin,
    /// What the program prints.
    pub stdout: ChildStdout,
    /// What the program says.
    pub stderr: ChildStderr,
}

impl Supervised {
    /// Starts one.
    ///
    /// # Errors
    /// There are no processes to be had.
    pub fn spawn(words: &[&str]) -> io::Result<Self> {
        let mut command = Command::new(own_program());
        command.arg0("browsed").arg(supervisor::FLAG).args(words).env_clear().current_dir("/");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.process_group(0);
        let mut child = command.spawn()?;
        match (child.stdin.take(), child.stdout.take(), child.stderr.take()) {
            (Some(lifeline), Some(stdout), Some(stderr)) => {
                Ok(Self { child, lifeline, stdout, stderr })
            }
            _ => Err(io::Error::other("it has no pipes")),
        }
    }
}

/// Our own program, also when an update has replaced the file.
pub fn own_program() -> PathBuf {
    if cfg!(target_os = "linux") {
        return PathBuf::from("/proc/self/exe");
    }
    std::env::current_exe().unwrap_or_else(|_| PathBuf::from("browsed"))
}
