//! The name of a state, which becomes that of a file.

use std::{fmt, str::FromStr};

use browse_proto::Reason;

use browse_base::{Error, Result};

/// Longest name, in bytes.
const MAX_NAME_BYTES: usize = 64;

/// Letters, digits, dash, dot and underscore of ASCII; at most 64, and the
/// first is a letter or a digit.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StateName(String);

impl StateName {
    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for StateName {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let good = |letter: char| letter.is_ascii_alphanumeric() || "-._".contains(letter);
        let begins = text.starts_with(|letter: char| letter.is_ascii_alphanumeric());
        if !begins || text.len() > MAX_NAME_BYTES || !text.chars().all(good) {
            let shown: String = text.escape_debug().take(MAX_NAME_BYTES).collect();
            let message = format!("`{shown}` is not a name for a state: letters, digits, `-._`");
            return Err(Error::new(Reason::ArgumentInvalid, message));
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for StateName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::StateName;

    #[test]
    fn a_name_cannot_leave_its_folder() {
        for name in ["work", "a", "a.b_c-1", "9"] {
            assert!(name.parse::<StateName>().is_ok(), "{name}");
        }
        let long = "a".repeat(65);
        for name in ["", ".", "..", "../a", "a/b", "-a", ".hidden", "a b", "ä", "a\0", "a\n", &long]
        {
            assert!(name.parse::<StateName>().is_err(), "{name:?}");
        }
    }
}
