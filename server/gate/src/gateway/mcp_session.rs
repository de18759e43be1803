//! Sessions of MCP. All that is to be known of one is in its id, so that any replica serves it: the
//! session of the browser that it has, when it began, and an authentication code (HMAC-SHA256) of both
//! and of its owner.
//!
//! The token of each request grants what it may do, for the sessions of its own tenant. The id grants one
//! thing beside that: its owner may close the session. So nobody else can make it: the key of the code
//! is derived from the private key of the gateway, which all replicas have.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use browse_base::{Result, hex, random};
use browse_fleet::FleetIdentity;
use ring::hmac;
use sha2::{Digest as _, Sha256};

use crate::auth::AuthenticatedCaller;

/// How the names of sessions begin that a server of MCP has opened. They are the handles in its
/// answers, and `browse mcp` names its own in the same way.
const NAME_PREFIX: &str = "agent-";

/// Random bytes of a name, which follow in hexadecimal.
const NAME_BYTES: usize = 16;

/// Bytes of the code that an id has.
const CODE_BYTES: usize = 16;

/// What the key of the codes is for.
const KEY_PURPOSE: &str = "ids of sessions of mcp";

/// The key that ids are made with.
pub struct McpIdKey(hmac::Key);

impl McpIdKey {
    /// That of the gateway with this identity.
    ///
    /// # Errors
    /// `CERTIFICATE_UNUSABLE`.
    pub fn new(identity: &FleetIdentity) -> Result<Self> {
        Ok(Self(hmac::Key::new(hmac::HMAC_SHA256, &identity.derive_key(KEY_PURPOSE)?)))
    }
}

/// The id of a session of MCP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpSessionId {
    session: String,
    /// Seconds since 1970.
    began: u64,
}

impl McpSessionId {
    /// A new one, which begins at `now`.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub fn generate(now: SystemTime) -> Result<Self> {
        let session = format!("{NAME_PREFIX}{}", hex(&random::<NAME_BYTES>()?));
        Ok(Self { session, began: seconds(now) })
    }

    /// Reads an id; none where it was not made for `caller`, with `key`.
    pub fn parse(text: &str, caller: &AuthenticatedCaller, key: &McpIdKey) -> Option<Self> {
        let mut parts = text.split('.');
        let (session, began) = (parts.next()?, parts.next()?);
        let digits = session.strip_prefix(NAME_PREFIX)?;
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if digits.len() != 2 * NAME_BYTES || !digits.bytes().all(is_digit) {
            return None;
        }
        let began = u64::from_str_radix(began, 16).ok()?;
        let id = Self { session: session.to_owned(), began };
        // Equal hashes say nothing of how far a guess was right.
        (Sha256::digest(id.text(caller, key)) == Sha256::digest(text)).then_some(id)
    }

    /// What a client of `caller` sends as `Mcp-Session-Id`.
    pub fn text(&self, caller: &AuthenticatedCaller, key: &McpIdKey) -> String {
        let Self { session, began } = self;
        // Of these, only the subject may have a line break.
        let owned = format!("{}\n{session}\n{began}\n{}\n", caller.tenant.as_str(), caller.subject);
        let code = hmac::sign(&key.0, owned.as_bytes());
        let code = hex(&code.as_ref()[..CODE_BYTES]);
        format!("{session}.{began:x}.{code}")
    }

    /// The name of the session of the browser.
    pub fn session(&self) -> &str {
        &self.session
    }

    /// Time since it began.
    pub fn age(&self, now: SystemTime) -> Duration {
        Duration::from_secs(seconds(now).saturating_sub(self.began))
    }
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

#[cfg(test)]
mod tests {
    use browse_fleet::{SessionScope, Tenant, TenantQuota};

    use super::*;

    fn caller(tenant: &str, subject: &str) -> AuthenticatedCaller {
        AuthenticatedCaller {
            tenant: Tenant::new(tenant).expect("a name"),
            subject: subject.to_owned(),
            scopes: vec!["read".to_owned()],
            session: SessionScope::Any,
            quota: TenantQuota::default(),
            expires_at: None,
        }
    }

    #[test]
    fn an_id_is_known_to_its_owner_alone() {
        let began = UNIX_EPOCH + Duration::from_secs(1_800_000_000);
        let owner = caller("acme", "ann");
        let id = McpSessionId::generate(began).expect("random numbers");
        let key = McpIdKey(hmac::Key::new(hmac::HMAC_SHA256, &[7; 32]));
        let parse =
            |text: &str, caller: &AuthenticatedCaller| McpSessionId::parse(text, caller, &key);
        let text = id.text(&owner, &key);
        assert!(text.bytes().all(|byte| byte.is_ascii_graphic()), "{text}");
        assert_eq!(parse(&text, &owner).as_ref(), Some(&id));
        assert_eq!(id.age(began + Duration::from_secs(60)), Duration::from_secs(60));
        assert_eq!(id.age(UNIX_EPOCH), Duration::ZERO, "clocks differ");
        for other in [caller("beta", "ann"), caller("acme", "bob"), caller("acm", "eann")] {
            assert_eq!(parse(&text, &other), None, "{other:?}");
        }
        let other = McpIdKey(hmac::Key::new(hmac::HMAC_SHA256, &[8; 32]));
        assert_eq!(McpSessionId::parse(&text, &owner, &other), None, "another fleet");
        let (session, rest) = text.split_once('.').expect("parts");
        for wrong in [
            String::new(),
            session.to_owned(),
            format!("{text}.x"),
            format!("{text} "),
            text.to_uppercase(),
            format!("work.{rest}"),
            format!("{session}.0{rest}"),
            format!("agent-{}.{rest}", "0".repeat(32)),
        ] {
            assert_eq!(parse(&wrong, &owner), None, "{wrong}");
        }
    }
}
