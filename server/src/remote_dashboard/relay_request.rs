//! Which daemon is meant and what its page gets here: one line of JSON from `browse`, which has
//! read the file of the remote.

use std::time::Duration;

use browse_base::{Error, HINT_KEY, Result};
use browse_policy::Scopes;
use browse_proto::Reason;
use serde::Deserialize;

use crate::ttl;

/// The longest that a dashboard is good.
pub const MAX_LIFETIME: Duration = Duration::from_secs(7 * 24 * 3600);

/// What `browse` asks for. It is not printed: it holds a token.
#[derive(Deserialize)]
pub struct RelayRequest {
    daemon: RemoteDaemon,
    #[serde(flatten)]
    flags: RelayFlags,
}

/// What to do when the page is to have more than the pairing.
const NARROW_HINT: &str = "Leave `--scope` out, or ask the owner for a pairing with more: `browse pair new <name> \
     --dashboard --scope read,write,meta,control,admin`";

/// What the person asks for.
#[derive(Deserialize)]
pub struct RelayFlags {
    /// What the page may do at most; all that the pairing may when left out.
    #[serde(default)]
    scopes: Option<Vec<String>>,
    /// Time after which it has to be opened again, such as `1h`.
    #[serde(default)]
    ttl: Option<String>,
}

/// A daemon on another machine, as `browse redeem` has kept it.
#[derive(Deserialize)]
pub struct RemoteDaemon {
    /// `host:port`.
    pub address: String,
    /// SHA-256 of the public key that it has to show, as 64 hexadecimal digits.
    pin: String,
    /// Whether a certificate will do, too, that an authority of this machine vouches for: TLS
    /// may end at a tunnel.
    pub allows_public_ca: bool,
    /// The token of the pairing.
    pub token: String,
}

impl RelayRequest {
    /// Reads the line.
    ///
    /// # Errors
    /// `ARGUMENT_INVALID`; it never repeats the token.
    pub fn parse(line: &str) -> Result<Self> {
        serde_json::from_str(line).map_err(|_| {
            let message = "standard input has no line of `browse --remote <name> dashboard`";
            Error::new(Reason::ArgumentInvalid, message).with("command", "dashboard")
        })
    }

    /// The flags, and the daemon that is meant.
    pub fn into_parts(self) -> (RelayFlags, RemoteDaemon) {
        (self.flags, self.daemon)
    }
}

impl RelayFlags {
    /// What the page may do where the pairing has `of_pairing`.
    ///
    /// # Errors
    /// `ARGUMENT_INVALID`: a word is not a scope. `SCOPE_DENIED`: the pairing has it not.
    pub fn scopes(&self, of_pairing: Scopes) -> Result<Scopes> {
        let Some(words) = &self.scopes else { return Ok(of_pairing) };
        let asked = Scopes::parse(words).map_err(|message| {
            Error::new(Reason::ArgumentInvalid, message).with("command", "dashboard")
        })?;
        let beyond = asked.without(of_pairing).names();
        if beyond.is_empty() {
            return Ok(asked);
        }
        let message = format!("the pairing has not: {}", beyond.join(", "));
        Err(Error::new(Reason::ScopeDenied, message).with(HINT_KEY, NARROW_HINT))
    }

    /// How long the page is good where the pairing has `left`.
    ///
    /// # Errors
    /// `ARGUMENT_INVALID`: the time is not one.
    pub fn lifetime(&self, left: Duration) -> Result<Duration> {
        let asked = match &self.ttl {
            Some(text) => ttl::parse("dashboard", text, MAX_LIFETIME)?,
            None => MAX_LIFETIME,
        };
        Ok(asked.min(left))
    }
}

impl RemoteDaemon {
    /// The pin as bytes.
    ///
    /// # Errors
    /// `ARGUMENT_INVALID`.
    pub fn pin(&self) -> Result<browse_pin::Pin> {
        let invalid = || {
            let message = "the pin is not 64 hexadecimal digits";
            Error::new(Reason::ArgumentInvalid, message).with("command", "dashboard")
        };
        if self.pin.len() != 64 || !self.pin.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(invalid());
        }
        let mut pin = [0; 32];
        for (index, byte) in pin.iter_mut().enumerate() {
            let digits = &self.pin[2 * index..2 * index + 2];
            *byte = u8::from_str_radix(digits, 16).map_err(|_| invalid())?;
        }
        Ok(pin)
    }
}

#[cfg(test)]
mod tests {
    use browse_proto::Scope;
    use serde_json::json;

    use super::*;

    fn request(scopes: serde_json::Value, pin: &str) -> Result<RelayRequest> {
        let daemon = json!({
            "address": "a.example:1", "pin": pin, "allows_public_ca": false, "token": "t",
        });
        RelayRequest::parse(&json!({ "daemon": daemon, "scopes": scopes }).to_string())
    }

    #[test]
    fn flags_only_allow_less() {
        let pairing = Scopes::of(&[Scope::Read, Scope::Write, Scope::Meta]);
        let names = |scopes: serde_json::Value| {
            let request = request(scopes, &"0f".repeat(32)).expect("it is whole");
            request.flags.scopes(pairing).map(Scopes::names)
        };
        assert_eq!(names(json!(null)).expect("all"), ["read", "write", "meta"]);
        assert_eq!(names(json!(["read,meta"])).expect("fewer"), ["read", "meta"]);
        let beyond = names(json!(["read,meta,admin"])).expect_err("the pairing has no admin");
        assert_eq!(beyond.reason(), Reason::ScopeDenied);
        assert!(names(json!(["root"])).is_err());
    }

    #[test]
    fn times_end_with_the_pairing() {
        let request = request(json!(null), &"0f".repeat(32)).expect("it is whole");
        let hour = Duration::from_secs(3600);
        assert_eq!(request.flags.lifetime(hour).expect("a time"), hour);
        assert_eq!(request.flags.lifetime(MAX_LIFETIME * 2).expect("a time"), MAX_LIFETIME);
    }

    #[test]
    fn half_a_request_is_refused() {
        assert!(RelayRequest::parse("").is_err() && RelayRequest::parse("{}").is_err());
        let whole = request(json!(null), &"0f".repeat(32)).expect("it is whole");
        assert_eq!(whole.daemon.pin().expect("a pin"), [15; 32]);
        for pin in [String::new(), "0".repeat(63), "é".repeat(32), "g".repeat(64)] {
            assert!(
                request(json!(null), &pin).expect("it is whole").daemon.pin().is_err(),
                "{pin}"
            );
        }
    }
}
