//! Which daemon or fleet is meant and what its page gets here: one line of JSON from `browse`,
//! which has read the file of the remote.

use std::{path::PathBuf, time::Duration};

use browse_base::{Error, HINT_KEY, Result};
use browse_policy::Scopes;
use browse_proto::{Reason, Scope};
use serde::Deserialize;

use crate::ttl;

/// The longest that a dashboard is good.
pub const MAX_LIFETIME: Duration = Duration::from_secs(7 * 24 * 3600);

/// How long the page of a fleet is good when the person does not say: as that of a daemon here.
const FLEET_LIFETIME: Duration = Duration::from_secs(12 * 3600);

/// What the page of a fleet may do when the person does not say, as far as the token may.
const FLEET_SCOPES: [Scope; 3] = [Scope::Read, Scope::Write, Scope::Meta];

/// What `browse` asks for. It is not printed: it may hold a token.
#[derive(Deserialize)]
pub struct RelayRequest {
    #[serde(flatten)]
    target: RelayTarget,
    #[serde(flatten)]
    flags: RelayFlags,
}

/// Whose dashboard is meant.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RelayTarget {
    /// That of a daemon, by a pairing.
    Daemon(RemoteDaemon),
    /// That of a fleet, by a sign-in.
    Fleet(RemoteFleet),
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

/// A fleet, as `browse login` has kept it.
#[derive(Deserialize)]
pub struct RemoteFleet {
    /// Its name here.
    pub name: String,
    /// The home of browse, which has the file with its token.
    pub home: PathBuf,
    /// The program `browse`, which renews the token.
    pub program: PathBuf,
    /// The session of calls that name none.
    #[serde(default)]
    pub session: Option<String>,
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

    /// The flags, and what is meant.
    pub fn into_parts(self) -> (RelayFlags, RelayTarget) {
        (self.flags, self.target)
    }
}

impl RelayFlags {
    /// What the page may do where the pairing has `of_pairing`.
    ///
    /// # Errors
    /// `ARGUMENT_INVALID`: a word is not a scope. `SCOPE_DENIED`: the pairing has it not.
    pub fn scopes(&self, of_pairing: Scopes) -> Result<Scopes> {
        let Some(asked) = self.asked_scopes()? else { return Ok(of_pairing) };
        let beyond = asked.without(of_pairing).names();
        if beyond.is_empty() {
            return Ok(asked);
        }
        let message = format!("the pairing has not: {}", beyond.join(", "));
        Err(Error::new(Reason::ScopeDenied, message).with(HINT_KEY, NARROW_HINT))
    }

    /// The same where the token of a fleet has `of_token`.
    ///
    /// # Errors
    /// As [`RelayFlags::scopes`].
    pub fn fleet_scopes(&self, of_token: Scopes) -> Result<Scopes> {
        let Some(asked) = self.asked_scopes()? else {
            let usual = Scopes::of(&FLEET_SCOPES);
            return Ok(usual.without(usual.without(of_token)));
        };
        let beyond = asked.without(of_token).names();
        if beyond.is_empty() {
            return Ok(asked);
        }
        let message = format!("the token of the fleet has not: {}", beyond.join(", "));
        let hint = "Leave `--scope` out, or sign in with a token that has them";
        Err(Error::new(Reason::ScopeDenied, message).with(HINT_KEY, hint))
    }

    fn asked_scopes(&self) -> Result<Option<Scopes>> {
        let parsed = self.scopes.as_ref().map(|words| Scopes::parse(words)).transpose();
        parsed.map_err(|message| {
            Error::new(Reason::ArgumentInvalid, message).with("command", "dashboard")
        })
    }

    /// How long the page of a fleet is good, whose token is renewed.
    ///
    /// # Errors
    /// `ARGUMENT_INVALID`: the time is not one.
    pub fn fleet_lifetime(&self) -> Result<Duration> {
        match self.ttl {
            Some(_) => self.lifetime(MAX_LIFETIME),
            None => Ok(FLEET_LIFETIME),
        }
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
        let pin = |pin: &str| match request(json!(null), pin).expect("it is whole").target {
            RelayTarget::Daemon(daemon) => daemon.pin(),
            RelayTarget::Fleet(_) => panic!("it is a daemon"),
        };
        assert_eq!(pin(&"0f".repeat(32)).expect("a pin"), [15; 32]);
        for bad in [String::new(), "0".repeat(63), "é".repeat(32), "g".repeat(64)] {
            assert!(pin(&bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_page_of_a_fleet_gets_what_its_token_has() {
        let fleet = json!({"name": "fleet", "home": "/h", "program": "/b"});
        let flags = |scopes: serde_json::Value, ttl: serde_json::Value| {
            let line = json!({ "fleet": fleet, "scopes": scopes, "ttl": ttl }).to_string();
            let (flags, target) = RelayRequest::parse(&line).expect("it is whole").into_parts();
            assert!(matches!(target, RelayTarget::Fleet(fleet) if fleet.session.is_none()));
            flags
        };
        let held = Scopes::of(&[Scope::Read, Scope::Meta, Scope::Control]);
        let usual = flags(json!(null), json!(null));
        assert_eq!(usual.fleet_scopes(held).expect("scopes").names(), ["read", "meta"]);
        assert_eq!(usual.fleet_lifetime().expect("a time"), FLEET_LIFETIME);
        let more = flags(json!(["read,meta,control"]), json!("1h"));
        assert!(more.fleet_scopes(held).expect("scopes").allows(Scope::Control));
        assert_eq!(more.fleet_lifetime().expect("a time"), Duration::from_secs(3600));
        let beyond = flags(json!(["read,meta,admin"]), json!(null)).fleet_scopes(held);
        assert_eq!(beyond.expect_err("no admin").reason(), Reason::ScopeDenied);
    }
}
