//! The browser process while it lives: its pid, its last words, its end.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ExitStatus};
use std::sync::Arc;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use tokio::sync::watch;

use super::profile::ProfileDirs;
use crate::error::{Error, Result};
use browse_base::Lock;
use browse_process::Guardian;

/// Lines of stderr kept.
const MAX_STDERR_LINES: usize = 40;
/// How long the last words may take to arrive.
const STDERR_TIMEOUT: std::time::Duration = std::time::Duration::from_millis(200);
/// How long the process of a connection may take to end, which is longer than it gives the
/// browser to close tabs.
const BRIDGE_EXIT_TIMEOUT: std::time::Duration = std::time::Duration::from_secs(5);
/// Longer lines are cut.
const MAX_STDERR_LINE_BYTES: usize = 500;

type StderrTail = Arc<Lock<VecDeque<String>>>;

/// A running browser. Dropping it kills the process and removes the profile.
pub(crate) struct BrowserProcess {
    pid: u32,
    stderr: StderrTail,
    stderr_ended: watch::Receiver<bool>,
    exited: watch::Receiver<Option<ExitStatus>>,
    profile: Option<ProfileDirs>,
    guardian: Option<Arc<Guardian>>,
    /// Whether it ends by itself with its pipe, after some work.
    ends_with_pipe: bool,
}

impl BrowserProcess {
    /// Takes over the process that holds the connection to a browser which runs already.
    /// The guardian leaves it alone: it closes the tabs of a daemon that was killed.
    pub(crate) fn adopt_bridge(
        child: Child,
        profile: ProfileDirs,
        guardian: Option<Arc<Guardian>>,
    ) -> Result<Self> {
        let mut process = Self::adopt(child, profile, None)?;
        process.ends_with_pipe = true;
        process.guardian = guardian;
        Ok(process)
    }

    /// Takes over a child that was just started.
    pub(crate) fn adopt(
        mut child: Child,
        profile: ProfileDirs,
        guardian: Option<Arc<Guardian>>,
    ) -> Result<Self> {
        let pid = child.id();
        if let Some(guardian) = &guardian {
            guardian.kill_at_exit(pid);
        }
        let stderr = StderrTail::default();
        let (ended, stderr_ended) = watch::channel(false);
        let thread =
            |name: &str| std::thread::Builder::new().name(name.to_owned()).stack_size(128 * 1024);
        let fail = |error| Error::system("a thread for the browser", error);
        if let Some(pipe) = child.stderr.take() {
            let tail = Arc::clone(&stderr);
            thread("browser-stderr")
                .spawn(move || {
                    read_stderr_tail(pipe, &tail);
                    let _ = ended.send(true);
                })
                .map_err(fail)?;
        }
        let (exit, exited) = watch::channel(None);
        thread("browser-wait")
            .spawn(move || {
                let _ = exit.send(child.wait().ok());
            })
            .map_err(fail)?;
        Ok(Self {
            pid,
            stderr,
            stderr_ended,
            exited,
            profile: Some(profile),
            guardian,
            ends_with_pipe: false,
        })
    }

    /// The browser process's id, which is also its process group.
    pub(crate) fn pid(&self) -> u32 {
        self.pid
    }

    /// The last words of a process that has ended: all of them are read by
    /// then, unless a child of it still holds the pipe.
    pub(crate) async fn final_stderr(&self) -> Vec<String> {
        let mut ended = self.stderr_ended.clone();
        let all = ended.wait_for(|ended| *ended);
        let _ = tokio::time::timeout(STDERR_TIMEOUT, all).await;
        self.stderr()
    }

    /// The last lines of stderr.
    pub(crate) fn stderr(&self) -> Vec<String> {
        self.stderr.lock().iter().cloned().collect()
    }

    /// Waits for the process to end.
    pub(crate) async fn exited(&self) -> Option<ExitStatus> {
        let mut exited = self.exited.clone();
        exited.wait_for(Option::is_some).await.ok().and_then(|status| *status)
    }

    /// Whether the process has ended.
    pub(crate) fn has_exited(&self) -> bool {
        self.exited.borrow().is_some() || self.exited.has_changed().is_err()
    }

    /// Whether the profile outlives the browser.
    pub(crate) fn has_persistent_profile(&self) -> bool {
        self.profile.as_ref().is_some_and(ProfileDirs::is_persistent)
    }

    /// Waits for the end, but not for ever.
    pub(crate) async fn wait_exit(&self, max_wait: std::time::Duration) {
        let _ = tokio::time::timeout(max_wait, self.exited()).await;
    }

    /// How the process ended, if it does so soon.
    pub(crate) async fn exit_report(&self) -> Option<String> {
        self.wait_exit(STDERR_TIMEOUT).await;
        let status = (*self.exited.borrow())?;
        Some(format!("it ended with {status}"))
    }

    /// Kills the process and everything it started.
    pub(crate) fn kill(&self) {
        if !self.has_exited() {
            let _ = killpg(Pid::from_raw(self.pid as i32), Signal::SIGKILL);
        }
    }

    /// The folder of its profile.
    pub(crate) fn profile_folder(&self) -> std::path::PathBuf {
        let profile = self.profile.as_ref();
        profile.map(|profile| profile.user_data_dir().to_owned()).unwrap_or_default()
    }

    /// Waits for the end and removes the profile. The pipe of a process that ends with it
    /// was ended before.
    pub(crate) async fn reap(&mut self) {
        if self.ends_with_pipe {
            self.wait_exit(BRIDGE_EXIT_TIMEOUT).await;
        }
        self.kill();
        self.exited().await;
        let Some(profile) = self.profile.take() else {
            return;
        };
        let guardian = self.guardian.clone();
        let pid = self.pid;
        let removed = tokio::task::spawn_blocking(move || {
            remove_profile(profile, pid, guardian.as_deref());
        });
        let _ = removed.await;
    }
}

impl Drop for BrowserProcess {
    fn drop(&mut self) {
        if !self.ends_with_pipe {
            self.kill();
        }
        if let Some(profile) = self.profile.take() {
            remove_profile(profile, self.pid, self.guardian.as_deref());
        }
    }
}

/// Removes what is temporary; the guardian need not know of it any more.
fn remove_profile(profile: ProfileDirs, pid: u32, guardian: Option<&Guardian>) {
    let paths = [profile.root().to_owned(), profile.downloads().to_owned()];
    drop(profile);
    if let Some(guardian) = guardian {
        guardian.forget_kill(pid);
        paths.iter().for_each(|path| guardian.forget_remove(path));
    }
}

/// Reads stderr to its end, keeping the last lines.
fn read_stderr_tail(pipe: impl Read, tail: &Lock<VecDeque<String>>) {
    let mut reader = BufReader::new(pipe);
    let mut line = Vec::new();
    loop {
        line.clear();
        // A line without end must not grow without end.
        match reader.by_ref().take(64 * 1024).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let text: String =
            String::from_utf8_lossy(&line).trim_end().chars().take(MAX_STDERR_LINE_BYTES).collect();
        tracing::debug!(target: "chromium", "{text}");
        let mut tail = tail.lock();
        if tail.len() == MAX_STDERR_LINES {
            tail.pop_front();
        }
        tail.push_back(text);
    }
}
