//! Setup keys: 128 random bits that are good once, for five minutes.

use std::time::{Duration, SystemTime};

use sha2::{Digest as _, Sha256};
use subtle::{Choice, ConstantTimeEq as _};

use crate::{
    error::Result,
    policy::{hex, random},
};

/// How long a key waits for its agent.
pub const LIFETIME: Duration = Duration::from_secs(5 * 60);

const PREFIX: &str = "setup-";

/// A key as it is kept: its hash, so that the key itself is nowhere.
pub struct SetupKey {
    hash: [u8; 32],
    expires: SystemTime,
}

impl SetupKey {
    /// A new key, with the text that is handed out.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub fn new(lifetime: Duration) -> Result<(Self, String)> {
        let text = format!("{PREFIX}{}", hex(&random::<16>()?));
        Ok((Self { hash: hash(&text), expires: SystemTime::now() + lifetime }, text))
    }

    /// When it ends.
    pub fn expires(&self) -> SystemTime {
        self.expires
    }

    /// Whether its time is over.
    pub fn is_over(&self) -> bool {
        SystemTime::now() >= self.expires
    }

    /// Compares with the hash of what was offered, in a time that tells nothing.
    pub fn matches(&self, offered: &[u8; 32]) -> Choice {
        self.hash.ct_eq(offered)
    }
}

/// The hash of an offered key.
pub fn hash(offered: &str) -> [u8; 32] {
    Sha256::digest(offered.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_itself_alone() {
        let (key, text) = SetupKey::new(LIFETIME).expect("there are random numbers");
        assert!(bool::from(key.matches(&hash(&text))) && !key.is_over());
        assert_eq!(text.len(), PREFIX.len() + 32);
        for other in ["", PREFIX, &text[1..], &format!("{text}0"), &text.to_uppercase()] {
            assert!(!bool::from(key.matches(&hash(other))), "{other}");
        }
        let (over, _) = SetupKey::new(Duration::ZERO).expect("there are random numbers");
        assert!(over.is_over());
    }
}
