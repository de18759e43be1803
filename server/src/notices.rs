//! Notices for the local user, which its next answer carries.

use std::sync::{Mutex, PoisonError};

/// Notices for the next root caller.
#[derive(Debug, Default)]
pub struct RootNotices(Mutex<Option<String>>);

impl RootNotices {
    /// With a first notice.
    pub fn new(first: Option<String>) -> Self {
        Self(Mutex::new(first))
    }

    /// Adds a notice.
    pub fn add(&self, text: String) {
        let mut notice = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *notice = Some(match notice.take() {
            Some(before) => format!("{before}; {text}"),
            None => text,
        });
    }

    /// Takes them, each once.
    pub fn take(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
