//! What untrusted skills are held to.

use serde::{Deserialize, Serialize};

/// What a process is held to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Confinement {
    /// Nothing: its skill is trusted, or the caller wants it so.
    None,
}
