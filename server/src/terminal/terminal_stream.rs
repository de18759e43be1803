//! What a terminal prints, as long as somebody reads it. A reader that is slow slows its programs
//! down: nothing is read ahead.

use std::{sync::Arc, time::Duration};

use tokio::time::timeout;

use super::running_terminal::{RunningTerminal, RunningTerminals};

/// Time that the exit code of a shell takes after the last program has let go of the terminal.
const EXIT_TIMEOUT: Duration = Duration::from_secs(1);

/// Time without output after the end of a shell after which nothing more comes.
const DRAIN_TIMEOUT: Duration = Duration::from_millis(100);

/// Times that output is read after the end of a shell: what it left behind may print for ever.
const MAX_DRAIN_READS: usize = 64;

/// The reader of a terminal, which ends when this is dropped.
pub struct TerminalStream {
    capability: String,
    running: Arc<RunningTerminal>,
    table: Arc<RunningTerminals>,
    drain_reads: usize,
}

/// What comes of a terminal.
#[derive(Debug, PartialEq, Eq)]
pub enum TerminalOutput {
    /// Its programs printed this.
    Data(Vec<u8>),
    /// It has ended, for this reason.
    Ended(String),
}

impl TerminalStream {
    /// The reader of `running`, which stands in `table` by its `capability`.
    pub(super) fn new(
        capability: String,
        running: Arc<RunningTerminal>,
        table: Arc<RunningTerminals>,
    ) -> Self {
        Self { capability, running, table, drain_reads: 0 }
    }

    /// Names the terminal to its client, and to nobody else.
    pub fn capability(&self) -> &str {
        &self.capability
    }

    /// The terminal.
    pub fn terminal(&self) -> &Arc<RunningTerminal> {
        &self.running
    }

    /// What comes next.
    pub async fn next(&mut self) -> TerminalOutput {
        match self.read().await {
            Some(data) => TerminalOutput::Data(data),
            None => TerminalOutput::Ended(self.running.describe_end()),
        }
    }

    /// Output; nothing when the terminal has ended.
    async fn read(&mut self) -> Option<Vec<u8>> {
        let pty = self.running.pty()?;
        let output = tokio::select! {
            biased;
            () = self.running.wait_until_stopped() => return None,
            () = self.running.wait_until_exited() => {
                self.drain_reads += 1;
                if self.drain_reads > MAX_DRAIN_READS {
                    return None;
                }
                timeout(DRAIN_TIMEOUT, pty.read()).await.ok()?
            }
            output = pty.read() => output,
        };
        match output {
            Ok(data) if !data.is_empty() => Some(data),
            _ => {
                let _ = timeout(EXIT_TIMEOUT, self.running.wait_until_ended()).await;
                None
            }
        }
    }
}

impl Drop for TerminalStream {
    fn drop(&mut self) {
        self.table.lock().remove(&self.capability);
        self.running.end("the page that opened it is gone");
    }
}
