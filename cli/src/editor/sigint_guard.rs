//! Holds Ctrl-C off this program while another has the terminal: some editors
//! mean something else by it.

use std::{process, thread, time::Duration};

use tokio::{
    runtime::{Builder, Runtime},
    signal::unix::{Signal, SignalKind, signal},
    time::timeout,
};

/// Time in which what was pressed in the editor has arrived.
const SIGINT_DRAIN_TIME: Duration = Duration::from_millis(20);

/// How a program ends that was interrupted.
const SIGINT_EXIT_CODE: i32 = 130;

/// As long as it lives, Ctrl-C does nothing here.
pub struct SigintGuard(Option<(Runtime, Signal)>);

impl SigintGuard {
    /// Begins it; without it Ctrl-C ends the program, as it always does.
    pub fn new() -> Self {
        let held =
            Builder::new_current_thread().enable_io().enable_time().build().and_then(|runtime| {
                let interrupt = runtime.block_on(async { signal(SignalKind::interrupt()) })?;
                Ok((runtime, interrupt))
            });
        Self(held.ok())
    }
}

impl Drop for SigintGuard {
    fn drop(&mut self) {
        let Some((runtime, mut interrupt)) = self.0.take() else { return };
        // From here on it ends the program again; nothing else would.
        thread::spawn(move || {
            runtime.block_on(async {
                while timeout(SIGINT_DRAIN_TIME, interrupt.recv()).await.is_ok() {}
                interrupt.recv().await;
            });
            process::exit(SIGINT_EXIT_CODE);
        });
    }
}
