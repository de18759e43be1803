//! Setup keys: 128 random bits that are good once, for five minutes.

use std::time::{Duration, SystemTime};

use sha2::{Digest as _, Sha256};
use subtle::{Choice, ConstantTimeEq as _};

use browse_proto::redeem::SEALED_PREFIX;

use browse_base::{Result, hex, random};

/// How long a key waits for its agent.
pub const SETUP_KEY_LIFETIME: Duration = Duration::from_secs(5 * 60);

const SETUP_KEY_PREFIX: &str = "setup-";

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
        let text = format!("{SETUP_KEY_PREFIX}{}", hex(&random::<16>()?));
        Ok((Self { hash: hash_key(&text), expires: SystemTime::now() + lifetime }, text))
    }

    /// When it ends.
    pub fn expires(&self) -> SystemTime {
        self.expires
    }

    /// Whether its time is over.
    pub fn is_expired(&self) -> bool {
        SystemTime::now() >= self.expires
    }

    /// Compares with the hash of what was offered, in a time that tells nothing.
    pub fn matches(&self, offered: &[u8; 32]) -> Choice {
        self.hash.ct_eq(offered)
    }
}

/// What a caller offers.
pub enum PresentedKey<'a> {
    /// The key itself.
    Key(&'a str),
    /// Its hash, with a proof that the caller holds the whole block.
    Sealed {
        /// The hash, as it was sent.
        id: &'a str,
        /// The same.
        hash: [u8; 32],
        /// The challenge of the request.
        challenge: &'a str,
        /// The proof.
        proof: Vec<u8>,
    },
}

impl<'a> PresentedKey<'a> {
    /// Reads what was sent. What is half a sealed key is one that fits nothing.
    pub fn parse(key: &'a str, challenge: &'a str, proof: &str) -> Self {
        let Some(id) = key.strip_prefix(SEALED_PREFIX) else { return Self::Key(key) };
        let hash = unhex(id).and_then(|bytes| bytes.try_into().ok()).unwrap_or([0; 32]);
        Self::Sealed { id, hash, challenge, proof: unhex(proof).unwrap_or_default() }
    }

    /// Whether the token of the answer is to be sealed.
    pub fn is_sealed(&self) -> bool {
        matches!(self, Self::Sealed { .. })
    }

    /// The hash of the key.
    pub fn hash(&self) -> [u8; 32] {
        match self {
            Self::Key(key) => hash_key(key),
            Self::Sealed { hash, .. } => *hash,
        }
    }
}

/// Bytes that are written as lower-case hexadecimal.
fn unhex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).filter(|_| !byte.is_ascii_uppercase());
    let pair = |pair: &[u8]| match pair {
        [high, low] => u8::try_from(digit(*high)? << 4 | digit(*low)?).ok(),
        _ => None,
    };
    text.as_bytes().chunks(2).map(pair).collect()
}

/// The hash of a key.
fn hash_key(key: &str) -> [u8; 32] {
    Sha256::digest(key.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sealed_is_named_by_its_hash() {
        let id = hex(&hash_key("setup-00"));
        let sealed = format!("{SEALED_PREFIX}{id}");
        let offered = PresentedKey::parse(&sealed, "c", "00ff");
        assert!(offered.is_sealed());
        assert_eq!(offered.hash(), PresentedKey::parse("setup-00", "c", "").hash());
        for bad in ["sealed-", "sealed-0", "sealed-zz", &sealed.to_uppercase(), &sealed[..70]] {
            assert_ne!(PresentedKey::parse(bad, "c", "").hash(), offered.hash(), "{bad}");
        }
        assert_eq!(unhex("00ff"), Some(vec![0, 255]));
        assert!(unhex("0").is_none() && unhex("0F").is_none() && unhex("ü").is_none());
    }

    #[test]
    fn a_key_is_itself_alone() {
        let (key, text) = SetupKey::new(SETUP_KEY_LIFETIME).expect("there are random numbers");
        assert!(bool::from(key.matches(&hash_key(&text))) && !key.is_expired());
        assert_eq!(text.len(), SETUP_KEY_PREFIX.len() + 32);
        for other in ["", SETUP_KEY_PREFIX, &text[1..], &format!("{text}0"), &text.to_uppercase()] {
            assert!(!bool::from(key.matches(&hash_key(other))), "{other}");
        }
        let (over, _) = SetupKey::new(Duration::ZERO).expect("there are random numbers");
        assert!(over.is_expired());
    }
}
