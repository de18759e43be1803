//! The name of a session.

use std::{fmt, str::FromStr};

use browse_proto::Reason;

use browse_base::{Error, Result};

/// Longest name, in bytes.
const MAX_NAME_BYTES: usize = 64;

/// Letters, digits, dash, dot and underscore; at most 64.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SessionName(String);

impl SessionName {
    /// The session of a root caller who names none.
    pub fn default_session() -> Self {
        Self("default".to_owned())
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for SessionName {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let good = |letter: char| letter.is_alphanumeric() || "-._".contains(letter);
        if text.is_empty() || text.len() > MAX_NAME_BYTES || !text.chars().all(good) {
            let message = format!("`{}` is not a name for a session", text.escape_debug());
            return Err(Error::new(Reason::ArgumentInvalid, message).with("command", "session new"));
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for SessionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
