//! Windows that a page asks for.

use std::time::Instant;

use super::page::Page;
use crate::ids::SessionId;

/// A window that a page asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestedWindow {
    /// Session of the frame that asked: the frames of a page are in processes of their
    /// own, which do not wait for each other.
    pub(crate) session: SessionId,
    /// Where it is to go.
    pub url: String,
    /// Whether a click, a key or a script of ours asked for it, a moment ago at most.
    pub has_user_activation: bool,
}

/// Why a window was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WindowRefusal {
    /// No user asked for it.
    NoGesture,
    /// The session has as many as it may have.
    TooMany,
}

/// A window that was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedWindow {
    /// Where it was to go.
    pub url: String,
    /// Why it does not.
    pub reason: WindowRefusal,
}

impl Page {
    /// A mouse, a key or a script of ours acts on it.
    pub(crate) fn record_user_activation(&self) {
        self.state.lock().last_user_activation = Some(Instant::now());
    }
}
