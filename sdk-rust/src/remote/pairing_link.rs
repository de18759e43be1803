//! The link of a pairing block: where a daemon is, its setup key, and by what it
//! is known.

use super::hex::unhex;
use crate::error::{Error, Result};

const SCHEME: &str = "browse-pair://";

/// The link of a pairing block.
pub struct PairingBlockLink {
    /// `host:port`.
    pub address: String,
    /// The setup key.
    pub setup_key: String,
    /// SHA-256 of the public key that it has to show.
    pub pin: String,
    /// By what the answer is known where TLS may end at a tunnel.
    pub session_key: Option<[u8; 32]>,
}

impl PairingBlockLink {
    /// Finds it in a block; parts that are not known are for others.
    pub fn parse(block: &str) -> Result<Self> {
        // It never repeats the key.
        let invalid = |why: &str| {
            let message = format!("that is no link of a pairing block: {why}");
            let hint = "Copy the link of the block whole: it is one word";
            Error::new("PAIRING_LINK_INVALID", message, hint, 3)
        };
        let at = block.find(SCHEME).ok_or_else(|| invalid("it does not hold `browse-pair://`"))?;
        let link = block[at + SCHEME.len()..].split_whitespace().next().unwrap_or_default();
        let mut parts = link.split('/');
        let address = parts.next().unwrap_or_default();
        let (host, port) = address.rsplit_once(':').unwrap_or_default();
        let plain = |letter: char| letter.is_ascii_alphanumeric() || ".-_:[]".contains(letter);
        let is_port = port.parse::<u16>().is_ok_and(|port| port > 0);
        if host.is_empty() || !host.chars().all(plain) || !is_port {
            return Err(invalid("it names no host with a port"));
        }
        let parts: Vec<_> = parts.collect();
        let part = |prefix| parts.iter().find_map(|part| part.strip_prefix(prefix));
        let key = part("setup-").ok_or_else(|| invalid("it holds no setup key"))?;
        let pin = part("pin-").filter(|pin| is_pin(pin));
        let pin = pin.ok_or_else(|| invalid("it holds no whole fingerprint"))?;
        let session = match part("session-") {
            None => None,
            Some(key) => {
                let key = unhex(key).and_then(|bytes| bytes.try_into().ok());
                Some(key.ok_or_else(|| invalid("it holds no whole session key"))?)
            }
        };
        let (address, key) = (address.to_owned(), format!("setup-{key}"));
        Ok(Self { address, setup_key: key, pin: pin.to_owned(), session_key: session })
    }
}

/// Whether `text` is a SHA-256, as hexadecimal.
pub fn is_pin(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_found_in_a_block_and_half_of_one_is_none() {
        let pin = "0a".repeat(32);
        let good = format!("browse-pair://[::1]:4567/setup-00ff/pin-{pin}");
        let block = format!("You may …\n  browse redeem {good}/new-part\n  browse --remote");
        for text in [&good, &block] {
            let link = PairingBlockLink::parse(text).expect("it is whole");
            assert_eq!(
                (link.address.as_str(), link.setup_key.as_str()),
                ("[::1]:4567", "setup-00ff")
            );
            assert_eq!((link.pin, link.session_key), (pin.clone(), None));
        }
        let tunnel = format!("{good}/session-{}", "07".repeat(32));
        assert_eq!(
            PairingBlockLink::parse(&tunnel).expect("it is whole").session_key,
            Some([7; 32])
        );
        for bad in [
            "",
            "setup-00ff",
            &good[..good.len() - 1],
            &good.replace(":4567", ""),
            &good.replace(":4567", ":0"),
            &good.replace("[::1]", ""),
            &good.replace("[::1]", "u@h"),
            &good.replace("[::1]", "\"h"),
            &good.replace("setup-", ""),
            &good.replace("pin-0", "pin-g"),
            &tunnel[..tunnel.len() - 1],
        ] {
            let error = PairingBlockLink::parse(bad).err().expect(bad);
            assert_eq!(error.reason, "PAIRING_LINK_INVALID");
            assert!(!error.message.contains("00ff"), "the key is nobody's to print");
        }
    }
}
