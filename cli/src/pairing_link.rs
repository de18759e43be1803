//! The link of a pairing block: where a daemon is, its setup key, the public key
//! of its certificate, and where a tunnel may end TLS a session key, in one word.

use std::net::Ipv6Addr;

use browse_proto::Reason;

use crate::failure::{Failure, Result};

const SCHEME: &str = "browse-pair://";

/// SHA-256 of the public key that a daemon has to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublicKeyPin(pub [u8; 32]);

/// A link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairingLink {
    /// `host:port`.
    pub address: String,
    /// The setup key.
    pub setup_key: String,
    /// What the daemon has to show.
    pub pin: PublicKeyPin,
    /// By what its answer is known where something else may show a certificate.
    pub session_key: Option<[u8; 32]>,
}

/// Reads 32 bytes of hexadecimal digits.
fn parse_hex32(text: &str) -> Option<[u8; 32]> {
    let digits = text.as_bytes();
    if digits.len() != 64 || !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let mut bytes = [0; 32];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(bytes)
}

/// Whether `text` is a host with a port, with an IPv6 address in brackets.
pub fn is_host_and_port(text: &str) -> bool {
    let Some((host, port)) = text.rsplit_once(':') else { return false };
    let digits = port.bytes().all(|byte| byte.is_ascii_digit());
    let port = port.parse::<u16>().is_ok_and(|port| port > 0);
    let host = match host.strip_prefix('[') {
        Some(rest) => rest.strip_suffix(']').is_some_and(|inner| inner.parse::<Ipv6Addr>().is_ok()),
        None => {
            let plain = |letter: char| letter.is_ascii_alphanumeric() || ".-_".contains(letter);
            !host.is_empty() && !host.starts_with(['-', '.']) && host.chars().all(plain)
        }
    };
    digits && port && host
}

impl PublicKeyPin {
    /// Reads 64 hexadecimal digits.
    pub fn parse(text: &str) -> Option<Self> {
        parse_hex32(text).map(Self)
    }

    /// As hexadecimal.
    pub fn text(&self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

impl PairingLink {
    /// Reads `browse-pair://host:port/key/pin-…`, and `/session-…` behind it.
    ///
    /// # Errors
    /// `PAIRING_LINK_INVALID`; it never repeats the key.
    pub fn parse(text: &str) -> Result<Self> {
        let invalid = |why: &str| {
            let message = format!("that is not a link of a pairing block: {why}");
            Failure::new(Reason::PairingLinkInvalid, message)
        };
        let rest = text.trim().strip_prefix(SCHEME);
        let rest = rest.ok_or_else(|| invalid("it does not begin with `browse-pair://`"))?;
        let mut parts = rest.split('/');
        let address = parts.next().unwrap_or_default();
        if !is_host_and_port(address) {
            return Err(invalid("it names no host with a port"));
        }
        let key = parts.next().filter(|key| key.starts_with("setup-"));
        let key = key.ok_or_else(|| invalid("it holds no setup key"))?;
        let pin =
            parts.next().and_then(|part| part.strip_prefix("pin-")).and_then(PublicKeyPin::parse);
        let pin = pin.ok_or_else(|| invalid("it holds no whole fingerprint"))?;
        let session = match parts.next() {
            None => None,
            Some(part) => {
                let session = part.strip_prefix("session-").and_then(parse_hex32);
                Some(session.ok_or_else(|| invalid("it holds no whole session key"))?)
            }
        };
        if parts.next().is_some() {
            return Err(invalid("something follows it"));
        }
        Ok(Self {
            address: address.to_owned(),
            setup_key: key.to_owned(),
            pin,
            session_key: session,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_link_is_read_and_half_of_one_is_not() {
        let pin = "0a".repeat(32);
        let good = format!("browse-pair://[::1]:4567/setup-00ff/pin-{pin}");
        let link = PairingLink::parse(&format!(" {good}\n")).expect("it is whole");
        assert_eq!((link.address.as_str(), link.setup_key.as_str()), ("[::1]:4567", "setup-00ff"));
        assert_eq!((link.pin.text(), link.session_key), (pin.clone(), None));
        let tunnel = format!("{good}/session-{}", "0b".repeat(32));
        let link = PairingLink::parse(&tunnel).expect("it is whole");
        assert_eq!(link.session_key, Some([11; 32]));
        for bad in [
            "",
            "setup-00ff",
            "https://a:1/setup-0/pin-0",
            &good[..good.len() - 1],
            &format!("{good}/x"),
            &format!("{good}/session-"),
            &format!("{good}/"),
            &tunnel[..tunnel.len() - 1],
            &format!("{tunnel}/x"),
            &good.replace(":4567", ""),
            &good.replace(":4567", ":0"),
            &good.replace("[::1]", ""),
            &good.replace("[::1]", "[]"),
            &good.replace("[::1]", "::1"),
            &good.replace("[::1]", "[::1"),
            &good.replace("[::1]", "-"),
            &good.replace(":4567", ":+4567"),
            &good.replace("[::1]", "a b"),
            &good.replace("[::1]", "u@h"),
            &good.replace("setup-", ""),
            &good.replace("pin-0", "pin-g"),
        ] {
            let failure = PairingLink::parse(bad).expect_err(bad);
            assert!(failure.has_reason(Reason::PairingLinkInvalid));
            assert!(!failure.message.contains("00ff"), "the key is nobody's to print");
        }
    }
}
