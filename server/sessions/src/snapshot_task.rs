//! Keeps what sessions hold, a moment after something happened in them.

use std::{sync::Arc, time::Duration};

use tokio::time::{Instant, sleep, sleep_until};

use super::Sessions;

/// Time after something happened, in which more may.
const SNAPSHOT_DELAY: Duration = Duration::from_millis(500);

/// Keeps the sessions until it is dropped. They are asked one after the other, so
/// that many of them do not take the machine.
pub async fn run_snapshots(sessions: Arc<Sessions>) {
    loop {
        sessions.snapshot_requested.notified().await;
        sleep(SNAPSHOT_DELAY).await;
        while let Some(at) = snapshot_due_sessions(&sessions).await {
            tokio::select! {
                () = sleep_until(at) => {}
                () = sessions.snapshot_requested.notified() => sleep(SNAPSHOT_DELAY).await,
            }
        }
    }
}

/// Keeps the sessions that are due, and answers when the next one is.
async fn snapshot_due_sessions(sessions: &Sessions) -> Option<Instant> {
    let mut next = None;
    for session in sessions.all() {
        match session.snapshot_due_at() {
            Some(at) if at <= Instant::now() => session.take_snapshot().await,
            Some(at) => next = Some(next.map_or(at, |next: Instant| next.min(at))),
            None => {}
        }
    }
    next
}
