//! The handle of an agent's session.

use std::fmt;

use sha2::{Digest as _, Sha256};

use browse_base::{Result, hex, random};

/// Bytes of randomness in a handle.
const HANDLE_BYTES: usize = 16;

/// What every handle begins with, so that it is known for what it is.
const PREFIX: &str = "ses_";

/// A bearer secret that names a session: 128 random bits.
pub struct AgentHandle(String);

impl AgentHandle {
    /// A new handle.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub fn generate() -> Result<Self> {
        Ok(Self(format!("{PREFIX}{}", hex(&random::<HANDLE_BYTES>()?))))
    }

    /// The text of the handle.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// What the daemon keeps of a handle: its SHA-256.
    pub fn hash(text: &str) -> [u8; 32] {
        Sha256::digest(text.as_bytes()).into()
    }
}

impl fmt::Debug for AgentHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AgentHandle(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::AgentHandle;

    #[test]
    fn handles_differ_and_their_text_stays_out_of_debug_output() {
        let (one, other) = (AgentHandle::generate().unwrap(), AgentHandle::generate().unwrap());
        assert_ne!(one.expose(), other.expose());
        assert_eq!(one.expose().len(), "ses_".len() + 32);
        assert_eq!(format!("{one:?}"), "AgentHandle(..)");
        assert_ne!(AgentHandle::hash(one.expose()), AgentHandle::hash(other.expose()));
    }
}
