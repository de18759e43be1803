//! A mutex without poisoning.
//!
//! The states behind these locks are plain data, changed in short steps that
//! leave them whole; a panic somewhere else must not take the browser down with it.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// A `std` mutex whose `lock` always succeeds.
#[derive(Debug, Default)]
pub struct Lock<T>(Mutex<T>);

impl<T> Lock<T> {
    /// Puts a value behind a lock.
    pub fn new(value: T) -> Self {
        Self(Mutex::new(value))
    }

    /// Waits for the lock. Never hold the guard across an `await`.
    pub fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
