//! Versions of runtimes.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Major and minor number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RuntimeVersion(pub u32, pub u32);

impl FromStr for RuntimeVersion {
    type Err = ();

    /// Reads `v20.11.1`, `3.13.0rc1` or `1.95`.
    fn from_str(text: &str) -> Result<Self, ()> {
        let mut parts = text.trim_start_matches('v').split('.');
        let mut number = || parts.next().and_then(|part| part.parse().ok()).ok_or(());
        Ok(Self(number()?, number()?))
    }
}

impl fmt::Display for RuntimeVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.0, self.1)
    }
}

#[cfg(test)]
mod tests {
    use super::RuntimeVersion;

    #[test]
    fn numbers_are_compared_as_numbers() {
        let read = |text: &str| text.parse::<RuntimeVersion>();
        assert!(read("3.9.18") < read("3.10.0rc1"));
        assert!(read("v20.0.0") >= Ok(RuntimeVersion(20, 0)));
        for text in ["", "20", "a.b", "v", "20.x"] {
            assert_eq!(read(text), Err(()), "{text}");
        }
    }
}
