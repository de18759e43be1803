//! Keeps what sessions hold, a moment after something happened in them.

use std::{sync::Arc, time::Duration};

use tokio::time::{Instant, sleep, sleep_until};

use super::Sessions;

/// Time after something happened, in which more may.
const SETTLE: Duration = Duration::from_millis(500);

/// Keeps the sessions until it is dropped. They are asked one after the other, so
/// that many of them do not take the machine.
pub async fn keep(sessions: Arc<Sessions>) {
    loop {
        sessions.changed.notified().await;
        sleep(SETTLE).await;
        while let Some(at) = keep_due(&sessions).await {
            tokio::select! {
                () = sleep_until(at) => {}
                () = sessions.changed.notified() => sleep(SETTLE).await,
            }
        }
    }
}

/// Keeps the sessions that are due, and answers when the next one is.
async fn keep_due(sessions: &Sessions) -> Option<Instant> {
    let mut next = None;
    for session in sessions.all() {
        match session.is_due_at() {
            Some(at) if at <= Instant::now() => session.keep().await,
            Some(at) => next = Some(next.map_or(at, |next: Instant| next.min(at))),
            None => {}
        }
    }
    next
}
