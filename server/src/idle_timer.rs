//! How long nobody has used the daemon.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// The time of the last use.
#[derive(Debug)]
pub struct IdleTimer(Mutex<Instant>);

impl IdleTimer {
    /// Counts from now on.
    pub fn start() -> Self {
        Self(Mutex::new(Instant::now()))
    }

    /// Counts from now on again.
    pub fn reset(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// Time since the last use.
    pub fn elapsed(&self) -> Duration {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).elapsed()
    }
}
