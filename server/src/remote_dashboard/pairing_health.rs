//! What calls have shown of a pairing: whether its daemon answers, and whether it has ended.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use browse_base::Lock;
use tokio::time::Instant;

/// What is known of a pairing.
#[derive(Debug, Default)]
pub struct PairingHealth {
    unreachable_since: Lock<Option<Instant>>,
    is_ended: AtomicBool,
    has_stream_ended: AtomicBool,
}

impl PairingHealth {
    /// Notes an answer of the daemon; one that refuses the token ends the pairing.
    pub fn note_answer(&self, refuses_token: bool) {
        *self.unreachable_since.lock() = None;
        if refuses_token {
            self.is_ended.store(true, Ordering::Relaxed);
        }
    }

    /// Notes that the daemon did not answer.
    pub fn note_unreachable(&self) {
        self.unreachable_since.lock().get_or_insert_with(Instant::now);
    }

    /// Notes that a stream ended: maybe because the pairing did.
    pub fn note_stream_end(&self) {
        self.has_stream_ended.store(true, Ordering::Relaxed);
    }

    /// Whether a stream ended since this was asked last.
    pub fn take_stream_end(&self) -> bool {
        self.has_stream_ended.swap(false, Ordering::Relaxed)
    }

    /// Whether the daemon has refused the token.
    pub fn is_ended(&self) -> bool {
        self.is_ended.load(Ordering::Relaxed)
    }

    /// For how long the daemon has not answered; nothing when it did last.
    pub fn unreachable_time(&self) -> Option<Duration> {
        self.unreachable_since.lock().map(|since| since.elapsed())
    }
}

#[cfg(test)]
mod tests {
    use super::PairingHealth;

    #[test]
    fn an_answer_ends_what_was_unreachable() {
        let health = PairingHealth::default();
        health.note_unreachable();
        assert!(health.unreachable_time().is_some());
        health.note_answer(false);
        assert!(health.unreachable_time().is_none() && !health.is_ended());
        health.note_answer(true);
        health.note_answer(false);
        assert!(health.is_ended(), "a token that was refused stays so");
        health.note_stream_end();
        assert!(health.take_stream_end() && !health.take_stream_end());
    }
}
