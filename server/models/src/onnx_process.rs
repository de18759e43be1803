//! A running `browse-onnx` and its pipes.

use std::{
    io,
    process::{ExitStatus, Stdio},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use browse_guard::onnx_classifier::{
    MAX_RESPONSE_BYTES, ScoreRequest, ScoreResponse, StartupMessage, encode_frame, frame_length,
};
use serde::de::DeserializeOwned;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command},
    task::JoinHandle,
    time::timeout,
};

use super::OnnxConfig;

/// Bytes of what it says on its standard error that are kept.
const MAX_STDERR_BYTES: usize = 400;

/// Time that one which dies takes for it.
const EXIT_TIMEOUT: Duration = Duration::from_millis(500);

/// Longest that the last of it is waited for.
const STDERR_TIMEOUT: Duration = Duration::from_secs(2);

/// A program that runs a model. Dropping it ends it; so does the end of the
/// daemon, whatever that is: its input ends then.
pub struct OnnxProcess {
    child: Child,
    input: ChildStdin,
    output: ChildStdout,
    /// The end of what it reported last.
    stderr_tail: Arc<Mutex<String>>,
    stderr_task: JoinHandle<()>,
}

impl OnnxProcess {
    /// Starts the program of `plan`.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn start(plan: &OnnxConfig) -> io::Result<Self> {
        let mut command = Command::new(&plan.program);
        command.arg(&plan.folder).arg(&plan.runtime).env_clear().current_dir("/");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // With one heap, what a run needed goes back to the system.
        command.env("MALLOC_ARENA_MAX", "1").process_group(0).kill_on_drop(true);
        let mut child = command.spawn()?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(input), Some(output), Some(errors)) = pipes else {
            return Err(io::Error::other("it has no pipes"));
        };
        let reported = Arc::new(Mutex::new(String::new()));
        let listener = tokio::spawn(collect_stderr(errors, Arc::clone(&reported)));
        Ok(Self { child, input, output, stderr_tail: reported, stderr_task: listener })
    }

    /// Its process id, while it runs.
    pub fn pid(&self) -> Option<u32> {
        self.child.id()
    }

    /// The first thing that it says.
    ///
    /// # Errors
    /// It ended before, or reported something else.
    pub async fn read_startup(&mut self) -> io::Result<StartupMessage> {
        self.read_response().await
    }

    /// Asks it about a text.
    ///
    /// # Errors
    /// It ended, or answered something else.
    pub async fn score(&mut self, ask: &ScoreRequest) -> io::Result<ScoreResponse> {
        let body = serde_json::to_vec(ask)?;
        self.input.write_all(&encode_frame(&body)).await?;
        self.input.flush().await?;
        self.read_response().await
    }

    /// Waits for its end.
    ///
    /// # Errors
    /// The system does not say.
    pub async fn wait(&mut self) -> io::Result<ExitStatus> {
        self.child.wait().await
    }

    /// Ends it, and says how it ended and what it reported last.
    pub async fn shut_down(mut self) -> String {
        // One that dies closes its pipes first.
        let ended = match timeout(EXIT_TIMEOUT, self.child.wait()).await {
            Ok(Ok(status)) => status.to_string(),
            _ => {
                let _ = self.child.kill().await;
                "it was ended".to_owned()
            }
        };
        let _ = timeout(STDERR_TIMEOUT, self.stderr_task).await;
        let reported = self.stderr_tail.lock().unwrap_or_else(PoisonError::into_inner);
        match reported.lines().last().map(str::trim).filter(|line| !line.is_empty()) {
            Some(line) => format!("{ended}: {line}"),
            None => ended,
        }
    }

    async fn read_response<T: DeserializeOwned>(&mut self) -> io::Result<T> {
        let mut head = [0; 4];
        self.output.read_exact(&mut head).await?;
        let length = frame_length(head, MAX_RESPONSE_BYTES)
            .ok_or_else(|| io::Error::other("its answer is too long"))?;
        let mut body = vec![0; length];
        self.output.read_exact(&mut body).await?;
        Ok(serde_json::from_slice(&body)?)
    }
}

/// Keeps the end of what it says, so that it never waits for a reader.
async fn collect_stderr(mut errors: ChildStderr, reported: Arc<Mutex<String>>) {
    let mut buffer = [0; 1024];
    while let Ok(read @ 1..) = errors.read(&mut buffer).await {
        let text = String::from_utf8_lossy(&buffer[..read]);
        let mut reported = reported.lock().unwrap_or_else(PoisonError::into_inner);
        reported.push_str(&text);
        let cut = reported.ceil_char_boundary(reported.len().saturating_sub(MAX_STDERR_BYTES));
        reported.drain(..cut);
    }
}
