//! Why a browser that runs already was not reached.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What sort of failure it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AttachFailureKind {
    /// The address is one that is never connected to.
    Refused,
    /// Remote debugging is off in that browser.
    NotEnabled,
    /// Nothing answers there, or what answers is not a browser.
    Unreachable,
}

/// A failure to reach a browser that runs already. The message holds no secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttachFailure {
    /// Its sort.
    pub kind: AttachFailureKind,
    /// What is wrong, without a full stop.
    pub message: String,
}

impl AttachFailure {
    pub(crate) fn refused(message: impl Into<String>) -> Self {
        Self { kind: AttachFailureKind::Refused, message: message.into() }
    }

    pub(crate) fn not_enabled(message: impl Into<String>) -> Self {
        Self { kind: AttachFailureKind::NotEnabled, message: message.into() }
    }

    pub(crate) fn unreachable(message: impl Into<String>) -> Self {
        Self { kind: AttachFailureKind::Unreachable, message: message.into() }
    }
}

impl fmt::Display for AttachFailure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}
